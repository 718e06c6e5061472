import Concurrency
import Foundation
import Timekeeping

@testable import GroupActivities

/// Any number of party machines on a network that only counts the bytes that each of them sends and receives, as they
/// would be on the wire. No cryptography; alarms go off up to ``tick`` late.
struct Crowd {
  struct Member {
    var machine: PartyMachine
    var host = MachineHost<PartyMachine>()
    var clockOffset: Duration
    var isHere = false
    /// The bytes of presence and clock: the party's cost without any chat.
    var sent = 0
    var got = 0
    /// The number of the alarm that is set.
    var alarm = 0
    var chats: [String] = []
    var missing = 0

    mutating func setAlarm(afterMessageFrom sender: Participant.ID? = nil) {
      switch host.setAlarm(for: machine, afterMessageFrom: sender) {
      case nil, .cancel: break
      case .set(_, let number): alarm = number
      }
    }

    mutating func alarmRang(at now: HostTime) -> [PartyAction]? {
      host.alarmRang(alarm, for: &machine, at: now)
    }

    var id: Participant.ID { machine.configuration.id }
  }

  private struct Packet {
    var from: Int
    var sequence: UInt64
    var message: WireMessage
    var size: Int
    var original: [UInt8]
    var receivers: Receivers
  }

  private enum Receivers {
    case all
    case one(Int)
  }

  private(set) var now = Duration.zero
  var members: [Member] = []
  private var places: [Participant.ID: Int] = [:]
  private var inFlight: [Duration: [Packet]] = [:]
  private var signed: [UInt64: InboundMessage] = [:]
  private var packets: UInt64 = 0
  private var dice = RandomSource.seeded(4711)
  var tick = Duration.milliseconds(20)
  /// A closure that returns whether a message is lost on its way to one of its receivers.
  var isLost: (_ message: WireMessage, _ from: Int, _ to: Int) -> Bool = { _, _, _ in false }
  /// The number of sent messages of each kind.
  var counts: [String: Int] {
    [:].merging(counted.values.map { ($0.name, $0.count) }, uniquingKeysWith: +)
  }
  /// Names are made once: printing a message takes longer than sending it.
  private var counted: [Kind: (name: String, count: Int)] = [:]

  private struct Kind: Hashable {
    var delivery: Envelope.Delivery
    /// Its first byte.
    var type: UInt8
  }

  private let whole: Int

  /// - Parameter whole: the number of members that receive everything and have a whole roster. The others receive only
  ///   the reference's beacons: enough for what they send, and for their part in the size of the party.
  init(_ count: Int, whole: Int = .max) {
    self.whole = whole
    for index in 0..<count { add(index, isWhole: index < whole) }
  }

  private mutating func add(_ index: Int, isWhole: Bool) {
    var configuration = PartyMachine.Configuration(
      id: Self.id(index), epoch: UInt64(index + 1), party: Self.id(0), name: "Guest \(index)",
      random: .seeded(UInt64(index) &* 7919 &+ 1))
    if !isWhole { configuration.timing.rosterLimit = 24 }
    members.append(
      Member(
        machine: PartyMachine(configuration),
        clockOffset: .milliseconds(Int64(index) * 977 % 100_000)))
    places[Self.id(index)] = index
  }

  static func id(_ index: Int) -> Participant.ID {
    Participant.ID(high: 7, low: UInt64(index + 1) &* 0x9e37_79b9_7f4a_7c15)
  }

  func host(_ index: Int) -> HostTime {
    HostTime(nanoseconds: 1_000_000_000) + members[index].clockOffset + now
  }

  // MARK: - Actions of the members

  mutating func arrive(_ index: Int) {
    members[index].isHere = true
    act(index) { $0.connected(at: $1) }
  }

  mutating func chat(_ text: String, by index: Int) {
    act(index) { machine, _ in machine.sendChat(text) }
  }

  mutating func act(_ index: Int, _ body: (inout PartyMachine, HostTime) -> [PartyAction]) {
    perform(body(&members[index].machine, host(index)), by: index)
    members[index].setAlarm()
  }

  private mutating func perform(_ actions: [PartyAction], by index: Int) {
    for action in actions {
      switch action {
      case .report(.chat(_, let text)): members[index].chats.append(text)
      case .report(.eventsMissing(_, let count)): members[index].missing += Int(count)
      case .report: break
      // Nothing is sealed here.
      case .reopen: break
      case .verify(let originals, _):
        for original in originals {
          guard let inbound = signed[UInt64(bigEndianBytes: original.prefix(8))] else { continue }
          perform(members[index].machine.passedOn(inbound, at: host(index)), by: index)
        }
      case .send(let message, let sequence, let recipient):
        send(message, sequence, by: index, to: recipient)
      }
    }
  }

  private mutating func send(
    _ message: WireMessage, _ sequence: UInt64, by index: Int, to recipient: PartyAction.Recipient
  ) {
    let encoded = message.encoded()
    let kind = Kind(delivery: message.delivery, type: encoded[0])
    counted[kind, default: (message.kind, 0)].count += 1
    // The size on the wire: the payload, its envelope, the broker's line with the subject.
    let (line, receivers): (Int, Receivers) =
      switch recipient {
      case .everyone: (60, .all)
      case .only(let id): (95, places[id].map(Receivers.one) ?? .one(index))
      // A crowd has no lanes.
      case .subscribers: (95, .one(index))
      case .anyone: (60, anyone(besides: index).map(Receivers.one) ?? .one(index))
      }
    if case .one(index) = receivers { return }
    let bytes = encoded.count
    let size = bytes + EnvelopeSealer.overhead + line
    packets += 1
    var original: [UInt8] = []
    if message.delivery == .event || message.delivery == .beacon {
      // As long as a real one.
      original = packets.bigEndianBytes + [UInt8](repeating: 0, count: bytes + 105)
      signed[packets] = InboundMessage(
        sender: members[index].id, epoch: members[index].machine.configuration.epoch,
        sequence: sequence, message: message, receivedAt: host(index), original: original,
        size: size)
    }
    if message.isUpkeep { members[index].sent += size }
    let due = now + .milliseconds(Int64.random(in: 20...40, using: &dice))
    let slot = tick * Int((due.inNanoseconds / tick.inNanoseconds) + 1)
    inFlight[slot, default: []].append(
      Packet(
        from: index, sequence: sequence, message: message, size: size, original: original,
        receivers: receivers))
  }

  private mutating func anyone(besides index: Int) -> Int? {
    for _ in 0..<1000 {
      let other = Int.random(in: members.indices, using: &dice)
      if other != index, members[other].isHere, members[other].machine.joinedAt != nil {
        return other
      }
    }
    return nil
  }

  // MARK: - Time

  mutating func run(for duration: Duration) {
    let end = now + duration
    while now < end {
      now += tick
      for packet in inFlight.removeValue(forKey: now) ?? [] {
        switch packet.receivers {
        case .one(let other): deliver(packet, to: other)
        case .all:
          // The reference's beacons contain everything on which the others' own beacons depend.
          let isForAll = packet.from == 0 || packet.message.delivery != .beacon
          let hearing = isForAll ? members.count : min(whole, members.count)
          for other in 0..<hearing where other != packet.from {
            deliver(packet, to: other, isToAll: true)
          }
        }
      }
      for index in members.indices where members[index].isHere {
        let host = host(index)
        guard let due = members[index].host.alarmDue, due <= host,
          let actions = members[index].alarmRang(at: host)
        else { continue }
        perform(actions, by: index)
        members[index].setAlarm()
      }
    }
  }

  private mutating func deliver(_ packet: Packet, to index: Int, isToAll: Bool = false) {
    guard members[index].isHere, !isLost(packet.message, packet.from, index) else { return }
    if packet.message.isUpkeep { members[index].got += packet.size }
    let host = host(index)
    let inbound = InboundMessage(
      sender: members[packet.from].id, epoch: members[packet.from].machine.configuration.epoch,
      sequence: packet.sequence, message: packet.message, receivedAt: host,
      original: packet.original, size: packet.size, isToAll: isToAll)
    let actions = members[index].machine.received(inbound, at: host)
    perform(actions, by: index)
    let sender = members[packet.from].id
    members[index].setAlarm(afterMessageFrom: sender)
  }

  mutating func forgetTraffic() {
    for index in members.indices { (members[index].sent, members[index].got) = (0, 0) }
    counted = [:]
  }
}

extension WireMessage {
  /// The bytes that are sent while the party is quiet.
  var isUpkeep: Bool {
    switch self {
    case .beacon, .direct(.probe), .direct(.probeReply): true
    case .event, .direct, .loose, .lane: false
    }
  }

  var kind: String {
    func name(_ value: some Any) -> String { String("\(value)".prefix { $0 != "(" }) }
    return switch self {
    case .event(let event): name(event)
    case .direct(let message): name(message)
    case .beacon, .loose, .lane: name(self)
    }
  }
}
