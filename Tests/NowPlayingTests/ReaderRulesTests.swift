import Foundation
import Testing
import Timekeeping

@testable import NowPlaying

/// The conditions in the code of KDE, GNOME and playerctl for showing or commanding a player.
@Suite("Readers' rules, as values")
struct ReaderRulesTests {
  var desk = Desk()

  init() { _ = desk.publish() }

  @Test("KDE: both GetAlls answer, with an identity, and every property of the type it should be")
  func getAll() {
    for interface in [MPRISInterface.root, .player, .trackList] {
      let all = desk.all(of: interface.name)
      #expect(!all.isEmpty)
      for (name, value) in all {
        let property = interface.properties.first { $0.name == name }
        #expect(value.signature == property?.type, "\(interface.name).\(name)")
      }
      let optional: Set = ["Fullscreen", "LoopStatus", "Shuffle"]
      for property in interface.properties where !optional.contains(property.name) {
        #expect(all[property.name] != nil, "\(interface.name).\(property.name)")
      }
    }
    #expect(desk.all(of: Desk.root)["Identity"] == .string("Example"))
  }

  @Test("GNOME: artists are a list, title and picture are texts")
  mutating func types() {
    var info = NowPlayingInfo(
      title: "T", artists: ["A", "B"], artworkURL: URL(fileURLWithPath: "/tmp/a b.jpg"))
    info.trackNumber = 3
    info.userRating = 0.5
    info.contentCreated = Date(timeIntervalSince1970: 0)
    info.assetURL = URL(string: "https://ana:secret@example.org/f.mkv?x=1")
    info.genres = ["Drama"]
    info.albumTitle = "Album"
    desk.publication.state?.item.nowPlayingInfo = info
    _ = desk.publish()
    #expect(
      desk.publication.metadata == [
        "mpris:trackid": .objectPath("/example/track/a"), "mpris:length": .int64(100_000_000),
        "mpris:artUrl": .string("file:///tmp/a%20b.jpg"), "xesam:title": .string("T"),
        "xesam:artist": .strings(["A", "B"]), "xesam:trackNumber": .int32(3),
        "xesam:userRating": .double(0.5), "xesam:contentCreated": .string("1970-01-01T00:00:00Z"),
        "xesam:url": .string("https://example.org/f.mkv?x=1"), "xesam:genre": .strings(["Drama"]),
        "xesam:album": .string("Album"),
      ])
  }

  @Test("Any id makes a valid path, and different ones different paths")
  func paths() {
    let tracks = TrackPath(name: "my-player")
    let ids = ["", "_", "a/b", "a_b", "a b", "ä", "https://x/?y", "a\u{0}b", "_2f"]
    let paths = ids.map(tracks.path)
    #expect(Set(paths).count == ids.count)
    for path in paths {
      #expect(path.hasPrefix("/my_2dplayer/track/"))
      #expect(path.utf8.allSatisfy { $0 == 47 || $0 == 95 || (48...122).contains($0) })
      #expect(!path.hasSuffix("/"))
    }
  }

  @Test("All texts are valid for every D-Bus library")
  func texts() {
    #expect("a\u{0}b\u{FFFE}c\u{1FFFF}".forTheBus == "abc")
    #expect(String(repeating: "ä", count: 10000).forTheBus.utf8.count == 8192)
  }

  @Test("Introspection lists all interfaces, beginning at the root")
  func introspection() throws {
    func document(_ path: String) -> String? {
      let answer = desk.machine.answer(
        BusCall(
          path: path, interface: "org.freedesktop.DBus.Introspectable", member: "Introspect",
          signature: "", arguments: []), at: desk.now)
      guard case .reply(let values) = answer, case .string(let text)? = values.first else {
        return nil
      }
      return text
    }
    for (path, child) in [("/", "org"), ("/org", "mpris"), ("/org/mpris", "MediaPlayer2")] {
      #expect(document(path)?.contains("<node name=\"\(child)\"/>") == true)
    }
    #expect(document("/org/mpris/MediaPlayer") == nil && document("/example") == nil)
    let whole = try #require(document(MPRISInterface.path))
    #expect(whole.contains("<property name=\"Position\" type=\"x\" access=\"read\">"))
    #expect(!whole.contains("\"Shuffle\""))
    let parser = XMLParsing(whole)
    #expect(parser.interfaces == Set(MPRISInterface.all.map(\.name)))
  }
}

/// A check that a text is valid XML.
private struct XMLParsing {
  var interfaces: Set<String> = []

  init(_ text: String) {
    for part in text.components(separatedBy: "<interface name=\"").dropFirst() {
      interfaces.insert(String(part.prefix { $0 != "\"" }))
    }
  }
}
