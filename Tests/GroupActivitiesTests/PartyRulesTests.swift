import Foundation
import PartyTesting
import SessionTesting
import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Permissions")
struct PartyRulesTests {
  let host = ParticipantIdentity()
  let ben = ParticipantIdentity()
  let chi = ParticipantIdentity()
  let dee = ParticipantIdentity()

  func policyLog(_ amendments: [(PartyAmendment, ParticipantIdentity)] = []) -> PolicyLog {
    var policyLog = PolicyLog(creator: host.id)
    for (amendment, author) in amendments {
      let isMade = policyLog.amend(
        amendment, by: author.id, authorship: .of(author, party: host.id))
      precondition(isMade, "\(amendment)")
    }
    return policyLog
  }

  func verified(_ policyLog: PolicyLog) -> PolicyLog? {
    PolicyLog(
      creator: host.id, policyLog.message, authorship: .of(ParticipantIdentity(), party: host.id))
  }

  @Test("By default all participants control, and only the host makes rules")
  func byDefault() {
    let rules = policyLog().rules
    #expect(rules.mayControl(ben.id) && rules.role(of: ben.id) == .guest)
    let all: [PartyAmendment] = [
      .control(.hosts), .lifetime(.endsWhenHostLeaves), .waiting(.nobody), .appointCoHost(ben.id),
      .handOver(to: ben.id), .remove(chi.id), .close(admitting: []), .open,
    ]
    for amendment in all {
      #expect(rules.permit(amendment, by: host.id))
      #expect(!rules.permit(amendment, by: ben.id))
    }
  }

  @Test("If only hosts control, co-hosts do and guests don't")
  func control() {
    let rules = policyLog([(.control(.hosts), host), (.appointCoHost(ben.id), host)]).rules
    #expect([host, ben, chi].map { rules.mayControl($0.id) } == [true, true, false])
  }

  @Test("Only the host and co-hosts remove guests")
  func coHosts() {
    let rules = policyLog([(.appointCoHost(ben.id), host), (.appointCoHost(chi.id), host)]).rules
    #expect(rules.permit(.remove(dee.id), by: ben.id))
    for id in [host.id, chi.id, ben.id] { #expect(!rules.permit(.remove(id), by: ben.id)) }
    #expect(!rules.permit(.control(.hosts), by: ben.id))
    #expect(!rules.permit(.dismissCoHost(chi.id), by: ben.id))
  }

  @Test("A host that hands over stays a co-host; the new host decides from then on")
  func handOver() {
    let policyLog = policyLog([(.handOver(to: ben.id), host), (.control(.hosts), ben)])
    #expect([host, ben].map { policyLog.rules.role(of: $0.id) } == [.coHost, .host])
    #expect(!policyLog.rules.permit(.control(.everyone), by: host.id))
    #expect(policyLog.rules.permit(.dismissCoHost(host.id), by: ben.id))
  }

  @Test("A removed participant can no longer do anything")
  func removed() {
    let rules = policyLog([(.appointCoHost(ben.id), host), (.remove(ben.id), host)]).rules
    #expect(!rules.admits(ben.id) && !rules.mayControl(ben.id))
    #expect(!rules.permit(.remove(chi.id), by: ben.id))
  }

  @Test(
    "A history signed by participants who may make its changes is believed from any participant")
  func history() throws {
    let long = policyLog([
      (.appointCoHost(ben.id), host), (.remove(chi.id), ben), (.handOver(to: ben.id), host),
      (.control(.hosts), ben),
    ])
    #expect(verified(long) == long)
    let copy = try PolicyLogLinks(binary: PolicyLogLinks(links: long.links).binary)
    #expect(verified(policyLog())?.rules == policyLog().rules)
    #expect(copy.links == long.links)
  }

  @Test(
    "A start waits for all participants until the host decides otherwise, and again when the host says so"
  )
  func waiting() throws {
    #expect(policyLog().rules.waiting == .everyone)
    let nobody = policyLog([(.waiting(.nobody), host)])
    #expect(nobody.rules.waiting == .nobody && verified(nobody) == nobody)
    let again = policyLog([(.waiting(.nobody), host), (.waiting(.everyone), host)])
    #expect(again.rules == policyLog().rules && verified(again) == again)
    let rules = policyLog([(.appointCoHost(ben.id), host)]).rules
    #expect(!rules.permit(.waiting(.nobody), by: ben.id), "not even a co-host")
    let links = try PolicyLogLinks(binary: PolicyLogLinks(links: nobody.links).binary)
    #expect(links.links == nobody.links)
  }

  @Test("A history with a forged, changed, omitted or moved link is refused")
  func forgery() {
    let long = policyLog([
      (.appointCoHost(ben.id), host), (.remove(chi.id), ben),
      (.lifetime(.endsWhenHostLeaves), host),
    ])
    func offered(_ change: (inout [PolicyLog.Link]) -> Void) -> PolicyLog? {
      var links = long.links
      change(&links)
      return PolicyLog(
        creator: host.id, PolicyLogLinks(links: links), authorship: .of(dee, party: host.id))
    }
    #expect(offered { _ in } == long)
    let changed = offered { links in links[1].amendment = .remove(dee.id) }
    let claimed = offered { links in links[1].author = host.id }
    #expect(changed == nil && claimed == nil)
    let shortened = offered { links in links.remove(at: 1) }
    let moved = offered { links in links.swapAt(1, 2) }
    #expect(shortened == nil && moved == nil)
    // A guest's own claim, correctly signed.
    var claim = PolicyLog(creator: dee.id)
    let isMade = claim.amend(
      .appointCoHost(chi.id), by: dee.id, authorship: .of(dee, party: host.id))
    #expect(isMade)
    #expect(
      PolicyLog(
        creator: host.id, PolicyLogLinks(links: claim.links), authorship: .of(ben, party: host.id))
        == nil)
  }

  @Test("All participants prefer the same one of two histories: the longer one, or the host's")
  func forks() {
    let common: [(PartyAmendment, ParticipantIdentity)] = [(.appointCoHost(ben.id), host)]
    let shorter = policyLog(common)
    let byHost = policyLog(common + [(.dismissCoHost(ben.id), host)])
    // A dismissed co-host continues as if nothing had happened, at any length.
    let byBen = policyLog(
      common + [(.remove(chi.id), ben), (.remove(dee.id), ben), (.close(admitting: []), ben)])
    #expect(byHost.prevails(over: shorter) && !shorter.prevails(over: byHost))
    #expect(byHost.prevails(over: byBen) && !byBen.prevails(over: byHost))
    #expect(!byHost.prevails(over: byHost))
    let one = policyLog([(.control(.hosts), host)])
    let other = policyLog([(.lifetime(.endsWhenHostLeaves), host)])
    #expect(one.prevails(over: other) != other.prevails(over: one))
  }
}

@Suite("Rules in a party", .serialized)
struct PartyRulesInAPartyTests {
  private func rules(
    _ party: Party, where isTrue: @escaping @Sendable (PartyRules) -> Bool
  ) async throws {
    if isTrue(await party.rules) { return }
    _ = try await first(of: party.events) {
      if case .rulesChanged(let rules, _, _) = $0 { isTrue(rules) } else { false }
    }
  }

  @Test("If only hosts control, a guest's choice is refused and changes nothing")
  func guest() async throws {
    let test = try await TestParty()
    try await test.parties[0].amend(.control(.hosts))
    try await rules(test.parties[1]) { $0.control == .hosts }
    await #expect(throws: PartyError.notPermitted) {
      try await test.sessions[1].setActivity(TestActivity(title: "Ben's"))
    }
    await #expect(throws: PartyError.notPermitted) { try await test.sessions[1].end() }
    await #expect(throws: PartyError.notPermitted) {
      try await test.parties[1].amend(.control(.everyone))
    }
    try await test.parties[0].amend(.appointCoHost(test.parties[1].localID))
    let ben = test.parties[1].localID
    try await rules(test.parties[1]) { $0.coHosts.contains(ben) }
    try await test.sessions[1].setActivity(TestActivity(title: "Ben's"))
    let seen = try await first(of: test.sessions[2].activities) { $0.title == "Ben's" }
    #expect(seen != nil)
    await test.close()
  }

  @Test("A change of the rules leaves a film alone that another participant chose meanwhile")
  func choice() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    test.transports[0].cut()
    try await test.sessions[1].setActivity(TestActivity(title: "Ben's choice"))
    // Ana, who hasn't heard of it yet, changes another rule.
    try await test.parties[0].amend(.lifetime(.endsWhenHostLeaves))
    test.transports[0].restore()
    try await rules(test.parties[1]) { $0.lifetime == .endsWhenHostLeaves }
    // Ana's next choice follows everything that she sent before it, and Ben's answers.
    _ = try await first(of: test.sessions[0].activities) { $0.title == "Ben's choice" }
    #expect(test.sessions[1].activity.title == "Ben's choice")
    await test.close()
  }

  enum Takeover: CaseIterable { case onlyHosts, removal }

  @Test(
    "A guest's choice that a host's program signs again is nobody's choice for a newcomer",
    arguments: Takeover.allCases)
  func vouchedChoice(takeover: Takeover) async throws {
    let test = try await TestParty(["Ana", "Mallory"])
    let (ana, mallory) = (test.parties[0], test.parties[1])
    try await test.sessions[1].setActivity(TestActivity(title: "Mallory's"))
    _ = try await first(of: test.sessions[0].activities) { $0.title == "Mallory's" }
    switch takeover {
    case .onlyHosts: try await ana.amend(.control(.hosts))
    case .removal: try await ana.amend(.remove(mallory.localID))
    }
    // Participants who were there still know the chooser.
    #expect(test.sessions[0].decision.by == mallory.localID)
    let ben = try await Party.join(ana.invite, name: "Ben", transport: test.broker.transport())
    let session = try await TestParty.join(ben)
    #expect(session.activity.title == "Mallory's" && session.decision.by == nil)
    try await test.sessions[0].setActivity(TestActivity(title: "Ana's"))
    let change = try await first(of: session.activityChanges) { $0.activity.title == "Ana's" }
    #expect(change?.originator == ana.localID && session.decision.by == ana.localID)
    await ben.leave()
    await test.close()
  }

  @Test("A removed participant is notified, leaves the roster, and is no longer heard")
  func removal() async throws {
    let test = try await TestParty()
    let chi = test.parties[2].localID
    try await test.parties[0].amend(.remove(chi))
    let end = try await first(of: test.parties[2].events) {
      if case .closed = $0 { true } else { false }
    }
    #expect(end == .closed(.removed(by: test.parties[0].localID)))
    let two = try await first(of: test.sessions[1].activeParticipantsUpdates) { $0.count == 2 }
    #expect(two?.map(\.name).sorted() == ["Ana", "Ben"])
    await test.close()
  }

  @Test("A party whose lifetime ends with its host ends for all")
  func lifetime() async throws {
    let test = try await TestParty()
    try await test.parties[0].amend(.lifetime(.endsWhenHostLeaves))
    for party in test.parties.dropFirst() {
      try await rules(party) { $0.lifetime == .endsWhenHostLeaves }
    }
    await test.parties[0].leave()
    for party in test.parties.dropFirst() {
      let end = try await first(of: party.events) { if case .closed = $0 { true } else { false } }
      #expect(end == .closed(.hostLeft))
    }
  }

  @Test("A host that closes the party ends it for all at once")
  func closing() async throws {
    let test = try await TestParty()
    let host = test.parties[0].localID
    await test.parties[0].leave(closesParty: true)
    for party in test.parties.dropFirst() {
      let end = try await first(of: party.events) { if case .closed = $0 { true } else { false } }
      #expect(end == .closed(.closed(by: host)))
    }
  }

  @Test("A guest that closes the party only leaves it")
  func guestCannotClose() async throws {
    let test = try await TestParty()
    let guest = test.parties[1].localID
    await test.parties[1].leave(closesParty: true)
    let left = try await first(of: test.parties[2].events) {
      if case .participantLeft(let one, _) = $0 { one.id == guest } else { false }
    }
    #expect(left != nil)
    try await test.parties[0].sendChat("still here")
    let chat = try await first(of: test.parties[2].events) {
      if case .chat(_, "still here") = $0 { true } else { false }
    }
    #expect(chat != nil)
    await test.close()
  }

  @Test("A creator who is no longer the host closes the party only if the relay disappears too")
  func creatorCloses() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    let creator = Gathering.id(0)
    gathering.act(0) { $0.amend(.handOver(to: Gathering.id(1)), at: $1) ?? [] }
    gathering.run(for: .seconds(2))
    #expect(gathering.members[2].machine.rules.host == Gathering.id(1))
    gathering.act(0) { machine, _ in machine.leave(closesParty: true) }
    gathering.members[0].isHere = false
    gathering.run(for: .seconds(1))
    #expect(gathering.departures(2).map(\.name) == ["Ana"])
    #expect(!gathering.members[2].events.contains(.partyClosed(by: creator)))
    gathering.act(2) { machine, _ in machine.disconnected() }
    #expect(gathering.members[2].events.contains(.partyClosed(by: creator)))
  }

  @Test("A closed party admits no newcomer, and a reopened one does")
  func closed() async throws {
    let broker = MemoryBroker()
    let founding = Party.Founding()
    let host = try await Party.create(
      founding, addresses: [try #require(Invite.Address("memory:1"))], name: "Ana",
      transport: broker.transport())
    try await host.amend(.close(admitting: [host.localID]))
    await #expect(throws: PartyError.nobodyHere) {
      _ = try await Party.join(
        host.invite, name: "Ben", transport: broker.transport(), deadline: .milliseconds(600))
    }
    #expect(await host.rejections.unauthorized > 0)
    try await host.amend(.open)
    let chi = try await Party.join(host.invite, name: "Chi", transport: broker.transport())
    // A newcomer learns the whole history.
    try await rules(chi) { $0.admitted == nil }
    #expect(await chi.participants.count == 2)
    await chi.leave()
    await host.leave()
  }

  @Test("A party of more than 64 is closed to all but the first of the named participants")
  func crowdedClose() async throws {
    let host = try await Party.create(
      Party.Founding(), addresses: [try #require(Invite.Address("memory:1"))], name: "Ana",
      transport: MemoryBroker().transport())
    let crowd = (0..<200).map { _ in ParticipantIdentity().id }
    try await host.amend(.close(admitting: [host.localID] + crowd))
    let admitted = try #require(await host.rules.admitted)
    #expect(admitted == Set([host.localID] + crowd.prefix(PolicyLog.memberLimit - 1)))
    await host.leave()
  }

  @Test("The host closes a party among 200 sybils, and those outside the limit are no longer heard")
  func crowdedParty() {
    var gathering = Gathering.gathered("Ana", "Ben")
    let crowd = (0..<200).map { Participant.ID(high: 9, low: UInt64($0)) }
    func say(_ number: UInt64, _ id: Participant.ID, at now: HostTime) -> InboundMessage {
      InboundMessage(
        sender: id, epoch: 1, sequence: number,
        message: .chat(ChatText(text: "sybil")), receivedAt: now)
    }
    gathering.act(0) { machine, now in
      for id in crowd {
        machine.seat(id, .of("Sybil", joinedAt: .max), at: now)
      }
      machine.rosterChanged()
      return crowd.flatMap { machine.received(say(1, $0, at: now), at: now) }
    }
    #expect(gathering.chats(0).count == 200)
    gathering.act(0) { machine, now in
      let present = [machine.me] + machine.others
      let closing = PartyAmendment.close(admitting: present.map(\.id)).withinLimits
      return machine.amend(closing, at: now) ?? []
    }
    gathering.run(for: .seconds(1))
    for index in 0...1 {
      #expect(gathering.members[index].machine.rules.admitted?.contains(Gathering.id(1)) == true)
      #expect(gathering.members[index].machine.rules.admitted?.count == PolicyLog.memberLimit)
    }
    let outside = crowd.filter { !gathering.members[0].machine.rules.admits($0) }
    #expect(outside.count == 200 - PolicyLog.memberLimit + 2)
    gathering.act(0) { machine, now in
      outside.flatMap { machine.received(say(2, $0, at: now), at: now) }
    }
    gathering.chat("still here", by: 1)
    gathering.run(for: .seconds(1))
    #expect(gathering.chats(0).count == 201 && gathering.chats(0).last == "still here")
  }

  @Test("A co-host that changes the rules too often gets an error, and the host can continue")
  func exhausted() async throws {
    let test = try await TestParty()
    let (host, ben) = (test.parties[0], test.parties[1])
    try await host.amend(.appointCoHost(ben.localID))
    try await rules(ben) { $0.coHosts.contains(ben.localID) }
    for _ in 0..<PolicyLog.coHostLinkLimit { try await ben.amend(.open) }
    await #expect(throws: PartyError.rulesExhausted) { try await ben.amend(.open) }
    for _ in 0..<PolicyLog.linkLimit { try await host.amend(.open) }
    try await host.amend(.remove(ben.localID))
    try await rules(test.parties[2]) { $0.removed == [ben.localID] }
    await test.close()
  }
}
