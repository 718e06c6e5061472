import Foundation
import Testing

/// The end of a party for the participants who stay.
@Suite("Closing a party, end to end", .serialized)
struct ClosingTests {
  private let party: PartyTests

  init() throws { party = try PartyTests() }

  /// The ways in which a host's program ends.
  enum End: CaseIterable { case quit, terminate, crash }

  @Test(
    "A host that quits or gets SIGTERM closes the party with a message, and the guests' film continues without a reconnect; a crash is a lost connection",
    arguments: End.allCases)
  func hostEnds(how: End) async throws {
    let (ana, invite) = try await party.host()
    let ben = try await party.join(invite, name: "Ben", ["--no-standby"])
    try ana.send("play")
    _ = try await ben.state { $0.flag("playerPaused") == false }
    switch how {
    case .quit: #expect(try await ana.quit() == 0)
    case .terminate: ana.terminate()
    case .crash:
      ana.kill9()
      _ = try await ben.next("disconnected")
      #expect(ben.history(of: "party-closed").isEmpty)
      #expect(try await ben.currentState().fields["closedBy"] is NSNull)
      #expect(try await ben.quit() == 0)
      return
    }
    #expect(try await ben.next("party-closed").string("by") == "Ana")
    _ = try await ben.next("left")
    let state = try await ben.state { $0.fields["party"] is NSNull }
    #expect(state.string("closedBy") == "Ana" && state.string("status") == "playing")
    #expect(ben.history(of: "disconnected").isEmpty, "nothing tries to reconnect")
    // The user has read the message, or opens another film.
    try ben.send(how == .quit ? "load \(try Clips.otherFilm.get())" : "leave")
    _ = try await ben.state { $0.fields["closedBy"] is NSNull }
    #expect(try await ben.quit() == 0)
  }

  /// Runs Ana's screen, with Ben in her party.
  private func onScreen(_ body: (Screen, MatineeProcess) async throws -> Void) async throws {
    try await Screen.run { screen, folder in
      let file = folder.appendingPathComponent("invite").path
      try screen.open(
        [
          "host", "--listen", "127.0.0.1:0", "--name", "Ana", "--invite-file", file, "--video",
          "none", party.film,
        ], in: folder)
      _ = try await screen.row(containing: "matinee://")
      let invite = try String(contentsOfFile: file, encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      let ben = try await party.join(invite, name: "Ben", ["--no-standby"])
      _ = try await screen.row(containing: "Ben joined")
      try await body(screen, ben)
      #expect(try await ben.next("party-closed").string("by") == "Ana")
      #expect(try await ben.quit() == 0)
    }
  }

  @Test(
    "The screen asks a host before it quits, and a second q is no answer; E asks, and then ends the party for all participants, not only the film"
  )
  func question() async throws {
    try await onScreen { screen, ben in
      try screen.type("qq")
      _ = try await screen.row(containing: "Quit and close the party for 1 other?")
      try screen.type("q")
      try screen.type("s")
      // Else the next question is taken for there while it is still this one.
      try await screen.wait(untilGone: "close the party for 1 other?")
      try ben.send("chat still here")
      _ = try await screen.row(containing: "still here")
      try screen.type("E")
      _ = try await screen.row(containing: "End the party for everyone?")
      #expect(ben.history(of: "party-closed").isEmpty && ben.history(of: "ended").isEmpty)
      try screen.type("y")
      _ = try await ben.state { $0.fields["party"] is NSNull && $0.flag("playerPaused") == true }
      #expect(ben.history(of: "ended").isEmpty)
      try screen.type("q")
      _ = try await screen.row(containing: "ended 0")
    }
  }

  @Test("Ctrl-C twice skips the question, and the guests still read who closed the party")
  func interrupt() async throws {
    try await onScreen { screen, _ in
      try screen.command(["send-keys", "C-c"])
      _ = try await screen.row(containing: "close the party for 1 other?")
      try screen.command(["send-keys", "C-c"])
      _ = try await screen.row(containing: "ended ")
    }
  }
}
