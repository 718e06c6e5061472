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

  @Test(
    "A participant with outputs 200 ms late is 200 ms ahead, and in step", .timeLimit(.minutes(2)))
  func ahead() async throws {
    let (ana, invite) = try await MatineeProcess.host()
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
