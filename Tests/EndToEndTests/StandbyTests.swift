import BrokerTesting
import Foundation
import Testing

@testable import GroupActivities
@testable import HostileTesting

/// Parties that outlive their host's program, with real relays.
@Suite("Standby relays, end to end", .serialized)
struct StandbyTests {
  private let party: PartyTests

  init() throws { party = try PartyTests() }

  /// Returns a party of Ana, Ben and Chi whose relays are verified, and known to all, with the newest invite.
  ///
  /// - Parameter servers: the number of guests that offer a relay, the first ones.
  private func gather(servers: Int = 2) async throws -> (
    host: MatineeProcess, guests: [MatineeProcess], invite: String
  ) {
    let host = try MatineeProcess(["host", "--listen", "127.0.0.1:0", "--name", "Ana", party.film])
    let first = try #require(try await host.next("hosting").string("invite"))
    var guests: [MatineeProcess] = []
    for (number, name) in ["Ben", "Chi"].enumerated() {
      guests.append(
        try await party.join(first, name: name, number < servers ? [] : ["--no-standby"]))
    }
    let invite = try await host.next("invite") {
      $0.string("invite")?.split(separator: ",").count == 1 + servers
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
    let dov = try await party.join(invite, name: "Dov")
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
    "A newcomer whose invite leads only to a relay that isn't in use gets in, and moves to the one in use"
  )
  func bridge() async throws {
    let (ana, guests, text) = try await gather()
    let invite = try Invite(text)
    let last = try #require(invite.addresses.last)
    let dov = try await party.join(invite.at([last]).text, name: "Dov")
    _ = try await dov.state { $0.roster.count == 4 }
    let first = try #require(invite.addresses.first)
    _ = try await dov.state { _ in
      dov.history(of: "connected").last?.event.string("relay") == first.text
    }
    try await chat([ana, dov] + guests, lines: 2)
    #expect(dov.history(of: "disconnected").isEmpty)
    for one in guests + [dov, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A vanished guest's relay that passes nothing on doesn't keep the others apart")
  func deafRelay() async throws {
    let (ana, guests, invite) = try await gather()
    let deaf = try DeafRelay()
    let mallory = try await HostileGuest.connected(invite)
    var beacon = HostileGuest.beacon("Mallory", joinedAt: Int64.min / 2)
    beacon.standby = StandbyReport(addresses: [deaf.address], reach: .everybody)
    try mallory.introduce(as: beacon)
    // A member that is busy may miss the first one.
    mallory.stay(saying: beacon)
    for one in guests + [ana] {
      _ = try await one.next("participant-joined") { $0.string("name") == "Mallory" }
    }
    let end = ContinuousClock.now + MatineeProcess.deadline
    while deaf.visits < 3, .now < end { try await Task.sleep(for: .milliseconds(20)) }
    // One that is slow may have tried twice, so not all need to have reached it; only these go there.
    #expect(deaf.visits >= 3)
    await mallory.leave()
    let start = ContinuousClock.now
    ana.kill9()
    try await chat(guests, lines: 2)
    for one in guests {
      _ = try await one.state { _ in
        let relay = one.history(of: "connected", since: start).last?.event.string("relay")
        return relay != nil && relay != deaf.address.text
      }
    }
    #expect(
      guests.contains {
        $0.history(of: "connected", since: start).contains {
          $0.event.string("relay") == deaf.address.text
        }
      })
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
      ["host", "--listen", "127.0.0.1:0", "--name", "Ana", party.film], environment: state)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    var guests: [MatineeProcess] = []
    for name in ["Ben", "Chi"] {
      guests.append(try await party.join(invite, name: name, ["--no-standby"]))
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
    let again = try MatineeProcess([party.film], environment: state)
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

  @Test("A guest with the last relay of the party can leave it behind, too")
  func keptGuestRelay() async throws {
    let (ana, guests, invite) = try await gather(servers: 1)
    let (ben, chi) = (guests[0], guests[1])
    try await play([ana] + guests)
    let start = ContinuousClock.now
    ana.kill9()
    for one in guests {
      _ = try await one.state { _ in !one.history(of: "connected", since: start).isEmpty }
    }
    let relay = try #require(
      chi.history(of: "connected", since: start).last?.event.string("relay"))
    try await chat(guests, lines: 2)
    let leaving = ContinuousClock.now
    try ben.send("keep-relay")
    #expect(try await ben.exitCode() == 0)
    _ = try await chi.state { state in
      chi.history(of: "connected", since: leaving).last?.event.string("relay") == relay
        && state.string("status") == "playing"
    }
    #expect(chi.history(of: "party-closed").isEmpty)
    let dee = try await party.join(invite, name: "Dee", ["--no-standby"])
    try await chat([chi, dee], lines: 2)
    for one in [chi, dee] { #expect(try await one.quit() == 0) }
    try await expectEnd(ofRelayAt: try #require(Invite.Address(relay)).port)
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
