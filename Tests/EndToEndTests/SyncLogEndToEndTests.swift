import Foundation
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
    _ = try await ana.state { $0.number("playerPosition") ?? 0 > 22 }
    try ana.send("pause")
    _ = try await ana.state { $0.flag("playerPaused") == true }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(lines.allSatisfy { $0.count == 10 })
    #expect(lines.first?.first == "time")
    let measured = lines.dropFirst().filter { !$0[4].isEmpty }
    #expect(measured.count >= 3)
    #expect(measured.allSatisfy { abs(Double($0[4])!) < 1000 && Double($0[6])! > 0.7 })
    #expect(lines.contains { $0[9] == "seek" } && lines.contains { $0[9] == "pause" })
    #expect(!text.contains("film") && !text.contains(NSUserName()))
    #expect(try await ana.quit() == 0)
  }

  @Test("A log that can't be written is reported before anything begins")
  func impossible() async throws {
    let ana = try MatineeProcess(["--sync-log", "/nowhere/at/all.csv"])
    #expect(try await ana.exitCode() == 64)
  }
}
