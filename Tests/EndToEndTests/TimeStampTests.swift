import Testing

/// Two real players and a recording whose time stamps jump.
@Suite("Jumps in time stamps, end to end", .serialized)
struct TimeStampTests {
  private static func inStep(_ state: MatineeProcess.Event) -> Bool {
    state.string("status") == "playing" && state.flag("playerPaused") == false
      && abs(state.number("syncErrorMs") ?? .infinity) < 30
  }

  /// The jump takes an hour if a player waits for it.
  @Test(
    "All continue beyond a jump at once and in step, after playing and after a seek into it",
    arguments: [17, 1000])
  func jump(from position: Int) async throws {
    let film = try Clips.jumping.get()
    let (ana, invite) = try await MatineeProcess.host(film: film)
    let ben = try await MatineeProcess.join(invite, name: "Ben", film: film)
    try ana.send("seek \(position)")
    try ana.send("play")
    for one in [ana, ben] {
      _ = try await one.state { $0.number("playerPosition") ?? 0 > 3601 && Self.inStep($0) }
      let state = try await one.currentState()
      #expect(state.number("groupPosition") ?? 0 > 3600)
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }
}
