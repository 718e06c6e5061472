import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

/// The memory for messages of another participant that came in part, too early, for no reader, or
/// before the participant answered a challenge.
@Suite("Memory whose size others influence")
struct HeldMemoryTests {
  private static func source(_ index: Int) -> Participant {
    Participant(id: Gathering.id(index), name: "\(index)", role: .guest)
  }

  private static func app(
    _ part: AppMessage.Part?, bytes: Int = AppMessage.partSize
  ) -> AppMessage {
    AppMessage(
      session: GroupSessionID(rawValue: 7), type: "t", version: 1, data: Data(count: bytes),
      recipients: nil, part: part)
  }

  /// Returns a message of Ben's that has the size that it states.
  private static func ben(
    _ message: WireMessage, _ sequence: UInt64, at host: HostTime, index: Int = 1,
    size: Int = 44_000
  ) -> InboundMessage {
    InboundMessage(
      sender: Gathering.id(index), epoch: UInt64(index + 1) * 1000, sequence: sequence,
      message: message, receivedAt: host, size: size)
  }

  @Test(
    "Messages without a reader fit in one bound, and a flood of them displaces only the sender's own"
  )
  func unreadLetters() {
    var unread = UnreadMessages()
    let honest = UnreadMessages.Message(
      type: "stroke", version: 1, data: Data([1, 2, 3]), source: Self.source(1))
    let isKept = unread.keep(honest)
    #expect(isKept)
    for number in 0..<4000 {
      _ = unread.keep(
        UnreadMessages.Message(
          type: "type \(number % 100)", version: 1, data: Data(count: 30_000 + number),
          source: Self.source(2)))
      #expect(unread.heldBytes <= UnreadMessages.senderLimit + 1024)
    }
    for number in 0..<400 {
      _ = unread.keep(
        UnreadMessages.Message(
          type: "x", version: 1, data: Data(count: 20_000), source: Self.source(3 + number % 50)))
      #expect(unread.heldBytes <= UnreadMessages.limit)
    }
    let strokes = unread.take("stroke").map(\.data)
    #expect(strokes == [honest.data])
    for type in 0..<100 { _ = unread.take("type \(type)") }
    _ = unread.take("x")
    #expect(unread.heldBytes == 0)
  }

  @Test("A member's unfinished messages and early events fit in one bound")
  func oneMember() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.act(0) { $0.joinSession(GroupSessionID(rawValue: 7), at: $1) }
    let next = gathering.members[1].machine.log.lastSequence + 1
    var largest = 0
    for number in 0..<UInt64(2000) {
      gathering.run(for: .milliseconds(5))
      gathering.act(0) { machine, host in
        let part = AppMessage.Part(message: number / 7, index: Int(number % 7), count: 8)
        return machine.received(Self.ben(.loose(Self.app(part)), number + 1, at: host), at: host)
          + machine.received(
            Self.ben(.app(Self.app(part)), next + 1 + number, at: host), at: host)
      }
      largest = max(largest, gathering.members[0].machine.heldBytes)
    }
    #expect(largest > 256 << 10, "the flood came as far as this")
    #expect(largest <= PeerRecord.sizeLimit)
    #expect(gathering.knows(0, 1))
  }

  @Test("An early event beyond the bound is requested again, and is delivered in its turn")
  func earlyEvents() {
    var sequence = InboundSequence(baseline: 0)
    let now = HostTime(nanoseconds: 1)
    let chats = (1...20).map { EventMessage.chat(ChatText(text: "\($0)")) }
    for number in 2...20 {
      let delivered = sequence.receive(
        chats[number - 1], sequence: UInt64(number), size: 60_000, at: now, patience: .zero)
      #expect(delivered == [])
      #expect(sequence.heldBytes <= InboundSequence.earlySizeLimit)
    }
    let first = sequence.receive(chats[0], sequence: 1, size: 60_000, at: now, patience: .zero)
    let kept = InboundSequence.earlySizeLimit / 60_000
    #expect(first == Array(chats[0...kept]))
    #expect(sequence.heldBytes == 0)
    guard case .ask(let request) = sequence.request(at: now + .seconds(1)) else {
      Issue.record("nothing is asked for")
      return
    }
    #expect(request.from == UInt64(kept + 2))
  }

  @Test(
    "Strangers that never answer their challenge share a bound, and don't displace members' messages"
  )
  func strangers() {
    var gathering = Gathering.gathered("Ana", "Ben")
    var largest = 0
    for round in 0..<600 {
      gathering.act(0) { machine, host in
        (2..<60).flatMap { index in
          machine.received(
            Self.ben(
              .chat(ChatText(text: "x")), UInt64(round + 1), at: host, index: index),
            at: host)
        }
      }
      gathering.run(for: .milliseconds(5))
      largest = max(largest, gathering.members[0].machine.heldBytes)
    }
    #expect(largest > 1 << 20, "the flood came as far as this")
    #expect(largest <= Roster.strangersHeldLimit)
    gathering.chat("still here", by: 1)
    gathering.run(for: .seconds(2))
    #expect(gathering.chats(0) == ["still here"])
  }

  @Test("Members share one bound as well, and the member that holds most loses first")
  func members() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.act(0) { $0.joinSession(GroupSessionID(rawValue: 7), at: $1) }
    // As many sybils as fill the bound, each within its own.
    gathering.act(0) { machine, now in
      for index in 2..<102 {
        machine.seat(
          Gathering.id(index), epoch: UInt64(index + 1) * 1000, .of("\(index)"), at: now)
      }
      machine.rosterChanged()
      return []
    }
    var largest = 0
    for number in 0..<UInt64(30) {
      gathering.act(0) { machine, host in
        for index in 2..<102 {
          let part = AppMessage.Part(message: number / 7, index: Int(number % 7), count: 8)
          _ = machine.received(
            Self.ben(.loose(Self.app(part)), number + 1, at: host, index: index), at: host)
          _ = machine.received(
            Self.ben(.app(Self.app(part)), number + 2, at: host, index: index), at: host)
        }
        return []
      }
      largest = max(largest, gathering.members[0].machine.heldBytes)
    }
    #expect(largest > Roster.heldLimit / 2, "the flood came as far as this")
    #expect(largest <= Roster.heldLimit)
    gathering.chat("still here", by: 1)
    gathering.run(for: .seconds(1))
    #expect(gathering.chats(0) == ["still here"])
  }

  @Test("A newcomer holds a bounded part of the messages that it receives before it is admitted")
  func whileArriving() {
    var held = HeldOnArrival()
    let now = HostTime(nanoseconds: 1)
    let isHeld = held.hold(Self.ben(.chat(ChatText(text: "x")), 4, at: now, size: 300))
    #expect(isHeld)
    for number in 0..<2000 {
      _ = held.hold(
        Self.ben(
          .chat(ChatText(text: "x")), UInt64(number + 1), at: now, index: 2 + number % 9))
      #expect(held.heldBytes <= HeldOnArrival.sizeLimit)
    }
    #expect(held.messages.count { $0.sender == Gathering.id(1) } == 1)
    #expect(held.baseline(of: Gathering.id(1)) == 3)
    #expect(held.baseline(of: Gathering.id(2)) == 0)
  }

  @Test("Questions with longer answers are answered a few times, and again later")
  func amplification() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.activate(String(repeating: "x", count: 16_000), by: 0)
    gathering.run(for: .seconds(1))
    func ask(_ question: WireMessage, times: Int, apart: Duration) -> Int {
      var answers = 0
      for _ in 0..<times {
        gathering.run(for: apart)
        gathering.act(0) { machine, host in
          let actions = machine.received(
            Self.ben(question, 0, at: host, size: 300), at: host)
          answers += actions.count { if case .send = $0 { true } else { false } }
          return []
        }
      }
      return answers
    }
    for question: WireMessage in [
      .stateRequest, .policyLogRequest,
    ] {
      let flood = ask(question, times: 190, apart: .milliseconds(5))
      #expect((1...5).contains(flood), "\(question)")
      #expect(ask(question, times: 10, apart: .seconds(2)) == 10)
      gathering.run(for: .seconds(10))
    }
  }

  @Test(
    "Replayed messages of an earlier stay don't delay a return",
    arguments: [33, 100, 500] as [Int64])
  func replayedStay(interval: Int64) {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    gathering.chat("before", by: 1)
    gathering.run(for: .seconds(1))
    let recorded = gathering.said.filter { $0.from == Gathering.id(1) && $0.to == Gathering.id(0) }
    gathering.leave(1)
    gathering.run(for: .seconds(1))
    func replay(_ number: Int) { gathering.hand(recorded[number % recorded.count], to: 0) }
    for number in 0..<40 {
      replay(number)
      gathering.run(for: .milliseconds(interval))
    }
    // The same key, in another process.
    var configuration = gathering.members[1].machine.configuration
    configuration.epoch += 1
    gathering.members[1].machine = PartyMachine(configuration)
    gathering.arrive(1)
    let returned = gathering.now
    var number = 0
    while !gathering.knows(0, 1), gathering.now - returned < .seconds(20) {
      replay(number)
      number += 1
      gathering.run(for: .milliseconds(interval))
    }
    #expect(gathering.now - returned < .seconds(1))
    gathering.chat("after", by: 1)
    gathering.run(for: .seconds(2))
    #expect(gathering.chats(0) == ["before", "after"])
  }
}

extension PartyMachine {
  /// The memory that all other participants' messages fill, in bytes.
  fileprivate var heldBytes: Int {
    roster.values.reduce(ownArrival.held.heldBytes) { $0 + $1.heldBytes }
  }
}
