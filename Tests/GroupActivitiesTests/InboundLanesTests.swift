import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

/// The order in which a participant that can't keep up processes messages.
@Suite("The lanes of incoming messages")
struct InboundLanesTests {
  private func id(_ number: Int) -> Participant.ID { Participant.ID(high: 7, low: UInt64(number)) }

  private func message(
    _ lane: OpenedMessage.Lane, from sender: Int, _ sequence: UInt64, at seconds: Int = 0,
    size: Int = 700
  ) -> InboundItem {
    .message(
      OpenedMessage(
        heading: Envelope.Heading(
          sender: id(sender), epoch: 1, delivery: lane == .bulk ? .lane : .event,
          sequence: sequence),
        lane: lane, original: [UInt8](repeating: 0, count: size), subject: "s",
        receivedAt: HostTime(nanoseconds: Int64(seconds) * 1_000_000_000), size: size))
  }

  /// The sender and the number of each message, in the order in which they are processed.
  private func order(_ lanes: inout InboundLanes, limit: Int = .max) -> [[UInt64]] {
    var order: [[UInt64]] = []
    while order.count < limit, let turn = lanes.take() {
      switch turn.item {
      case .message(let message):
        order.append([message.heading.sender.low, message.heading.sequence])
      case .event, .refused, .sealed: order.append([])
      }
    }
    return order
  }

  @Test("Chat overtakes the reports of a whole crowd, but no message of its own sender")
  func chatFirst() throws {
    var lanes = InboundLanes()
    for report in 1...9 {
      for sender in 1...60 { lanes.put(message(.ordinary, from: sender, UInt64(report))) }
    }
    lanes.put(message(.urgent, from: 60, 10))
    let order = order(&lanes)
    #expect(order.count == 541)
    let place = try #require(order.firstIndex(of: [60, 10]))
    #expect(place < 12, "its sender's nine reports go first, and every eighth turn is the others'")
    for sender in 1...60 {
      let own = order.filter { $0[0] == UInt64(sender) }.map { $0[1] }
      #expect(own == own.sorted(), "participant \(sender)")
    }
    #expect(lanes.isEmpty)
  }

  @Test("Files go last, and a flood of urgent messages stops neither them nor the rest")
  func shares() {
    var lanes = InboundLanes()
    for number in 1...1000 {
      lanes.put(message(.bulk, from: 3, UInt64(number), size: 100))
      lanes.put(message(.ordinary, from: 2, UInt64(number)))
      lanes.put(message(.urgent, from: 1, UInt64(number)))
    }
    let first = order(&lanes, limit: 80)
    #expect(first.count { $0[0] == 1 } == 60)
    #expect(first.count { $0[0] == 2 } == 10)
    #expect(first.count { $0[0] == 3 } == 10)
    let rest = order(&lanes)
    #expect(rest.count == 3000 - 80)
  }

  @Test("No message overtakes a change of the connection")
  func connection() {
    var lanes = InboundLanes()
    lanes.put(message(.ordinary, from: 1, 1))
    lanes.put(.event(.disconnected(reason: "cut")))
    lanes.put(.event(.connected(server: "x")))
    lanes.put(message(.urgent, from: 2, 1))
    lanes.put(.event(.warning("slow")))
    lanes.put(message(.urgent, from: 3, 1))
    #expect(!lanes.isEmpty)
    let order = order(&lanes)
    #expect(order == [[1, 1], [], [], [2, 1], [3, 1], []])
    #expect(lanes.isEmpty)
  }

  @Test("The number of waiting messages is bounded, and a full inbox has room for chat")
  func bounds() {
    var lanes = InboundLanes()
    var taken = 0
    while lanes.put(message(.ordinary, from: taken % 50, UInt64(taken), size: 16 << 10)) {
      taken += 1
    }
    #expect(taken == InboundLanes.costLimit / ((16 << 10) + 256))
    var pieces = 0
    while lanes.put(message(.bulk, from: 1, UInt64(pieces), size: 16 << 10)) { pieces += 1 }
    #expect(pieces == taken, "files have room of their own")
    var urgent = 0
    while lanes.put(message(.urgent, from: 51, UInt64(urgent), size: 16 << 10)) { urgent += 1 }
    #expect((1..<70).contains(urgent))
    let order = order(&lanes)
    #expect(order.count == taken + pieces + urgent)
    let hasRoomAgain = lanes.put(message(.ordinary, from: 1, 1))
    #expect(hasRoomAgain)
  }

  @Test("A flood of messages that can't be opened takes no room")
  func refused() {
    var lanes = InboundLanes()
    for _ in 0..<100_000 { lanes.put(.refused(.notSealedForUs)) }
    for _ in 0..<10 { lanes.put(.refused(.repeated)) }
    let hasRoom = lanes.put(message(.ordinary, from: 1, 1))
    #expect(hasRoom)
    var counts: [Int] = []
    while let turn = lanes.take() {
      if case .refused(_, let count) = turn.item { counts.append(count) }
    }
    #expect(counts == [100_000, 10])
    #expect(lanes.isEmpty)
  }

  @Test("The age of the oldest waiting message is known, whichever goes first")
  func age() {
    var lanes = InboundLanes()
    lanes.put(message(.bulk, from: 3, 1, at: 1))
    lanes.put(message(.ordinary, from: 1, 1, at: 2))
    lanes.put(message(.urgent, from: 2, 1, at: 9))
    var ages: [HostTime?] = []
    while let turn = lanes.take() { ages.append(turn.waitingSince) }
    #expect(
      ages == [2, 2, 1].map { HostTime(nanoseconds: $0 * 1_000_000_000) },
      "chat that came just now doesn't make those seem silent whose beacons wait")
  }

  @Test("Encoded chat, commands and changes of the party are recognized as urgent")
  func urgency() {
    let session = GroupSessionID(rawValue: 7)
    let register = SessionRegister(
      id: session, stamp: Stamp(time: 1, participant: id(1)), initiator: id(1),
      activityIdentifier: "watch", activity: Data("{}".utf8), endsWithInitiator: false,
      ended: false)
    func report(_ isCommand: Bool) -> EventMessage {
      .coordination(
        CoordinationReport(session: session, data: Data("{}".utf8), isCommand: isCommand))
    }
    func isUrgent(_ event: EventMessage) -> Bool {
      let encoded = event.binary
      #expect((try? EventMessage(binary: encoded)) == event)
      return EventMessage.isUrgent(encoded: encoded[...])
    }
    #expect(isUrgent(.chat(ChatText(text: "hello"))))
    #expect(isUrgent(.session(register)))
    #expect(isUrgent(.leave(Leave())))
    #expect(isUrgent(.policyLog(PolicyLogLinks(links: []))))
    #expect(isUrgent(report(true)))
    #expect(!isUrgent(report(false)))
    #expect(
      !isUrgent(.app(AppMessage(session: session, type: "t", version: 1, data: Data([1])))))
    for bytes in [[], [3], [0, 1], [0x22, 0x22]] as [[UInt8]] {
      #expect(!EventMessage.isUrgent(encoded: bytes[...]))
    }
  }

  @Test("A participant's command is marked for the others, and a report isn't")
  func marked() {
    var table = Gathering.gathered("Ana", "Ben")
    let session = GroupSessionID(rawValue: 7)
    for isCommand in [true, false] {
      table.act(0) { machine, _ in
        machine.setCoordination(Data("{}".utf8), session: session, isCommand: isCommand)
      }
    }
    let marks = table.said.compactMap { packet -> Bool? in
      guard case .event(.coordination(let report)) = packet.message else { return nil }
      return report.isCommand
    }
    #expect(marks == [true, false])
  }
}
