import Foundation
import Testing

@Suite("Late outputs, end to end", .serialized)
struct LatencyOffsetEndToEndTests {
  private let film: String
  private let state = Clips.folder.appendingPathComponent("state-\(UUID().uuidString)").path

  init() throws { film = try Clips.film.get() }

  private func start(_ arguments: [String]) throws -> MatineeProcess {
    try MatineeProcess(arguments, environment: ["XDG_STATE_HOME": state])
  }

  /// Returns the remembered text, once it contains `text`: the device is known only a moment after
  /// the film.
  private func remembered(with text: String) async throws -> String {
    var found = ""
    let start = ContinuousClock.now
    while ContinuousClock.now - start < MatineeProcess.deadline {
      found =
        (try? String(contentsOfFile: state + "/matinee/latency-offsets.json", encoding: .utf8))
        ?? ""
      if found.contains(text) { return found }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw MatineeProcess.Missing(description: "\(text) was never remembered, but: \(found)")
  }

  @Test("An offset is known in the next run, for the same device")
  func remembered() async throws {
    let first = try start([film, "--latency-offset", "180"])
    _ = try await first.next("opened")
    #expect(try await first.currentState().number("latencyOffsetMs") == 180)
    _ = try await remembered(with: "180")
    #expect(try await first.quit() == 0)

    let second = try start([film])
    let told = try await second.next("latency-offset")
    #expect(told.number("ms") == 180 && told.string("device") == "auto/null")
    _ = try await second.state { $0.number("latencyOffsetMs") == 180 }
    try second.send("latency-offset 0.25s")
    #expect(try await second.next("latency-offset").number("ms") == 250)
    // Also if the program ends before a change by key has settled.
    #expect(try await second.quit() == 0)
    _ = try await remembered(with: "250")
  }

  @Test(
    "A participant with outputs 200 ms late is 200 ms ahead, and in step", .timeLimit(.minutes(2)))
  func ahead() async throws {
    let (ana, invite) = try await PartyTests().host()
    let ben = try start(["join", invite, "--name", "Ben", film, "--latency-offset", "200ms"])
    _ = try await ben.next("opened")
    try ana.send("play")
    let settled = try await ben.state {
      $0.flag("playerPaused") == false && abs($0.number("syncErrorMs") ?? .infinity) < 15
        && abs(($0.number("playerPosition") ?? 0) - ($0.number("position") ?? 0) - 0.2) < 0.03
    }
    #expect(settled.number("latencyOffsetMs") == 200)
    // A change takes effect while the film plays.
    try ben.send("latency-offset 0")
    _ = try await ben.state {
      $0.flag("playerPaused") == false && abs($0.number("syncErrorMs") ?? .infinity) < 15
        && abs(($0.number("playerPosition") ?? 0) - ($0.number("position") ?? 0)) < 0.03
    }
    try ben.send("latency-offset 200")
    _ = try await ben.state {
      $0.flag("playerPaused") == false
        && abs(($0.number("playerPosition") ?? 0) - ($0.number("position") ?? 0) - 0.2) < 0.03
    }
    try ana.send("pause")
    var places: Set<Double> = []
    for one in [ana, ben] {
      let state = try await one.state {
        $0.string("status") == "paused" && $0.flag("playerPaused") == true
          && $0.number("playerPosition") == $0.number("position")
      }
      places.insert(try #require(state.number("playerPosition")))
    }
    #expect(places.count == 1, "both stand on one frame: \(places)")
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }
}
