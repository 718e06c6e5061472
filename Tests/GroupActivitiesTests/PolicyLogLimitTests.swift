import Foundation
import Synchronization
import Testing
import Timekeeping

@testable import GroupActivities

/// A co-host fills the log of the rules, so that no participant can change them any more.
@Suite("The room in a policy log")
struct PolicyLogLimitTests {
  let host = ParticipantIdentity()
  let ben = ParticipantIdentity()
  let chi = ParticipantIdentity()
  let mallory = ParticipantIdentity()

  private func amend(
    _ policyLog: inout PolicyLog, _ amendment: PartyAmendment, by author: ParticipantIdentity
  ) -> Bool {
    policyLog.amend(amendment, by: author.id, authorship: .of(author, party: host.id))
  }

  private func verified(_ message: PolicyLogLinks) -> PolicyLog? {
    PolicyLog(creator: host.id, message, authorship: .of(chi, party: host.id))
  }

  /// - Returns: the number of changes that were made before one was refused.
  private func burn(
    _ policyLog: inout PolicyLog, by author: ParticipantIdentity,
    _ amendment: PartyAmendment = .open
  ) -> Int {
    for count in 0..<1000 where !amend(&policyLog, amendment, by: author) { return count }
    return 1000
  }

  @Test("Each co-host has its own part of the log, and all parts together leave room for the host")
  func coHosts() {
    var policyLog = PolicyLog(creator: host.id)
    let coHosts = (0..<6).map { _ in ParticipantIdentity() }
    for one in coHosts {
      let isMade = amend(&policyLog, .appointCoHost(one.id), by: host)
      #expect(isMade)
    }
    let counts = coHosts.map { burn(&policyLog, by: $0) }
    #expect(counts == [20, 20, 10, 0, 0, 0])
    #expect(verified(policyLog.message) == policyLog)
    for one in coHosts {
      let isMade = amend(&policyLog, .remove(one.id), by: host)
      #expect(isMade)
    }
    #expect(policyLog.rules.removed == Set(coHosts.map(\.id)) && policyLog.rules.coHosts.isEmpty)
    #expect(verified(policyLog.message) == policyLog)
  }

  @Test("Changes beyond a co-host's part make its log invalid")
  func beyond() {
    var policyLog = PolicyLog(creator: host.id)
    let isMade = amend(&policyLog, .appointCoHost(mallory.id), by: host)
    #expect(isMade)
    #expect(burn(&policyLog, by: mallory) == PolicyLog.coHostLinkLimit)
    #expect(verified(policyLog.message) == policyLog)
    let amendment = PartyAmendment.remove(ben.id)
    let proof = Authorship.of(mallory, party: host.id).sign(policyLog.signedBytes(amendment))
    var longer = policyLog.message
    longer.links.append(.init(amendment: amendment, author: mallory.id, proof: proof))
    #expect(verified(longer) == nil)
  }

  @Test("The creator changes the rules as often as it likes, and each log fits one message")
  func creator() {
    var policyLog = PolicyLog(creator: host.id)
    let crowd = (0..<PolicyLog.memberLimit).map { Participant.ID(high: 1, low: UInt64($0)) }
    _ = amend(&policyLog, .appointCoHost(ben.id), by: host)
    for round in 0..<300 {
      let isMade = amend(&policyLog, round % 2 == 0 ? .close(admitting: crowd) : .open, by: host)
      #expect(isMade)
      _ = burn(&policyLog, by: ben, .close(admitting: crowd))
      let size = WireMessage.policyLog(policyLog.message).encoded().count
      #expect(size < 60 << 10)
    }
    #expect(policyLog.rules.role(of: ben.id) == .coHost)
    #expect(verified(policyLog.message) == policyLog)
  }

  @Test("A host that isn't the creator takes over a log with room")
  func handOver() {
    var policyLog = PolicyLog(creator: host.id)
    for _ in 0..<30 { _ = amend(&policyLog, .open, by: host) }
    _ = amend(&policyLog, .appointCoHost(mallory.id), by: host)
    let isHandedOver = amend(&policyLog, .handOver(to: ben.id), by: host)
    #expect(isHandedOver)
    #expect(burn(&policyLog, by: mallory) == 20)
    #expect(burn(&policyLog, by: host) == 20, "the creator is a co-host now")
    let isMade = amend(&policyLog, .remove(mallory.id), by: ben)
    #expect(isMade)
    #expect(burn(&policyLog, by: ben) >= 40)
    #expect(verified(policyLog.message) == policyLog)
  }

  @Test("No part of an earlier log prevails over the log that the creator began later")
  func replay() {
    var policyLog = PolicyLog(creator: host.id)
    var kept: [PolicyLog] = []
    func note(_ isMade: Bool) {
      #expect(isMade)
      kept.append(policyLog)
    }
    note(amend(&policyLog, .appointCoHost(mallory.id), by: host))
    for _ in 0..<10 { note(amend(&policyLog, .open, by: mallory)) }
    note(amend(&policyLog, .remove(mallory.id), by: host))
    for number in 0..<120 {
      note(amend(&policyLog, number % 2 == 0 ? .control(.hosts) : .control(.everyone), by: host))
    }
    #expect(policyLog.summary?.number == 2)
    #expect(policyLog.rules.removed == [mallory.id])
    for (index, one) in kept.enumerated() {
      for other in kept[..<index] {
        #expect(one.prevails(over: other) && !other.prevails(over: one))
      }
    }
    // Nor does a longer branch of it, by a participant that was a co-host then.
    var branch = kept[5]
    _ = burn(&branch, by: mallory)
    #expect(!branch.prevails(over: policyLog) && policyLog.prevails(over: branch))
    #expect(
      branch.merged(with: policyLog) == policyLog && policyLog.merged(with: branch) == policyLog)
    // Nor does a summary that she signs.
    let own = PolicySummary(
      number: 9, of: branch.rules, removed: [], authorship: .of(mallory, party: host.id))
    #expect(own != nil)
    #expect(verified(PolicyLogLinks(links: [], summary: own)) == nil)
  }

  @Test("Summaries keep the rules, in whichever order they arrive")
  func order() {
    var policyLog = PolicyLog(creator: host.id)
    var logs = [policyLog]
    for number in 0..<140 {
      let amendment: PartyAmendment =
        switch number {
        case 3: .appointCoHost(ben.id)
        case 4: .lifetime(.endsWhenHostLeaves)
        case 5: .waiting(.nobody)
        case 6: .remove(chi.id)
        case 7: .close(admitting: [mallory.id])
        default: number % 2 == 0 ? .control(.hosts) : .control(.everyone)
        }
      let before = policyLog.rules
      let isMade = amend(&policyLog, amendment, by: host)
      #expect(isMade && policyLog.rules == before.applying(amendment, by: host.id))
      logs.append(policyLog)
    }
    let forwards = logs.reduce(PolicyLog(creator: host.id)) { $0.merged(with: $1) }
    let backwards = logs.reversed().reduce(PolicyLog(creator: host.id)) { $0.merged(with: $1) }
    #expect(forwards == policyLog && backwards == policyLog)
  }

  @Test("A co-host that changes the rules endlessly can be removed, and all agree")
  func burning() {
    var gathering = Gathering("Ana", "Ben", "Chi", "Mallory", "Dee")
    gathering.arrive(0..<4, every: .seconds(1))
    gathering.act(0) { $0.amend(.appointCoHost(Gathering.id(3)), at: $1)! }
    gathering.run(for: .seconds(1))
    for _ in 0..<200 {
      gathering.act(3) { $0.amend(.open, at: $1) ?? [] }
      gathering.run(for: .milliseconds(20))
    }
    gathering.act(0) { $0.amend(.remove(Gathering.id(3)), at: $1) ?? [] }
    gathering.run(for: .seconds(1))
    for _ in 0..<120 {
      gathering.act(0) { $0.amend(.open, at: $1) ?? [] }
      gathering.run(for: .milliseconds(20))
    }
    gathering.act(0) { $0.amend(.control(.hosts), at: $1) ?? [] }
    gathering.arrive(4)
    gathering.run(for: .seconds(4))
    let policyLogs = [0, 1, 2, 4].map { gathering.members[$0].machine.policyLog }
    #expect(Set(policyLogs).count == 1)
    #expect(
      policyLogs[0].rules.removed == [Gathering.id(3)] && policyLogs[0].rules.control == .hosts)
    #expect(gathering.members[3].machine.membership == .left)
  }

  @Test(
    "A log that was sent before or has been replaced costs no signature, and an invented one costs one"
  )
  func verifications() throws {
    var policyLog = PolicyLog(creator: host.id)
    for _ in 0..<15 {
      for amendment in [PartyAmendment.close(admitting: [ben.id]), .open] {
        let isMade = amend(&policyLog, amendment, by: host)
        #expect(isMade)
      }
    }
    let earlier = policyLog
    #expect(!policyLog.mayChange(by: policyLog.message))
    #expect(!policyLog.mayChange(by: PolicyLogLinks(links: Array(policyLog.links.prefix(12)))))
    while policyLog.summary == nil {
      let isMade = amend(&policyLog, .open, by: host)
      try #require(isMade)
    }
    #expect(!policyLog.mayChange(by: earlier.message))

    let count = Mutex(0)
    let real = Authorship.of(chi, party: host.id)
    let counting = Authorship(
      sign: real.sign,
      isValid: { proof, bytes, author in
        count.withLock { $0 += 1 }
        return real.isValid(proof, bytes, author)
      })
    var invented = policyLog.message
    let link = try #require(invented.links.last)
    invented.links.append(link)
    #expect(policyLog.mayChange(by: invented))
    #expect(
      PolicyLog(creator: host.id, invented, authorship: counting, known: policyLog) == nil)
    #expect(count.withLock { $0 } == 1)

    invented = earlier.message
    invented.opening = PartyOpening(number: .max, authorship: .of(mallory, party: host.id))
    #expect(policyLog.mayChange(by: invented))
    #expect(
      PolicyLog(creator: host.id, invented, authorship: counting, known: policyLog) == nil)
    #expect(count.withLock { $0 } == 2)
  }
}
