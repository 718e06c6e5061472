import Foundation
import Testing

/// Real players on a live stream. Ben gets it from another server than Ana, with time stamps that
/// are a thousand seconds later: only the dates show that it is the same stream.
@Suite("Live streams, end to end", .serialized)
struct LiveTests {
  private func watch(
    shift: Int
  ) async throws -> (ana: MatineeProcess, ben: MatineeProcess, servers: [LiveServer]) {
    let clips = [try Clips.live(shiftedBy: 0), try Clips.live(shiftedBy: shift)]
    let began = Date()
    let servers = try clips.map { try LiveServer($0, began: began) }
    let (ana, invite) = try await MatineeProcess.host(film: servers[0].url)
    try ana.send("play")
    let start = try await ana.state { Self.isPlaying($0) }.number("playerPosition")!
    _ = try await ana.state { $0.number("playerPosition")! > start + 3 }
    let ben = try MatineeProcess(
      ["join", invite, "--name", "Ben"],
      environment: ["http_proxy": "http://127.0.0.1:\(servers[1].port)"])
    try await ben.agree()
    _ = try await ben.next("opened")
    return (ana, ben, servers)
  }

  private static func isPlaying(_ state: MatineeProcess.Event) -> Bool {
    state.string("status") == "playing" && state.flag("playerPaused") == false
      && (state.fields["suspensions"] as? [String]) == []
  }

  /// Waits until both play within 30 ms of one date.
  private func inStep(_ ana: MatineeProcess, _ ben: MatineeProcess, shift: Int) async throws {
    _ = try await ben.state {
      Self.isPlaying($0) && abs($0.number("syncErrorMs") ?? .infinity) < 20
    }
    var distances: [Double] = []
    try await MatineeProcess.wait("never in step: \(distances.suffix(5))") {
      let (a, b) = (try await ana.currentState(), try await ben.currentState())
      guard Self.isPlaying(a), Self.isPlaying(b) else { return false }
      let moved = b.number("groupTime")! - a.number("groupTime")!
      let distance =
        b.number("playerPosition")! - a.number("playerPosition")! - moved - Double(shift)
      distances.append(distance)
      return abs(distance) < 0.03
    }
  }

  private func standTogether(
    _ ana: MatineeProcess, _ ben: MatineeProcess, shift: Double
  ) async throws {
    var states: [MatineeProcess.Event] = []
    try await MatineeProcess.wait("they are apart: \(states)") {
      states = [try await ana.currentState(), try await ben.currentState()]
      let positions = states.compactMap { $0.number("playerPosition") }
      return positions.count == 2 && states.allSatisfy { $0.flag("playerPaused") == true }
        && abs(positions[1] - positions[0] - shift) < 0.05
    }
  }

  @Test("A participant that watches a stream by another server is in step by the dates")
  func dated() async throws {
    let (ana, ben, servers) = try await watch(shift: 1000)
    try await inStep(ana, ben, shift: 1000)

    try ben.send("pause")
    // The originator's frame, to which the players go after they have paused.
    try await standTogether(ana, ben, shift: 1000)
    try ana.send("play")
    try await inStep(ana, ben, shift: 1000)
    try ana.send("seek -4")
    _ = try await ben.next("command") { $0.string("command") == "seek" }
    try await inStep(ana, ben, shift: 1000)
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
    withExtendedLifetime(servers) {}
  }
}
