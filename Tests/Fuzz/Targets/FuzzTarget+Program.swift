import Foundation
import GroupActivities
import MPVPlayer
import Screening
import Timekeeping
import WatchTogether

@testable import Faces
@testable import MatineeKit

extension FuzzTarget {
  static let program = [headless, film, urlPolicy, jsonLine, latencyFile]

  private static let headless = FuzzTarget(
    "headless",
    texts: [
      "play", "play now", "seek 754.5", "seek +10", "seek 50%", "seek 5 relative-percent",
      "/seek 1:30", "rate 1.25", "load http://h/f.mkv", "chat hi",
      "name Ana", "draw 0.1 1", "draw", "undo", "scrub 1", "scrub cancel", "release 5", "suspend x",
      "latency-offset 180ms",
      "latency-offset 0.18s", "enqueue f", "move 3 1", "drop 2", "control hosts", "lifetime host",
      "wait-for nobody", "co-host Ben", "remove Ben", "join matinee://h:1/x#y", "quit", "ready",
    ]
  ) { bytes in
    let line = String(decoding: bytes, as: UTF8.self)
    for command in [try? UserCommand(line), try? UserCommand(chatLine: line)] {
      guard let command else { continue }
      try hold(UserCommandTable.row(command.name) != nil, command.name)
      if case .seek(to: let time) = command {
        try hold(time.seconds.magnitude <= 1e7, "\(time)")
      }
      if case .scrub(to: let time) = command { try hold(time.seconds <= 1e7, "\(time)") }
      if case .rule(let rule) = command {
        let ana = Participant(id: .init(high: 1, low: 1), name: "Ana")
        _ = try? rule.amendment(among: [ana])
      }
    }
  }

  /// A film that a peer proposes.
  private static let film = FuzzTarget(
    "film-activity",
    texts: [
      #"{"playlist":[{"id":1,"title":"F","location":"http://h/f","at":[9],"moved":[1,2]}],"current":1,"chosen":[1,2]}"#,
      #"{"playlist":[{"id":1,"identifier":"s","title":"\u001b[2J","at":[0,1],"moved":[-1,0]},{"id":2,"identifier":"b","title":"B","at":[1],"moved":[1,2]}],"removed":[{"id":2,"at":[2,2]}],"current":2,"chosen":[1,2]}"#,
    ]
  ) { bytes in
    guard let program = try? JSONDecoder().decode(FilmActivity.self, from: Data(bytes)) else {
      return
    }
    var (list, random) = (program.playlist, SystemRandomNumberGenerator())
    try hold((1...2 * Playlist.entryLimit).contains(list.entries.count), "entries")
    var shared = SharedPlaylist(list)
    for step in [Int.min, -1, 1, .max] {
      guard let entry = list.entry(at: step) else { continue }
      _ = list.makeCurrent(entry.id, at: nil, using: &random)
    }
    for place in [Int.min, -1, 0, 1, .max] {
      _ = list.move(from: place, to: 0, at: nil, using: &random)
      _ = list.move(from: 0, to: place, at: nil, using: &random)
      _ = list.remove(at: place, now: nil, using: &random)
    }
    _ = shared.sessionChanged(to: list, groupTime: nil, mayEdit: true, now: .init(nanoseconds: 0))
    try hold(list.entries.contains { $0.id == list.currentID }, "nothing is current")
  }

  private static let urlPolicy = FuzzTarget(
    "url-policy",
    texts: [
      "http://host.example/film.mkv?x=1#y", "HTTPS://[::1]:8080/f", "file:///etc/passwd",
      "http://user:secret@host/f", "http://a\\@b/", "http:///f", "http://h%6Fst/", "edl://x",
      "http://\u{202E}host/", "http://host/\u{9B}31m", "concat:http://a|file:///b",
    ]
  ) { bytes in
    let location = String(decoding: bytes, as: UTF8.self)
    switch URLPolicy().verdict(on: location) {
    case .open: throw Broken(description: "opens what nobody was asked about")
    case .refuse(let reason):
      try hold(reason.utf8.count < 200, "a reason of \(reason.utf8.count) bytes")
    case .ask(let origin):
      let host = origin.host
      try hold(
        location.lowercased().hasPrefix("http://") || location.lowercased().hasPrefix("https://"),
        "another scheme")
      try hold(
        PartyText.clean(location, limit: 4096) == location, "it changes what is on the screen")
      // The text that FFmpeg takes for the host: between the last @ and the port, before the path.
      let authority = location.drop { $0 != ":" }.dropFirst(3).prefix { !"/?#".contains($0) }
      let hostAndPort = authority.split(separator: "@", omittingEmptySubsequences: false).last!
      try hold(
        hostAndPort.lowercased().hasPrefix(host)
          || hostAndPort.lowercased().hasPrefix("[" + host),
        "asks for \(host), connects to \(hostAndPort)")
    }
  }

  private static let jsonLine = FuzzTarget(
    "json-line", texts: ["hello", "\u{1B}[2J\u{9B}31m\u{202E}\u{2028}\u{200B}\u{E0041}", "\"\\/"]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let line = JSONLines.line(.warning(text))
    for scalar in String(decoding: line.dropLast(), as: UTF8.self).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        throw Broken(description: "a line holds U+\(String(scalar.value, radix: 16))")
      default: break
      }
    }
    guard line.last == 10,
      let read = try JSONSerialization.jsonObject(with: Data(line)) as? [String: String],
      read.values.contains(where: { $0.unicodeScalars.elementsEqual(text.unicodeScalars) })
    else { throw Broken(description: "what is read isn't what was written") }
  }

  private static let latencyFile = FuzzTarget(
    "latency-file",
    texts: [#"{"version":1,"devices":{"pulse/x":{"latencyMs":180,"name":"Speaker"}}}"#, "{}"]
  ) { bytes in
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("fuzz-\(ProcessInfo.processInfo.processIdentifier)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + LatencyOffsetFile.name))
    let file = LatencyOffsetFile(folder: folder)
    let device = AudioDevice(key: "pulse/x", name: nil)
    // An unreadable file is reported once, and set aside.
    if (try? file.offset(for: device)) == nil { _ = try file.offset(for: device) }
  }
}
