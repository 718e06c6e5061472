import Foundation
import ProcessTesting
import Testing

/// The end of a party for the participants who stay.
@Suite("Closing a party, end to end", .serialized)
struct ClosingTests {
  private let party: PartyTests

  init() throws { party = try PartyTests() }

  @Test(
    "A host that quits closes the party with a message, and the guests' film continues without a reconnect"
  )
  func hostQuits() async throws {
    let (ana, invite) = try await party.host()
    let ben = try await party.join(invite, name: "Ben", ["--no-standby"])
    try ana.send("play")
    _ = try await ben.state { $0.flag("playerPaused") == false }
    #expect(try await ana.quit() == 0)
    #expect(try await ben.next("party-closed").string("by") == "Ana")
    _ = try await ben.next("left")
    let state = try await ben.state { $0.fields["party"] is NSNull }
    #expect(state.string("closedBy") == "Ana" && state.string("status") == "playing")
    #expect(ben.history(of: "disconnected").isEmpty, "nothing tries to reconnect")
    // Opening another film clears the notice.
    try ben.send("load \(try Clips.otherFilm.get())")
    _ = try await ben.state { $0.fields["closedBy"] is NSNull }
    #expect(try await ben.quit() == 0)
  }

  @Test("SIGTERM closes a host's party with a message; a crash is a lost connection")
  func hostEnds() async throws {
    for crashes in [false, true] {
      let (ana, invite) = try await party.host()
      let ben = try await party.join(invite, name: "Ben", ["--no-standby"])
      if crashes {
        ana.kill9()
        _ = try await ben.next("disconnected")
        #expect(ben.history(of: "party-closed").isEmpty)
        #expect(try await ben.currentState().fields["closedBy"] is NSNull)
      } else {
        ana.terminate()
        #expect(try await ben.next("party-closed").string("by") == "Ana")
        _ = try await ben.state { $0.string("closedBy") == "Ana" }
        // The user has read the message.
        try ben.send("leave")
        _ = try await ben.state { $0.fields["closedBy"] is NSNull }
      }
      #expect(try await ben.quit() == 0)
    }
  }

  @Test("A guest that quits, or a host with a separate relay, doesn't close the party")
  func nobodyClosed() async throws {
    let relay = try RelayProcess(port: 0)
    let port = try await relay.port()
    let (ana, invite) = try await party.host(["--relay", "nats://127.0.0.1:\(port)"])
    let ben = try await party.join(invite, name: "Ben", ["--no-standby"])
    let chi = try await party.join(invite, name: "Chi")
    #expect(try await chi.quit() == 0)
    #expect(try await ana.quit() == 0)
    _ = try await ben.next("participant-left") { $0.string("name") == "Ana" }
    #expect(ben.history(of: "party-closed").isEmpty)
    #expect(try await ben.currentState().flag("connected") == true)
    #expect(try await ben.quit() == 0)
    relay.kill9()
  }

  @Test(
    "Ending the party pauses the film and ends the party for all participants, whichever relay it uses"
  )
  func endParty() async throws {
    let relay = try RelayProcess(port: 0)
    let port = try await relay.port()
    let (ana, invite) = try await party.host(["--relay", "nats://127.0.0.1:\(port)"])
    let ben = try await party.join(invite, name: "Ben", ["--no-standby"])
    try ana.send("play")
    _ = try await ben.state { $0.flag("playerPaused") == false }
    try ben.send("end-party")
    _ = try await ben.next("error") { $0.string("command") == "end-party" }
    try ana.send("end-party")
    #expect(try await ana.next("left").flag("closed") == true)
    #expect(try await ben.next("party-closed").string("by") == "Ana")
    _ = try await ben.state { $0.flag("playerPaused") == true && $0.fields["party"] is NSNull }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
    relay.kill9()
  }

  @Test("Guests return to a closed party once its host has opened it again")
  func reopening() async throws {
    func state() -> [String: String] {
      ["XDG_STATE_HOME": Clips.folder.appendingPathComponent("closing-\(UUID().uuidString)").path]
    }
    let (anas, bens) = (state(), state())
    let arguments = ["--name", "Ana", party.film]
    let ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0"] + arguments, environment: anas)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    let ben = try MatineeProcess(
      ["join", invite, "--name", "Ben", "--no-standby", party.film], environment: bens)
    _ = try await ben.next("joined")
    _ = try await ben.next("opened")
    _ = try await ben.next("participant-joined") { $0.flag("wasHere") == true }
    #expect(
      ana.history(of: "participant-joined").allSatisfy { $0.event.flag("wasHere") == false })
    #expect(try await ana.quit() == 0)
    _ = try await ben.next("party-closed")
    let again = try MatineeProcess(arguments, environment: anas)
    try again.send("rejoin")
    _ = try await again.next("joined")
    try ben.send("rejoin")
    _ = try await ben.next("joined")
    #expect(try await ben.currentState().fields["closedBy"] is NSNull)
    for one in [ben, again] { #expect(try await one.quit() == 0) }
  }

  /// Runs Ana's screen, with Ben in her party.
  private func onScreen(_ body: (Screen, MatineeProcess) async throws -> Void) async throws {
    try await Screen.run { screen, folder in
      let file = folder.appendingPathComponent("invite").path
      let words = [
        "env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "LC_ALL=C.UTF-8", "TERM=tmux-256color",
        "XDG_STATE_HOME=\(folder.path)/state", "XDG_CONFIG_HOME=\(folder.path)/config",
        try MatineeProcess.executable.path, "host", "--listen", "127.0.0.1:0", "--name", "Ana",
        "--invite-file", file, "--no-config", "--video", "none", "--mpv", "ao=null", party.film,
      ]
      try screen.command([
        "-f", "/dev/null", "-u", "new-session", "-d", "-x", "100", "-y", "30",
        words.map { "'\($0)'" }.joined(separator: " ") + "; echo ended $?; exec sleep 60",
      ])
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

  @Test("The screen asks a host before it quits, and a second q is no answer")
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
      #expect(ben.history(of: "party-closed").isEmpty)
      try screen.type("q")
      _ = try await screen.row(containing: "close the party for 1 other?")
      try screen.type("y")
      _ = try await screen.row(containing: "ended 0")
    }
  }

  @Test(
    "E in the host's screen asks, and then ends the party for all participants, not only the film")
  func endKey() async throws {
    try await onScreen { screen, ben in
      try screen.type("E")
      _ = try await screen.row(containing: "End the party for everyone?")
      #expect(ben.history(of: "party-closed").isEmpty && ben.history(of: "ended").isEmpty)
      try screen.type("y")
      _ = try await ben.state { $0.fields["party"] is NSNull && $0.flag("playerPaused") == true }
      #expect(ben.history(of: "ended").isEmpty)
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
