import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Messages in a party")
struct PartyMachineTests {
  @Test(
    "Events come exactly once and in order, whatever is lost, doubled or overtaken",
    arguments: UInt64(0)..<20)
  func exactlyOnce(seed: UInt64) {
    var gathering = Gathering.gathered("Ana", "Ben", evening: seed)
    var dice = RandomSource.seeded(seed)
    for number in 0..<100 {
      // Lost, late, or twice.
      let fate = Int.random(in: 0..<4, using: &dice)
      gathering.isLost = { packet in
        fate == 0 && packet.isEvent && packet.from == Gathering.id(1)
      }
      gathering.delay = .milliseconds(fate == 1 ? 80 : 5)
      gathering.chat("\(number)", by: 1)
      if fate == 2, let last = gathering.said.last(where: { $0.isEvent }) {
        gathering.hand(last, to: 0)
        gathering.hand(last, to: 0)
      }
      gathering.run(for: .milliseconds(Int64.random(in: 0...40, using: &dice)))
    }
    gathering.isLost = { _ in false }
    gathering.run(for: .seconds(10))
    #expect(gathering.chats(0) == (0..<100).map(String.init), "seed \(seed)")
    #expect(gathering.chats(1) == [], "nobody hears itself")
  }

  @Test(
    "An event that no participant keeps any more is declared missing once, and later events are delivered"
  )
  func missing() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.isLost = { $0.isEvent }
    for number in 0..<(OutboundLog.capacity + 10) { gathering.chat("\(number)", by: 1) }
    gathering.isLost = { _ in false }
    gathering.run(for: .seconds(20))
    let missing = gathering.members[0].events.compactMap {
      if case .eventsMissing(_, let count) = $0 { count } else { nil }
    }
    #expect(missing == [10])
    #expect(gathering.chats(0).count == OutboundLog.capacity)
    gathering.chat("still here", by: 1)
    gathering.run(for: .seconds(1))
    #expect(gathering.chats(0).last == "still here")
  }

  @Test("Messages over the rate are dropped and counted, and allowed again later")
  func excess() {
    var gathering = Gathering.gathered("Ana", "Ben")
    let burst = Int(inboundBurst)
    let next = gathering.members[1].machine.log.lastSequence + 1
    for number in 0..<UInt64(2 * burst) {
      gathering.hand(.fromBen(.chat(ChatText(text: "spam")), next + number), to: 0)
    }
    #expect(gathering.chats(0).count <= burst)
    #expect(gathering.members[0].machine.misconduct.rejections.excess >= burst)
    gathering.run(for: .seconds(1))
    let before = gathering.members[0].machine.misconduct.rejections.excess
    gathering.hand(.fromBen(.probe(Probe(nonce: 1, introduction: false)), 0), to: 0)
    #expect(gathering.members[0].machine.misconduct.rejections.excess == before)
  }

  @Test("Repeated requests for all events cost the asker, not the sender")
  func amplification() {
    var gathering = Gathering.gathered("Ana", "Ben")
    for number in 0..<OutboundLog.capacity { gathering.chat("\(number)", by: 0) }
    gathering.run(for: .seconds(10))
    let before = gathering.said.count
    for _ in 0..<100 {
      gathering.hand(
        .fromBen(.resendRequest(ResendRequest(from: 1, through: .max)), 0), to: 0)
    }
    #expect(gathering.said.count - before <= Int(inboundBurst))
  }

  @Test("Messages out of place are refused")
  func misplaced() {
    var gathering = Gathering.gathered("Ana", "Ben")
    let before = gathering.members[0].machine.misconduct.rejections.invalid
    gathering.hand(.fromBen(.leaveReply, 0), to: 0)
    let next = gathering.members[1].machine.log.lastSequence + 1
    gathering.hand(.fromBen(.chat(ChatText(text: "\u{202E}\u{1B}")), next), to: 0)
    #expect(gathering.members[0].machine.misconduct.rejections.invalid == before + 2)
    #expect(gathering.chats(0) == [])
  }

  @Test("A coordinator's report over the limit is refused")
  func reportLimit() {
    var gathering = Gathering.gathered("Ana", "Ben")
    let next = gathering.members[1].machine.log.lastSequence + 1
    let report = CoordinationReport(
      session: GroupSessionID(rawValue: 1), data: Data(count: PartyMachine.coordinationLimit + 1))
    gathering.hand(.fromBen(.coordination(report), next), to: 0)
    #expect(gathering.members[0].machine.roster[Gathering.id(1)]?.coordination == nil)
    #expect(gathering.members[0].machine.misconduct.rejections.invalid == 1)
  }

  @Test("A participant's own messages have no effect when they are replayed to it")
  func echo() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.chat("hello", by: 0)
    gathering.run(for: .seconds(1))
    let mine = gathering.said.filter { $0.from == Gathering.id(0) }
    let stale = gathering.members[0].machine.misconduct.rejections.stale
    for packet in mine { gathering.hand(packet, to: 0) }
    #expect(gathering.members[0].machine.misconduct.rejections.stale == stale + mine.count)
    #expect(gathering.chats(0) == [])
    #expect(gathering.others(0) == ["Ben"])
  }

  @Test("A crowd of forged senders is bounded and displaces no member")
  func crowd() {
    var gathering = Gathering.gathered("Ana", "Ben")
    let now = gathering.host(0)
    for number in 0..<(UInt64(Roster.limit) * 4) {
      for sequence in 1...UInt64(PeerRecord.heldLimit + 8) {
        let made = Gathering.Packet(
          due: .zero, from: Participant.ID(high: 99, low: number), epoch: 1, to: Gathering.id(0),
          sequence: sequence, message: .chat(ChatText(text: "x")))
        gathering.act(0) { machine, host in
          machine.received(
            InboundMessage(
              sender: made.from, epoch: made.epoch, sequence: made.sequence,
              message: made.message, receivedAt: host), at: now)
        }
        if number > 3 { break }
      }
    }
    let machine = gathering.members[0].machine
    #expect(machine.roster.count <= Roster.limit)
    #expect(machine.asked.probes.pending.count <= SentProbes.limit)
    #expect(machine.roster.values.allSatisfy { $0.held.count <= PeerRecord.heldLimit })
    #expect(gathering.others(0) == ["Ben"])
    #expect(gathering.chats(0) == [])
  }

  @Test("A full party admits no further participant, and reports that it is full")
  func fullHouse() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.act(0) { machine, host in
      for number in 0..<Roster.limit {
        let id = Participant.ID(high: 99, low: UInt64(number))
        machine.seat(id, .of("\(number)"), at: host)
      }
      return machine.received(
        InboundMessage(
          sender: Participant.ID(high: 5, low: 5), epoch: 1, sequence: 1,
          message: .beacon(.of("Late")), receivedAt: host), at: host)
    }
    let machine = gathering.members[0].machine
    #expect(machine.roster[Participant.ID(high: 5, low: 5)] == nil)
    #expect(machine.misconduct.rejections.excess == 1)
  }

  @Test(
    "A list of members beyond the limit delays a newcomer only by a bounded number and time")
  func memberList() {
    var gathering = Gathering("Ana", "Ben")
    gathering.arrive(0)
    gathering.run(for: .seconds(1))
    gathering.arrive(1)
    gathering.isLost = { if case .direct(.probeReply) = $0.message { true } else { false } }
    gathering.run(for: .milliseconds(200))
    let sent = gathering.members[1].machine.asked.probes.pending.first {
      $0.value.peer == Gathering.id(0)
    }!
    let strangers = (0..<5000).map { Participant.ID(high: 3, low: UInt64($0)) }
    let epoch = gathering.members[0].machine.configuration.epoch
    let time = gathering.groupTime(0)!
    gathering.hand(
      Gathering.Packet(
        due: .zero, from: Gathering.id(0), epoch: epoch, to: Gathering.id(1), sequence: 0,
        message: .probeReply(
          ProbeReply(
            nonce: sent.key, times: .init(received: time, sent: time, uncertainty: 0), baseline: 0,
            introduction: .init(
              beacon: .of("Ana", joinedAt: 1), beaconSequence: 1, members: strangers)))), to: 1)
    guard case .arriving(let toldOf, _) = gathering.members[1].machine.membership else {
      Issue.record("in already")
      return
    }
    #expect(toldOf.count <= PartyMachine.memberListLimit + 1)
    gathering.isLost = { _ in false }
    gathering.run(for: .seconds(2))
    #expect(gathering.members[1].machine.joinedAt != nil)
  }
}

/// The number of messages that one peer may send at once.
private let inboundBurst = RateAllowance.inbound(at: HostTime(nanoseconds: 0)).burst
