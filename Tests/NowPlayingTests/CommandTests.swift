import Foundation
import Testing
import Timekeeping

@testable import NowPlaying

@Suite("The answers to calls")
struct CommandTests {
  var desk = Desk()

  init() { _ = desk.publish() }

  @Test("Pause when paused and play when playing do nothing")
  mutating func repeated() {
    #expect(desk.call("Play") == .ignored)
    #expect(desk.call("Pause") == .perform(.pause))
    #expect(desk.call("PlayPause") == .perform(.togglePlayPause))
    desk.publication.state?.status = .paused
    _ = desk.publish()
    #expect(desk.call("Pause") == .ignored)
    #expect(desk.call("Play") == .perform(.play))
  }

  @Test("Seek stops at the start, and goes to the next track past the end")
  mutating func seek() {
    #expect(desk.call("Seek", .int64(5_000_000)) == .perform(.skipForward(.seconds(5))))
    #expect(desk.call("Seek", .int64(-5_000_000)) == .perform(.skipBackward(.seconds(5))))
    #expect(desk.call("Seek", .int64(-50_000_000)) == .perform(.skipBackward(.seconds(10))))
    #expect(desk.call("Seek", .int64(.min)) == .perform(.skipBackward(.seconds(10))))
    #expect(desk.call("Seek", .int64(90_000_001)) == .perform(.next))
    #expect(desk.call("Seek", .int64(.max)) == .perform(.next))
    desk.publication.commands.enabled.remove(.next)
    _ = desk.publish()
    #expect(desk.call("Seek", .int64(95_000_000)) == .ignored)
    desk.publication.commands.handled.subtract([.skipForward, .skipBackward])
    desk.publication.commands.enabled.subtract([.skipForward, .skipBackward])
    _ = desk.publish()
    #expect(
      desk.call("Seek", .int64(-50_000_000)) == .perform(.changePosition(.zero)))
  }

  @Test("SetPosition applies to the current track and to positions within it")
  func setPosition() {
    func set(_ track: String, _ position: Int64) -> MPRISMachine.Answer {
      desk.call("SetPosition", .objectPath(track), .int64(position))
    }
    let position = MediaTime(seconds: 42)
    #expect(set("/example/track/a", 42_000_000) == .perform(.changePosition(position)))
    #expect(set("/example/track/b", 42_000_000) == .ignored)
    #expect(set("/example/track/a", -1) == .ignored)
    #expect(set("/example/track/a", 100_000_001) == .ignored)
    #expect(set("/example/track/a", .max) == .ignored)
  }

  @Test("A rate of zero pauses, one out of range is refused, and a volume below zero is zero")
  func rates() {
    #expect(desk.set("Rate", .double(1.5)) == .perform(.changeRate(1.5)))
    #expect(desk.set("Rate", .double(0)) == .perform(.pause))
    for rate in [-1, 0.4, 2.1, .nan, .infinity] as [Double] {
      guard case .failure = desk.set("Rate", .double(rate)) else {
        Issue.record("rate \(rate)")
        continue
      }
    }
    #expect(desk.set("Volume", .double(-3)) == .perform(.changeVolume(0)))
    #expect(desk.set("Volume", .double(0.7)) == .perform(.changeVolume(0.7)))
    guard case .failure = desk.set("Volume", .double(.nan)) else {
      Issue.record("a volume that is no number")
      return
    }
  }

  @Test("A disabled command is shown as disabled, fails, and has no effect")
  mutating func disabled() {
    desk.publication.commands.enabled = [.changeVolume, .quit]
    let signals = desk.publish()
    #expect(
      signals.contains(
        Desk.changed([
          "CanPlay": .bool(false), "CanPause": .bool(false), "CanSeek": .bool(false),
          "CanGoNext": .bool(false), "CanGoPrevious": .bool(false), "MinimumRate": .double(1),
          "MaximumRate": .double(1),
        ])))
    // Properties whose changes aren't reported to readers must not change.
    #expect(desk.get("CanControl") == .bool(true))
    for member in ["Play", "Pause", "Stop", "Next", "Previous"] {
      #expect(desk.call(member) == .ignored, "\(member)")
    }
    // "… should have no effect and raise an error."
    guard case .failure = desk.call("PlayPause") else {
      Issue.record("PlayPause")
      return
    }
    #expect(desk.call("Seek", .int64(1)) == .ignored)
    guard case .failure(let error) = desk.set("Rate", .double(1.5)) else {
      Issue.record("Rate")
      return
    }
    #expect(error.name.hasSuffix("PropertyReadOnly"))
    #expect(desk.set("Volume", .double(1)) == .perform(.changeVolume(1)))
  }

  @Test("A rate that can't be changed is still within the published range")
  mutating func foreignRate() {
    desk.publication.state?.rate = 1.25
    desk.publication.commands.enabled.remove(.changeRate)
    _ = desk.publish()
    #expect(desk.get("MinimumRate") == .double(1))
    #expect(desk.get("MaximumRate") == .double(1.25))
  }

  @Test("Without a next track the buttons skip by the preferred interval")
  mutating func preferredIntervals() {
    desk.publication.commands.handled.subtract([.next, .previous])
    desk.publication.commands.enabled.subtract([.next, .previous])
    _ = desk.publish()
    #expect(desk.get("CanGoNext") == .bool(false))
    desk.publication.commands.forwardInterval = .seconds(30)
    desk.publication.commands.backwardInterval = .seconds(10)
    #expect(
      desk.publish() == [
        Desk.changed(["CanGoNext": .bool(true), "CanGoPrevious": .bool(true)])
      ])
    #expect(desk.call("Next") == .perform(.skipForward(.seconds(30))))
    #expect(desk.call("Previous") == .perform(.skipBackward(.seconds(10))))
  }

  @Test("Only supported kinds of addresses are opened")
  func open() {
    #expect(
      desk.call("OpenUri", .string("https://example.org/f.mkv"))
        == .perform(.openURL(URL(string: "https://example.org/f.mkv")!)))
    for text in [
      "", "f.mkv", "ftp://example.org/f", "edl://x", String(repeating: "x", count: 9000),
    ] {
      guard case .failure = desk.call("OpenUri", .string(text)) else {
        Issue.record("\(text.prefix(40))")
        continue
      }
    }
  }

  @Test("Clients can read the queue, select a track, and change the queue")
  mutating func queue() {
    let paths = BusValue.paths(["/example/track/b", "/example/track/gone", "/example/track/a"])
    guard
      case .reply(let values) = desk.call("GetTracksMetadata", paths, interface: Desk.trackList),
      case .array(of: "a{sv}", let tracks)? = values.first
    else {
      Issue.record("no metadata")
      return
    }
    #expect(tracks.count == 2)
    func call(_ member: String, _ path: String) -> MPRISMachine.Answer {
      desk.call(member, .objectPath(path), interface: Desk.trackList)
    }
    #expect(call("GoTo", "/example/track/c") == .perform(.playQueueItem("c")))
    #expect(call("GoTo", TrackPath.none) == .ignored)
    #expect(call("RemoveTrack", "/example/track/b") == .perform(.removeQueueItem("b")))
    let url = URL(string: "file:///f.mkv")!
    for (after, id) in [
      (TrackPath.none, nil), ("/example/track/a", "a"), ("/gone", "c"),
    ] as [(String, String?)] {
      #expect(
        desk.call(
          "AddTrack", .string("file:///f.mkv"), .objectPath(after), .bool(true),
          interface: Desk.trackList)
          == .perform(.addToQueue(AddToQueueEvent(url: url, after: id, becomesCurrent: true))))
    }
    #expect(desk.get("CanEditTracks", of: Desk.trackList) == .bool(true))
    desk.publication.commands.enabled = []
    _ = desk.publish()
    #expect(desk.get("CanEditTracks", of: Desk.trackList) == .bool(false))
    #expect(call("GoTo", "/example/track/c") == .ignored)
  }

  @Test("An unknown or mistyped request is an error")
  func errors() {
    func name(_ answer: MPRISMachine.Answer) -> String? {
      if case .failure(let error) = answer { error.name } else { nil }
    }
    let prefix = "org.freedesktop.DBus.Error."
    #expect(name(desk.call("Fly")) == prefix + "UnknownMethod")
    #expect(name(desk.call("Play", interface: "org.example")) == prefix + "UnknownInterface")
    #expect(name(desk.call("Seek", .int32(5))) == prefix + "InvalidArgs")
    #expect(name(desk.call("Seek")) == prefix + "InvalidArgs")
    #expect(name(desk.set("Volume", .int64(1))) == prefix + "InvalidArgs")
    #expect(name(desk.set("Position", .int64(1))) == prefix + "PropertyReadOnly")
    #expect(name(desk.set("Colour", .int64(1))) == prefix + "UnknownProperty")
    #expect(desk.get("LoopStatus") == nil)
    #expect(
      name(
        desk.machine.answer(
          BusCall(path: "/", interface: nil, member: "Play", signature: "", arguments: []),
          at: desk.now)) == prefix + "UnknownObject")
    // A call may leave the interface out.
    #expect(desk.call("Pause", interface: nil) == .perform(.pause))
  }

  @Test("Looping and shuffling are offered if a player has them")
  mutating func modes() {
    desk.publication.state?.repeatMode = .off
    desk.publication.state?.isShuffled = false
    #expect(
      desk.publish() == [
        Desk.changed(["LoopStatus": .string("None"), "Shuffle": .bool(false)])
      ])
    #expect(desk.set("LoopStatus", .string("Track")) == .perform(.changeRepeatMode(.one)))
    #expect(desk.set("Shuffle", .bool(true)) == .perform(.changeShuffleMode(true)))
    guard case .failure = desk.set("LoopStatus", .string("Sometimes")) else {
      Issue.record("LoopStatus")
      return
    }
  }
}
