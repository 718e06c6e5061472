import Foundation
import Testing

/// Two real players on one address, one of which gets no data for a while.
@Suite("A network that stalls, end to end", .serialized)
struct StallTests {
  let server: FilmServer

  init() throws {
    server = try FilmServer(Clips.stream.get())
  }

  /// mpv tries for eleven seconds to reach a server again; this option turns that off.
  private static let noPatience = ["--mpv", "stream-lavf-o=reconnect=0"]

  /// Begins a party of Ana and Ben, who gets only so many seconds of the film.
  private func watch(
    limit: Int, _ more: [String] = []
  ) async throws -> (ana: MatineeProcess, ben: MatineeProcess) {
    server.limit("Ben", to: limit)
    let (ana, invite) = try await MatineeProcess.host(
      ["--mpv", "user-agent=Ana"], film: server.url)
    let ben = try MatineeProcess(
      ["join", invite, "--name", "Ben", "--mpv", "user-agent=Ben"] + more)
    try await ben.agree()
    _ = try await ben.next("opened")
    return (ana, ben)
  }

  private func stalls(_ ben: MatineeProcess) async throws {
    _ = try await ben.next("suspension") {
      ($0.fields["reasons"] as? [String]) == ["stallRecovery"]
    }
  }

  private func recovers(_ ben: MatineeProcess) async throws -> MatineeProcess.Event {
    _ = try await ben.next("suspension") { ($0.fields["reasons"] as? [String]) == [] }
    return try await ben.state(where: \.isInStep)
  }

  @Test(
    "A participant without data is apart while the others continue, and returns into step on its own"
  )
  func stall() async throws {
    let (ana, ben) = try await watch(limit: 5)
    try ana.send("play")
    for one in [ana, ben] { _ = try await one.state(where: \.isInStep) }
    try await stalls(ben)
    // A connection that breaks is a stall like any other.
    server.hangUp(on: "Ben")
    let stalledAt = try await ana.state {
      $0.roster.contains { ($0["suspensions"] as? [String]) == ["stallRecovery"] }
    }.number("playerPosition")!
    // Three seconds of the film, in which the others don't stall.
    _ = try await ana.state {
      #expect($0.string("status") == "playing" && $0.flag("playerPaused") == false)
      return $0.number("playerPosition") ?? 0 > stalledAt + 3 && $0.isInStep
    }
    // All participants see the loaded percentage of the data that he waits for.
    _ = try await ana.state {
      $0.roster.contains { ($0["loadedPercent"] as? Int).map { (0..<100).contains($0) } ?? false }
    }
    let waiting = try await ben.currentState()
    #expect(waiting.number("playerPosition")! < stalledAt + 1)
    #expect((waiting.fields["suspensions"] as? [String]) == ["stallRecovery"])

    server.limit("Ben", to: nil)
    #expect(try await recovers(ben).number("playerPosition")! > stalledAt + 3)
    _ = try await ana.state {
      $0.isInStep
        && $0.roster.allSatisfy {
          ($0["suspensions"] as? [String]) == [] && $0["loadedPercent"] is NSNull
        }
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }

  @Test("When nobody gets data, the film waits for all of them, and nothing of it is lost")
  func drought() async throws {
    server.limit("Ana", to: 5)
    let (ana, ben) = try await watch(limit: 5)
    try ana.send("play")
    for one in [ana, ben] { _ = try await one.state(where: \.isInStep) }
    var held: Double?
    for one in [ana, ben] {
      held = try await one.state {
        $0.string("status") == "waiting"
          && ($0.fields["waitingFor"] as? [String])?.sorted() == ["Ana", "Ben"]
      }.number("groupPosition")
    }
    // The warning takes a while.
    for one in [ana, ben] {
      _ = try await one.next("warning") {
        $0.string("message")?.contains("The film waits for you") == true
      }
      #expect(try await one.currentState().number("groupPosition") == held)
    }
    let clock = ContinuousClock()
    let begun = clock.now
    for name in ["Ana", "Ben"] { server.limit(name, to: nil) }
    for one in [ana, ben] {
      let state = try await one.state(where: \.isInStep)
      let passed = (clock.now - begun) / .seconds(1)
      #expect(state.number("groupPosition")! <= held! + passed)
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }

  @Test(
    "A server that fails for one participant stops no other, and that one is back when the server is"
  )
  func lostServer() async throws {
    let (ana, ben) = try await watch(limit: 5, Self.noPatience)
    try ana.send("play")
    for one in [ana, ben] { _ = try await one.state(where: \.isInStep) }
    server.refuse("Ben")
    server.limit("Ben", to: nil)
    try ana.send("seek 60")
    _ = try await ben.next("warning") {
      $0.string("message")?.contains("Lost the film's server") == true
    }
    for place in 61...65 {
      _ = try await ana.state {
        $0.number("playerPosition") ?? 0 > Double(place) && $0.isInStep
      }
    }
    #expect(
      (try await ben.currentState().fields["suspensions"] as? [String]) == ["stallRecovery"])
    server.refuse("Ben", false)
    #expect(try await recovers(ben).number("playerPosition")! > 65)
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }
}
