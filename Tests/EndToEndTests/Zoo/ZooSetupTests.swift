import Foundation
import ProcessTesting
import Testing

/// One of two participants has an mpv that does things of its own. Only what the person does acts on the other.
@Suite("A zoo of set-ups, end to end", .serialized)
struct ZooSetupTests {
  private static let briefly: Set<String> = [
    "end=12", "a script that appends the folder's next files",
    "a controller that seeks when its key is pressed",
  ]

  @Test(
    "A person's configuration, scripts and programs",
    arguments: ZooSelection.of(ZooSetup.all, \.name, briefly: briefly))
  func setup(_ setup: ZooSetup) async throws {
    let folder = try setup.install()
    defer { try? FileManager.default.removeItem(at: folder) }
    var figures = ZooFigures(setup.name)
    defer { figures.write() }
    let party = try await ZooParty(
      setup.film.made(), copy: ZooSetup.copy(in: folder), configuration: folder)
    if let message = setup.message {
      try await act(message, setup.command, party, folder)
      figures.add("the message: \(setup.command ?? "nothing") for all")
    }
    if setup.command == nil { try await watch(setup, party, &figures) }
    // Whoever comes to the end first ends the film for the group.
    let published = party.ana.history(of: "command").map(\.event)
      .filter { $0.string("by") != "Ana" && $0.string("command") != "ended" }
    figures.add("commands of the set-up", [Double(published.count)])
    #expect(published.compactMap { $0.string("command") } == [setup.command].compactMap(\.self))
    #expect(party.ana.history(of: "activity").allSatisfy { $0.event.string("by") != "Ben" })
    #expect(party.ana.history(of: "suspension").isEmpty)
    try await party.quit()
    figures.add("complete")
  }

  /// Ana plays, seeks and pauses as she likes, to the end of the film.
  private func watch(
    _ setup: ZooSetup, _ party: ZooParty, _ figures: inout ZooFigures
  ) async throws {
    let (ana, ben) = (party.ana, party.ben)
    // Whoever is separated, follows nobody.
    let who = {
      !setup.mayPart || ben.history(of: "suspension").isEmpty ? [ana, ben] : [ana]
    }
    try ana.send("play")
    for target in [nil, 7.0] {
      if let target { try ana.send("seek \(target)") }
      for one in party.everybody {
        _ = try await one.state {
          if one === ben, setup.mayPart, !ben.history(of: "suspension").isEmpty { return true }
          return ZooParty.isInStep($0) && $0.number("playerPosition") ?? 0 >= target ?? 0
        }
      }
      let reading = try await party.read(who())
      figures.add(target == nil ? "start" : "after a seek", reading)
      #expect(reading.isTogether(at: 1), "\(reading)")
    }
    try ana.send("pause")
    for one in who() { _ = try await one.state { $0.flag("playerPaused") == true } }
    try ana.send("seek 15.4")
    for one in who() {
      _ = try await one.state {
        $0.flag("playerPaused") == true && abs(($0.number("playerPosition") ?? 0) - 15.4) < 0.05
      }
    }
    try ana.send("seek \(setup.film.length - 2)")
    try ana.send("play")
    for one in who() { _ = try await one.next("end-of-film") }
    // Nobody has gone on to something else.
    try ana.send("pause")
    try ana.send("seek 3")
    for one in who() {
      _ = try await one.state {
        $0.flag("playerPaused") == true && abs(($0.number("playerPosition") ?? 0) - 3) < 0.05
      }
    }
    #expect(who().map { $0.history(of: "end-of-film").count }.allSatisfy { $0 == 1 })
  }

  /// A message to mpv's control socket while both play.
  private func act(
    _ message: String, _ command: String?, _ party: ZooParty, _ folder: URL
  ) async throws {
    try await party.play()
    let socket = try UnixSocket(path: folder.appending(path: "socket").path)
    #expect(socket.write(message + "\n"))
    guard let command else { return }
    _ = try await party.ana.next("command") {
      $0.string("command") == command && $0.string("by") == "Ben"
    }
    for one in party.everybody {
      _ = try await one.state { state in
        command == "pause"
          ? state.flag("playerPaused") == true && ZooParty.isWhereGroupIs(state)
          : ZooParty.isInStep(state) && state.number("playerPosition") ?? 0 > 4
      }
    }
  }
}
