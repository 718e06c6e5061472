import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Admission to a party")
struct AdmissionTests {
  @Test("The creator is admitted at once, and its clock is the party's")
  func creator() {
    var gathering = Gathering("Ana")
    gathering.arrive(0)
    let machine = gathering.members[0].machine
    #expect(machine.joinedAt == GroupTime(nanoseconds: gathering.host(0).nanoseconds))
    #expect(machine.me == Participant(id: Gathering.id(0), name: "Ana", role: .host))
    #expect(machine.clockReading(at: gathering.host(0))?.isReference == true)
    #expect(gathering.members[0].events.first == .joined(machine.me))
  }

  @Test("A newcomer and the members learn of each other, and the newcomer learns the time")
  func newcomer() {
    let gathering = Gathering.gathered("Ana", "Ben", "Chi")
    #expect(gathering.others(0) == ["Ben", "Chi"])
    #expect(gathering.others(2) == ["Ana", "Ben"])
    for index in 0..<3 {
      let joined = gathering.members[index].events.filter {
        if case .participantJoined = $0 { true } else { false }
      }
      #expect(joined.count == 2, "each newcomer is announced once")
      let error = gathering.groupTime(index)! - gathering.groupTime(0)!
      #expect(abs(error.inMilliseconds) < 1)
    }
  }

  @Test("A newcomer counts only after it has answered a fresh challenge")
  func challenge() {
    var gathering = Gathering("Ana", "Ben")
    gathering.arrive(0)
    gathering.isLost = { if case .direct(.probeReply) = $0.message { true } else { false } }
    gathering.arrive(1)
    gathering.run(for: .seconds(2))
    #expect(!gathering.knows(0, 1))
    guard case .challenged = gathering.members[0].machine.roster[Gathering.id(1)]?.standing else {
      Issue.record("Ben isn't challenged")
      return
    }
    gathering.isLost = { _ in false }
    gathering.run(for: .seconds(2))
    #expect(gathering.knows(0, 1))
  }

  @Test(
    "An answer to a challenge that was never sent, or was sent to another participant, admits no participant"
  )
  func forgedAnswer() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    gathering.act(0) { machine, now in
      _ = machine.roster.left(Gathering.id(1), announced: false, at: now)
      return []
    }
    let introduction = ProbeReply.Introduction(
      beacon: .of("Ben"), beaconSequence: 1000, members: [])
    var nonces: [UInt64] = [0, 1, .max]
    gathering.act(0) { $0.challenge(Gathering.id(2), attempts: 0, at: $1) }
    nonces +=
      gathering.members[0].machine.asked.probes.pending.filter { $0.value.peer == Gathering.id(2) }
      .keys
    let stale = gathering.members[0].machine.misconduct.rejections.stale
    for nonce in nonces {
      gathering.hand(
        .fromBen(
          .probeReply(ProbeReply(nonce: nonce, baseline: 0, introduction: introduction)), 0
        ), to: 0)
    }
    #expect(!gathering.knows(0, 1))
    #expect(gathering.members[0].machine.misconduct.rejections.stale == stale + nonces.count)
  }

  @Test(
    "A replay of all that a participant sent before it left admits no participant and shows no message"
  )
  func replayAfterLeaving() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.chat("hello", by: 1)
    gathering.run(for: .seconds(2))
    let recorded = gathering.said.filter { $0.from == Gathering.id(1) }
    gathering.leave(1)
    gathering.run(for: .seconds(1))
    #expect(gathering.others(0) == [])

    let (chats, stale) = (
      gathering.chats(0), gathering.members[0].machine.misconduct.rejections.stale
    )
    for packet in recorded {
      gathering.hand(packet, to: 0)
      gathering.run(for: .milliseconds(100))
      #expect(gathering.others(0) == [])
    }
    gathering.run(for: .seconds(10))
    #expect(gathering.others(0) == [])
    #expect(gathering.chats(0) == chats)
    #expect(gathering.members[0].machine.misconduct.rejections.stale > stale)
  }

  @Test("A replay of an earlier evening's traffic admits no participant, and is forgotten")
  func replayToStranger() {
    var first = Gathering.gathered("Ana", "Ben")
    first.chat("hello", by: 1)
    first.run(for: .seconds(1))
    let recorded = first.said.filter { $0.from == Gathering.id(1) && $0.to == Gathering.id(0) }

    var second = Gathering("Ana", evening: 1)
    second.arrive(0)
    for packet in recorded { second.hand(packet, to: 0) }
    second.run(for: .seconds(5))
    #expect(second.members[0].machine.roster.isEmpty)
    #expect(second.members[0].machine.misconduct.rejections.stale > 0)
    #expect(second.chats(0) == [])
  }

  @Test("Messages of a newcomer that is being challenged arrive in order after it has answered")
  func heldMessages() {
    var gathering = Gathering("Ana", "Ben", "Chi")
    gathering.arrive(0, 1)
    gathering.run(for: .seconds(1))
    // Ben doesn't receive Chi's answers for a while, and takes Chi for a stranger.
    gathering.isLost = {
      if case .direct(.probeReply) = $0.message {
        $0.from == Gathering.id(2) && $0.to == Gathering.id(1)
      } else {
        false
      }
    }
    gathering.arrive(2)
    gathering.run(for: .milliseconds(600))
    for number in 1...5 { gathering.chat("\(number)", by: 2) }
    gathering.run(for: .milliseconds(300))
    #expect(gathering.chats(1) == [])
    gathering.isLost = { _ in false }
    gathering.run(for: .seconds(2))
    #expect(gathering.chats(1) == ["1", "2", "3", "4", "5"])
  }

  @Test("A peer that has answered but isn't in the party yet can't speak or choose the activity")
  func ghost() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.act(0) { machine, now in
      machine.claim(joinedAt: nil, by: Gathering.id(1), at: now)
      return []
    }
    let register = SessionRegister(
      id: GroupSessionID(rawValue: 9), stamp: Stamp(time: 1, participant: Gathering.id(1)),
      initiator: Gathering.id(1), activityIdentifier: "watch", activity: .init(), ended: false)
    gathering.hand(.fromBen(.chat(ChatText(text: "boo")), 1), to: 0)
    gathering.hand(.fromBen(.session(register), 2), to: 0)
    gathering.hand(.fromBen(.state(register), 0), to: 0)
    #expect(gathering.chats(0) == [])
    #expect(gathering.members[0].machine.session == nil)
    #expect(gathering.members[0].machine.misconduct.rejections.stale >= 2)
  }

  @Test("A newcomer that first met another newcomer is admitted once the other is")
  func metWhileArriving() {
    var machine = PartyMachine(
      PartyMachine.Configuration(
        id: Gathering.id(0), epoch: 1, party: Gathering.id(9), name: "Ana", random: .seeded(1)))
    var now = HostTime(nanoseconds: 1_000_000_000)
    func fromBen(_ message: WireMessage, _ sequence: UInt64) -> InboundMessage {
      InboundMessage(
        sender: Gathering.id(1), epoch: 2, sequence: sequence, message: message, receivedAt: now)
    }
    func answers(_ actions: [PartyAction]) -> [InboundMessage] {
      actions.compactMap { action in
        guard case .send(.direct(.probe(let probe)), _, _) = action else { return nil }
        var reply = ProbeReply(
          nonce: probe.nonce,
          times: .init(
            received: GroupTime(nanoseconds: now.nanoseconds),
            sent: GroupTime(nanoseconds: now.nanoseconds), uncertainty: 0), baseline: 0)
        if probe.introduction {
          reply.introduction = .init(
            beacon: .of("Ben", joinedAt: nil), beaconSequence: 1, members: [])
        }
        return fromBen(.probeReply(reply), 0)
      }
    }
    _ = machine.connected(at: now)
    let challenge = machine.received(
      fromBen(.beacon(.of("Ben", joinedAt: nil)), 1), at: now)
    for answer in answers(challenge) { _ = machine.received(answer, at: now) }
    #expect(machine.joinedAt == nil)
    _ = machine.received(fromBen(.beacon(.of("Ben", joinedAt: 1)), 2), at: now)
    for _ in 0..<100 where machine.joinedAt == nil {
      now = machine.nextDeadline!
      for answer in answers(machine.timerFired(at: now)) { _ = machine.received(answer, at: now) }
    }
    #expect(machine.joinedAt != nil)
    #expect(machine.others.map(\.name) == ["Ben"])
  }

  @Test(
    "A newcomer that was admitted although all welcomes were lost has no deadline that is due at once"
  )
  func noWelcome() {
    var gathering = Gathering("Ana", "Ben")
    gathering.arrive(0)
    gathering.isLost = { if case .direct(.welcome) = $0.message { true } else { false } }
    gathering.arrive(1)
    gathering.run(for: .seconds(5))
    #expect(gathering.others(0) == ["Ben"] && gathering.others(1) == ["Ana"])
    for index in 0..<2 {
      #expect(gathering.members[index].machine.nextDeadline! > gathering.host(index))
    }
  }

  @Test("The host is the participant that the invite names, whatever other participants claim")
  func authority() {
    var gathering = Gathering.gathered("Ana", "Ben")
    for index in 0..<2 {
      let hosts = ([gathering.members[index].machine.me] + gathering.members[index].machine.others)
        .filter(\.isHost)
      #expect(hosts.map(\.id) == [Gathering.id(0)])
    }
    // Ben claims that he was here first.
    gathering.act(0) { machine, now in
      machine.claim(joinedAt: GroupTime(nanoseconds: .min), by: Gathering.id(1), at: now)
      return []
    }
    #expect(gathering.members[0].machine.others.allSatisfy { !$0.isHost })
    #expect(gathering.members[0].machine.reference == Gathering.id(0))
  }
}

extension Gathering.Packet {
  /// Returns a message from the second member of a gathering to the first.
  static func fromBen(_ message: WireMessage, _ sequence: UInt64) -> Gathering.Packet {
    Gathering.Packet(
      due: .zero, from: Gathering.id(1), epoch: 2000, to: Gathering.id(0), sequence: sequence,
      message: message)
  }
}
