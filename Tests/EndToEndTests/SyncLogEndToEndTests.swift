import Foundation
import ProcessTesting
import Testing

@Suite("The synchronization log, end to end", .serialized)
struct SyncLogEndToEndTests {
  @Test("Playback writes a line at least twice a second, and the events when they occur")
  func playing() async throws {
    let path = Clips.folder.appendingPathComponent("sync-\(UUID().uuidString).csv").path
    let film = try Clips.film.get()
    let ana = try MatineeProcess([film, "--sync-log", path])
    _ = try await ana.next("opened")
    _ = try await ana.state { $0.number("syncErrorMs") != nil }
    try ana.send("seek 20")
    _ = try await lines(of: path) { lines in
      lines.contains { $0[9] == "seek" } && lines.count { isMeasured($0) } >= 3
    }
    try ana.send("pause")
    let lines = try await lines(of: path) { lines in lines.contains { $0[9] == "pause" } }
    #expect(lines.first?.first == "time")
    #expect(
      lines.filter(isMeasured).allSatisfy {
        abs(Double($0[4])!) < 1000 && Double($0[6])! > 0.7
      })
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!text.contains("film") && !text.contains(NSUserName()))
    #expect(try await ana.quit() == 0)
  }

  private func isMeasured(_ line: [Substring]) -> Bool { line[0] != "time" && !line[4].isEmpty }

  /// The log's complete lines, each of ten fields, as soon as they are as wanted.
  private func lines(
    of path: String, until isAsWanted: ([[Substring]]) -> Bool
  ) async throws -> [[Substring]] {
    var text = ""
    return try await MatineeProcess.find("The log has \(text)") {
      text = try String(contentsOfFile: path, encoding: .utf8)
      let complete = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let lines = complete.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
      return lines.allSatisfy { $0.count == 10 } && isAsWanted(lines) ? lines : nil
    }
  }
}
