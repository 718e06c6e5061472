import BrokerTesting
import Foundation
import GroupActivities
import Testing

/// Parties that outlive their host's program, with real relays.
@Suite("Standby relays, end to end", .serialized)
struct StandbyTests {
  private let film: String

  init() throws { film = try Clips.film.get() }

  /// Returns a party of Ana, Ben and Chi whose relays are verified, and known to all, with the newest invite.
  private func gather() async throws -> (
    host: MatineeProcess, guests: [MatineeProcess], invite: String
  ) {
    let host = try MatineeProcess(["host", "--listen", "127.0.0.1:0", "--name", "Ana", film])
    let first = try #require(try await host.next("hosting").string("invite"))
    var guests: [MatineeProcess] = []
    for name in ["Ben", "Chi"] { guests.append(try await MatineeProcess.join(first, name: name)) }
    let invite = try await host.next("invite") {
      $0.string("invite")?.split(separator: ",").count == 3
    }
    // The owners of relays tell those whom they have met, before they say anything else.
    for one in [host] + guests { _ = try await one.state { $0.roster.count == 3 } }
    try await chat([host] + guests, lines: 1)
    return (host, guests, try #require(invite.string("invite")))
  }

  /// Waits until the participants play, and returns the positions of their players.
  private func play(_ processes: [MatineeProcess]) async throws {
    try processes[0].send("play")
    for one in processes { _ = try await one.state { $0.flag("playerPaused") == false } }
  }

  private func chat(_ processes: [MatineeProcess], lines: Int = 5) async throws {
    let mark = UUID().uuidString.prefix(8)
    for (number, one) in processes.enumerated() {
      for line in 0..<lines { try one.send("chat \(mark) \(number) \(line)") }
    }
    for (reader, one) in processes.enumerated() {
      for (writer, _) in processes.enumerated() where writer != reader {
        let last = "\(mark) \(writer) \(lines - 1)"
        if one.history(of: "chat").contains(where: { $0.event.string("text") == last }) { continue }
        _ = try await one.next("chat") { $0.string("text") == last }
      }
      let heard = one.history(of: "chat").compactMap { $0.event.string("text") }
        .filter { $0.hasPrefix(mark) && !$0.hasPrefix("\(mark) \(reader) ") }
      #expect(heard.count == lines * (processes.count - 1), "each line once")
      #expect(Set(heard).count == heard.count)
    }
  }

  @Test(
    "When the host's program crashes, the others continue at the next relay, and a newcomer joins with the old invite"
  )
  func crash() async throws {
    let (ana, guests, invite) = try await gather()
    try await play([ana] + guests)
    let start = ContinuousClock.now
    ana.kill9()
    for one in guests {
      _ = try await one.state { _ in !one.history(of: "connected", since: start).isEmpty }
    }
    try await chat(guests)
    try guests[1].send("seek 60")
    for one in guests {
      _ = try await one.next("command") { $0.string("command") == "seek" }
      _ = try await one.state {
        $0.string("status") == "playing" && $0.number("playerPosition") ?? 0 >= 60
      }
    }
    let dov = try await MatineeProcess.join(invite, name: "Dov")
    _ = try await dov.state { $0.flag("playerPaused") == false && $0.roster.count >= 3 }
    try await chat(guests + [dov], lines: 2)
    for one in guests + [dov] { #expect(try await one.quit() == 0) }
  }

  @Test("A host that quits hands over its role and relay, and no guest loses its connection")
  func quits() async throws {
    let (ana, guests, _) = try await gather()
    try await play([ana] + guests)
    try ana.send("chat before")
    #expect(try await ana.quit() == 0)
    for one in guests {
      _ = try await one.next("chat") { $0.string("text") == "before" }
      _ = try await one.next("participant-left") {
        $0.string("name") == "Ana" && $0.flag("announced") == true
      }
      _ = try await one.state { $0.string("status") == "playing" && $0.roster.count == 2 }
      #expect(one.history(of: "party-closed").isEmpty)
      #expect(one.history(of: "disconnected").isEmpty)
      #expect(
        one.history(of: "rules").contains {
          ($0.event.fields["changes"] as? [String] ?? []).contains { $0.contains("the host") }
        })
    }
    try await chat(guests)
    for one in guests { #expect(try await one.quit() == 0) }
  }

  @Test(
    "A host that quits and nobody takes over from leaves a relay behind, to which it can return, and which ends with the last participant"
  )
  func keptRelay() async throws {
    let state = [
      "XDG_STATE_HOME": Clips.folder.appendingPathComponent("kept-\(UUID().uuidString)").path
    ]
    let ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--name", "Ana", film], environment: state)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    var guests: [MatineeProcess] = []
    for name in ["Ben", "Chi"] {
      guests.append(try await MatineeProcess.join(invite, name: name, ["--no-standby"]))
    }
    try await play([ana] + guests)
    let start = ContinuousClock.now
    try ana.send("keep-relay")
    #expect(try await ana.exitCode() == 0)
    for one in guests {
      _ = try await one.state { state in
        !one.history(of: "connected", since: start).isEmpty && state.string("status") == "playing"
          && state.roster.contains { $0["host"] as? Bool == true }
      }
      #expect(one.history(of: "party-closed").isEmpty)
    }
    try await chat(guests, lines: 5)
    // Without a name: it has that of its last stay.
    let again = try MatineeProcess([film], environment: state)
    _ = try await again.next("opened")
    try again.send("rejoin")
    _ = try await again.next("joined")
    for one in guests {
      _ = try await one.state { $0.roster.contains { $0["name"] as? String == "Ana" } }
    }
    try await chat(guests + [again], lines: 2)
    for one in guests + [again] { #expect(try await one.quit() == 0) }
    try await expectEnd(ofRelayAt: try #require(try Invite(invite).addresses.first).port)
  }

  /// Waits until nothing listens on a port of this machine.
  private func expectEnd(ofRelayAt port: Int) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while (try? PlainSocket(port: port)) != nil {
      try #require(ContinuousClock.now < end, "the relay ends")
      try await Task.sleep(for: .milliseconds(200))
    }
  }
}
