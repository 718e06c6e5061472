import Foundation
import Timekeeping

@testable import GroupActivities

/// A few party machines around one table: a message of one reaches the others after ``delay``,
/// unless ``isLost`` loses it. No network, no clock, no cryptography; every step follows from the
/// arguments.
struct Gathering {
  struct Member {
    var machine: PartyMachine
    /// The host time at the gathering's zero: no two machines' clocks agree.
    var clockOffset: Duration
    var events: [PartyMachineEvent] = []
    var isHere = false

    var id: Participant.ID { machine.configuration.id }
  }

  /// One message on its way, or kept for a replay.
  struct Packet {
    var due: Duration
    var from: Participant.ID
    var epoch: UInt64
    var to: Participant.ID
    var sequence: UInt64
    var message: WireMessage
    var original: [UInt8] = []
    var isToAll = false

    func inbound(at host: HostTime) -> InboundMessage {
      InboundMessage(
        sender: from, epoch: epoch, sequence: sequence, message: message, receivedAt: host,
        original: original, isToAll: isToAll)
    }

    var isEvent: Bool { message.delivery == .event }
  }

  private(set) var now = Duration.zero
  var members: [Member] = []
  var delay = Duration.milliseconds(5)
  var isLost: (Packet) -> Bool = { _ in false }
  /// Changes a message on its way.
  var forge: (Packet) -> Packet = { $0 }
  /// All messages that were ever sent.
  private(set) var said: [Packet] = []
  private var inFlight: [Packet] = []
  private var packets = 0
  /// A substitute for signatures: the packets by the bytes that would be signed.
  private var signed: [[UInt8]: Packet] = [:]

  /// - Parameters:
  ///   - names: the first one is the creator's.
  ///   - evening: another number gives other random numbers.
  init(_ names: String..., evening: UInt64 = 0) { self.init(names, evening: evening) }

  /// Returns participants who have met.
  static func gathered(_ names: String..., evening: UInt64 = 0) -> Gathering {
    var gathering = Gathering(names, evening: evening)
    gathering.gather()
    return gathering
  }

  private init(_ names: [String], evening: UInt64) {
    for (index, name) in names.enumerated() {
      let number = UInt64(index + 1)
      let configuration = PartyMachine.Configuration(
        id: Self.id(index), epoch: number * 1000, party: Self.id(0), name: name,
        random: .seeded(number + 100 * evening))
      members.append(
        Member(
          machine: PartyMachine(configuration),
          clockOffset: .seconds(1000) * Int(number * number)))
    }
  }

  static func id(_ index: Int) -> Participant.ID {
    Participant.ID(high: 7, low: UInt64(index + 1))
  }

  /// Lets this member's machine sleep. The others don't see it, and the member's host clock stops
  /// too.
  mutating func sleep(_ index: Int, for duration: Duration) {
    members[index].isHere = false
    run(for: duration)
    members[index].clockOffset -= duration
    members[index].isHere = true
    act(index) { $0.slept(for: duration, at: $1) }
  }

  func host(_ index: Int) -> HostTime {
    HostTime(nanoseconds: 0) + members[index].clockOffset + now
  }

  // MARK: - What they do

  mutating func act(_ index: Int, _ body: (inout PartyMachine, HostTime) -> [PartyAction]) {
    let actions = body(&members[index].machine, host(index))
    for action in actions {
      switch action {
      case .report(let event): members[index].events.append(event)
      // Nothing is sealed here.
      case .reopen: break
      case .verify(let originals, _):
        for original in originals {
          guard let packet = signed[original] else { continue }
          act(index) { machine, host in machine.passedOn(packet.inbound(at: host), at: host) }
        }
      case .send(let message, let sequence, let recipient):
        packets += 1
        let original = UInt64(packets).bigEndianBytes
        var candidates = members.filter { $0.id != members[index].id }
        if recipient == .anyone {
          candidates = candidates.filter { $0.isHere && $0.machine.joinedAt != nil }
          candidates = candidates.isEmpty ? [] : [candidates[packets % candidates.count]]
        }
        for other in candidates {
          if case .only(let id) = recipient, id != other.id { continue }
          let packet = forge(
            Packet(
              due: now + delay, from: members[index].id,
              epoch: members[index].machine.configuration.epoch, to: other.id, sequence: sequence,
              message: message, original: original, isToAll: recipient == .everyone))
          signed[original] = packet
          said.append(packet)
          if !isLost(packet) { inFlight.append(packet) }
        }
      }
    }
  }

  mutating func arrive(_ indices: Int...) {
    for index in indices {
      members[index].isHere = true
      act(index) { $0.connected(at: $1) }
    }
  }

  /// All members arrive, one after the other, and get to know the others.
  mutating func gather() {
    arrive(members.indices, every: .seconds(1))
    run(for: .seconds(2))
  }

  /// Members arrive, one after the other.
  ///
  /// - Parameter pause: the time after each arrival.
  mutating func arrive(_ order: some Sequence<Int>, every pause: Duration) {
    for index in order {
      arrive(index)
      run(for: pause)
    }
  }

  /// Removes a member that doesn't announce it.
  mutating func vanish(_ index: Int) { members[index].isHere = false }

  mutating func leave(_ index: Int, keepsRelay: Bool = false) {
    act(index) { machine, _ in machine.leave(keepsRelay: keepsRelay) }
    members[index].isHere = false
  }

  mutating func chat(_ text: String, by index: Int) {
    act(index) { machine, _ in machine.sendChat(text) }
  }

  mutating func activate(_ activity: String, kind: String = "watch", by index: Int) {
    act(index) {
      $0.activate(identifier: kind, activity: Data(activity.utf8), at: $1)!
    }
  }

  /// Delivers a message at once to the member at `index`.
  mutating func hand(_ packet: Packet, to index: Int) {
    act(index) { machine, host in
      machine.received(packet.inbound(at: host), at: host)
    }
  }

  // MARK: - What can be seen

  func others(_ index: Int) -> [String] { members[index].machine.others.map(\.name) }

  func knows(_ index: Int, _ other: Int) -> Bool {
    members[index].machine.others.contains { $0.id == Self.id(other) }
  }

  func chats(_ index: Int) -> [String] {
    members[index].events.compactMap { if case .chat(_, let text) = $0 { text } else { nil } }
  }

  func departures(_ index: Int) -> [(name: String, announced: Bool)] {
    members[index].events.compactMap {
      if case .participantLeft(let who, let announced) = $0 { (who.name, announced) } else { nil }
    }
  }

  func groupTime(_ index: Int) -> GroupTime? {
    members[index].machine.clockReading(at: host(index))?.groupTime(at: host(index))
  }

  // MARK: - Time

  mutating func run(for duration: Duration) {
    let end = now + duration
    while let next = nextMoment, next <= end {
      now = max(now, next)
      let due = inFlight.filter { $0.due <= now }
      inFlight.removeAll { $0.due <= now }
      for packet in due {
        let index = members.firstIndex { $0.id == packet.to }!
        if members[index].isHere { hand(packet, to: index) }
      }
      for index in members.indices where members[index].isHere {
        guard let deadline = members[index].machine.nextDeadline, deadline <= host(index) else {
          continue
        }
        act(index) { $0.timerFired(at: $1) }
        if let next = members[index].machine.nextDeadline, next <= host(index) {
          // A gap that is given up may cause a question at once, but only one.
          act(index) { $0.timerFired(at: $1) }
        }
        if let next = members[index].machine.nextDeadline {
          precondition(next > host(index), "a deadline that passed comes again")
        }
      }
    }
    now = end
  }

  private var nextMoment: Duration? {
    let deadlines = members.indices.compactMap { index in
      members[index].isHere
        ? members[index].machine.nextDeadline.map { now + ($0 - host(index)) } : nil
    }
    return (deadlines + inFlight.map(\.due)).min()
  }
}

extension PartyMachine {
  /// Seats a participant that a beacon admits, and that has sent no event.
  mutating func seat(
    _ id: Participant.ID, epoch: UInt64 = 1, _ beacon: Beacon, at now: HostTime
  ) {
    let inbound = InboundMessage(
      sender: id, epoch: epoch, sequence: 0, message: .beacon(beacon), receivedAt: now)
    roster.admitted(inbound, baseline: 0, lastEvent: 0, at: now)
    var new = Roster.AcceptableBeacon(
      beacon: beacon, sequence: 0, name: beacon.name, isIntroduction: true)
    new.arrival = beacon.joinedAt.map { .init(time: $0, isWitnessed: false) }
    accept(new, of: id, at: now)
  }

  /// Accepts a beacon that claims another time of joining, which a participant never changes.
  mutating func claim(joinedAt: GroupTime?, by id: Participant.ID, at now: HostTime) {
    guard let peer = roster[id], var beacon = peer.beacon else {
      preconditionFailure("no beacon of \(id)")
    }
    beacon.joinedAt = joinedAt
    let new = Roster.AcceptableBeacon(
      beacon: beacon, sequence: peer.beaconSource.sequence, name: beacon.name,
      isIntroduction: false)
    accept(new, of: id, at: now)
  }

  private mutating func accept(
    _ new: Roster.AcceptableBeacon, of id: Participant.ID, at now: HostTime
  ) {
    _ = roster.beaconAccepted(
      new, of: id, besides: Roster.Oneself(name: name, seniority: mySeniority), patience: .zero,
      at: now)
  }

  /// The register that was written last, if there is only one session.
  var session: SessionRegister? { sessions.all.last }

  func session(_ kind: String) -> SessionRegister? {
    sessions.all.first { $0.activityIdentifier == kind }
  }
}

extension Beacon {
  /// Returns a beacon of a participant that has been in the party since `joinedAt`, and holds
  /// nothing.
  static func of(
    _ name: String, joinedAt: Int64? = 5_000_000_000_000, lastEvent: UInt64 = 0,
    sessions: Int = 0
  ) -> Beacon {
    let author = Participant.ID(high: 7, low: 2)
    return Beacon(
      name: name, joinedAt: joinedAt.map { GroupTime(nanoseconds: $0) }, lastEvent: lastEvent,
      sessions: (0..<sessions).map {
        .init(kind: UInt32($0), stamp: Stamp(time: 0, participant: author))
      })
  }
}
