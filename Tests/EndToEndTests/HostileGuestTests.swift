import Foundation
import Synchronization
import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import HostileTesting
@testable import PlaybackCoordination

/// Messages of an admitted guest that no honest program sends, to programs that run.
@Suite("A hostile guest among running programs", .serialized)
struct HostileGuestTests {
  /// Numbers that one `Int64` or `Duration` can't hold, and others close to zero; the last one is sensible.
  static let rates: [Double] = [1e21, 1e30, 1e308, -1e30, .leastNonzeroMagnitude, 0]

  private let party: PartyTests

  init() throws { party = try PartyTests() }

  /// Returns a party of Ana, Ben, and Mallory, whom both know.
  private func gather() async throws -> (
    ana: MatineeProcess, ben: MatineeProcess, mallory: HostileGuest, invite: String
  ) {
    let (ana, invite) = try await party.host()
    let ben = try await party.join(invite, name: "Ben")
    let mallory = try await HostileGuest.joining(ana, invite)
    _ = try await ben.next("participant-joined") { $0.string("name") == "Mallory" }
    return (ana, ben, mallory, invite)
  }

  @Test("A state with extreme numbers doesn't end any program")
  func extremeState() async throws {
    let (ana, ben, mallory, _) = try await gather()
    let session = try await mallory.session()
    let item = try #require(try await mallory.report(of: mallory.party, in: session.id).item)
    for (index, rate) in Self.rates.enumerated() {
      let state = ItemState(
        item: item, stamp: mallory.stamp(), originator: mallory.identity.id, change: .play, rate: 1,
        phase: .playing(
          Timeline(
            itemTime: MediaTime(seconds: 3),
            groupTime: HostileGuest.groupTime + .milliseconds(200), previousRate: rate)))
      let report = CoordinationReport(
        session: session.id,
        data: try mallory.signedReport(state, in: session.id, revision: UInt64(index) + 1),
        version: UInt64(index) + 1)
      try mallory.say(.coordination(report))
    }
    // The sensible one shows that all of them were received.
    for program in [ana, ben] {
      let command = try await program.next("command")
      #expect(command.string("command") == "play" && command.string("by") == "Mallory")
      _ = try await program.state { $0.string("status") == "playing" }
    }
    await mallory.leave()
    #expect(try await ben.quit() == 0)
    #expect(try await ana.quit() == 0)
  }

  @Test("A program that restores its film beside a guest's doesn't sign the guest's as its own")
  func restoredList() async throws {
    let (ana, invite) = try await party.host()
    let mallory = try await HostileGuest.joining(ana, invite)
    var register = try await mallory.session()
    let anas = try JSONDecoder().decode(FilmActivity.self, from: register.activity)
    #expect(anas.isOwnFilm && !register.isRestated)
    // A list without Ana's film, which claims that its film is the author's own.
    let guests = PlaylistEntry(
      id: 1, identifier: "url:http://guest.example/x", title: "x",
      location: "http://guest.example/x")
    var dice = SystemRandomNumberGenerator()
    register.activity = try JSONEncoder().encode(
      FilmActivity(
        Playlist(guests, at: HostileGuest.groupTime, using: &dice), isOwnFilm: true))
    register.stamp = mallory.stamp()
    register.proof = mallory.proof(of: register.provenBytes)
    try mallory.say(.session(register))
    let restored = try await mallory.hear { heard in
      guard case .event(.session(let register))? = heard.message,
        heard.envelope.sender == mallory.party
      else { return nil as SessionRegister? }
      return register
    }
    let activity = try JSONDecoder().decode(FilmActivity.self, from: restored.activity)
    #expect(activity.identifier == guests.identifier && activity.playlist.entries.count == 2)
    #expect(restored.isRestated && !activity.isOwnFilm)
    await mallory.leave()
    #expect(try await ana.quit() == 0)
  }

  @Test("A host's invite names no relay that only guests claim to have reached")
  func claimedRelays() async throws {
    let tries = Mutex(0)
    let stranger = try HTTPListener(connectionsAt: "127.0.0.1") { _ in tries.withLock { $0 += 1 } }
    let (ana, invite) = try await party.host()
    let owner = try await HostileGuest.connected(invite)
    var offer = HostileGuest.beacon()
    offer.standby = StandbyReport(
      addresses: try (1...4).map { part in
        try #require(Invite.Address(host: "127.0.0.\(part)", port: Int(stranger.port)))
      }, reach: .everybody)
    let witness = try await HostileGuest.connected(invite)
    var claim = HostileGuest.beacon("Moriarty")
    claim.standby = StandbyReport(reached: [RosterComparison.hash(owner.identity.id)])
    for (guest, beacon) in [(owner, offer), (witness, claim)] {
      try guest.introduce(as: beacon)
      _ = try await ana.next("participant-joined") { $0.string("name") == beacon.name }
      try guest.say(.beacon(beacon))
      try guest.say(.chat(ChatText(text: "heard")))
      _ = try await ana.next("chat")
      guest.stay(saying: beacon)
    }
    let end = ContinuousClock.now + MatineeProcess.deadline
    while tries.withLock({ $0 }) == 0, .now < end { try await Task.sleep(for: .milliseconds(20)) }
    #expect(tries.withLock { $0 } > 0, "Ana knows of the offer")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", try Clips.film.get()])
    let shown = try await ana.next("invite") {
      $0.string("invite")?.split(separator: ",").count ?? 0 >= 2
    }
    #expect(shown.string("invite")?.contains(":\(stranger.port)") == false)
    #expect(shown.string("invite")?.split(separator: ",").count == 2, "Ana's relay and Ben's")
    for guest in [owner, witness] { await guest.leave() }
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
    withExtendedLifetime(stranger) {}
  }

  @Test("A newcomer is asked about an address that a guest set before anything is fetched")
  func addresses() async throws {
    let asked = Mutex<[String]>([])
    let server = try HTTPListener { request in
      asked.withLock { $0.append(request.target) }
      request.send(Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    let (ana, invite) = try await party.host()
    let mallory = try await Guest(invite, name: "Mallory")
    try await mallory.propose("http://127.0.0.1:\(server.port)/reboot.cgi?now=1")
    #expect(try await ana.next("confirm").string("host") == "127.0.0.1")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    let question = try await ben.next("confirm")
    #expect(question.string("origin") == "http://127.0.0.1:\(server.port)")
    #expect(question.flag("ownNetwork") == true)
    try await ben.deny()
    // Another port of an accepted host is another server.
    let own = try FilmServer(Clips.stream.get())
    try await mallory.propose(own.url)
    #expect(try await ben.next("confirm").string("origin") != question.string("origin"))
    try ben.send("allow")
    _ = try await ben.next("opened")
    try await mallory.propose("http://127.0.0.1:\(server.port)/reboot.cgi?now=2")
    _ = try await ben.next("confirm") { $0.string("url")?.hasSuffix("now=2") == true }
    #expect(asked.withLock { $0 }.isEmpty)
    await mallory.party.leave()
    #expect(try await ben.quit() == 0)
    #expect(try await ana.quit() == 0)
  }

  @Test("Sessions of kinds that a guest invents take the film away from nobody")
  func inventedKinds() async throws {
    let (ana, ben, mallory, invite) = try await gather()
    for number in 0..<6 {
      var register = SessionRegister(
        id: GroupSessionID(rawValue: UInt64(number) + 7), stamp: mallory.stamp(),
        initiator: mallory.identity.id, activityIdentifier: "kind \(number)", activity: Data(),
        ended: false)
      register.proof = mallory.proof(of: register.provenBytes)
      try mallory.say(.session(register))
    }
    try mallory.say(.chat(ChatText(text: "all of them")))
    for program in [ana, ben] { _ = try await program.next("chat") }
    try ana.send("seek 20")
    _ = try await ben.next("command") { $0.string("by") == "Ana" }
    // A newcomer is in the film's session too.
    let chi = try await party.join(invite, name: "Chi")
    try chi.send("seek 30")
    _ = try await ana.next("command") { $0.string("by") == "Chi" }
    await mallory.leave()
    for program in [chi, ben, ana] { #expect(try await program.quit() == 0) }
  }
}
