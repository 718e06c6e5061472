import Foundation
import ProcessTesting
import Testing

/// Two commands that a participant gives at once, in all orders, with real players.
@Suite("Two commands at once, end to end", .serialized)
struct CommandOrderTests {
  let party: PartyTests

  init() throws { party = try PartyTests() }

  /// Films of two minutes, one of which has a picture for its first ten seconds only.
  enum Film: String, CaseIterable {
    case ordinary, shortPicture

    func path() throws -> String {
      let path = Clips.folder.appendingPathComponent("order-\(rawValue).mkv").path
      guard !FileManager.default.fileExists(atPath: path) else { return path }
      let seconds = self == .ordinary ? 120 : 10
      try Clips.ffmpeg([
        "-f", "lavfi", "-i", "testsrc2=s=64x36:r=25:d=\(seconds)", "-f", "lavfi", "-i",
        "sine=440:d=120", "-c:v", "mpeg4", "-c:a", "aac", path,
      ])
      return path
    }
  }

  private enum Command: String, CaseIterable {
    case rate = "rate 1"
    case seek = "seek 100"
    case pause, play
  }

  @Test("Both take effect for everybody, and nobody is moved otherwise", arguments: Film.allCases)
  func orders(film: Film) async throws {
    let path = try film.path()
    let (ana, invite) = try await party.host(film: path)
    let ben = try await party.join(invite, name: "Ben", film: path)
    let everybody = [ana, ben]
    var random = SystemRandomNumberGenerator()
    let orders = Command.allCases.flatMap { first in
      Command.allCases.filter { $0 != first }.map { (first, $0) }
    }
    for (first, second) in orders.shuffled(using: &random) {
      // One film has only sound there.
      try ana.send("seek 20")
      try ana.send("rate 1.5")
      try ana.send("play")
      for one in everybody {
        // The two commands before may have led to the same state.
        _ = try await one.next("command") {
          $0.string("command") == "seek" && $0.number("position") == 20
        }
        _ = try await one.state {
          $0.flag("playerPaused") == false && $0.number("rate") == 1.5
            && (20.2..<90).contains($0.number("playerPosition") ?? 0)
        }
      }
      let start = ContinuousClock.now
      let presser = Bool.random(using: &random) ? ana : ben
      try presser.send(first.rawValue)
      try presser.send(second.rawValue)
      let commands: Set = [first, second]
      // The later one of pause and play counts.
      let isPaused = second == .pause || (first == .pause && second != .play)
      for one in everybody {
        let state = try await one.state {
          $0.flag("playerPaused") == isPaused && ($0.fields["suspensions"] as? [String]) == []
            && $0.number("rate") == (commands.contains(.rate) ? 1 : 1.5)
            && (($0.number("position") ?? 0) >= 99.9) == commands.contains(.seek)
            && abs(($0.number("playerPosition") ?? 0) - ($0.number("position") ?? 99)) < 0.1
        }
        #expect(state.number("position") != nil)
      }
      for one in everybody {
        let moves = one.history(of: "command", since: start).map(\.event).filter {
          $0.string("command") == "seek" && abs(($0.number("position") ?? 0) - 100) > 0.001
        }
        #expect(moves.isEmpty, "\(film), \(first) then \(second): \(moves)")
      }
    }
    for one in everybody { #expect(try await one.quit() == 0) }
  }
}
