import Foundation
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A whole party in one process on virtual time: party and coordinator machines, players, clocks that
/// differ and drift, and a network that delays, loses and parts. Everything follows from the seed.
///
/// Messages are encoded and decoded as on the wire; sealing is left out, since it only decides
/// whether a message arrives.
struct Simulation {
  /// What goes wrong on the network.
  struct Faults {
    /// The share of messages that are lost.
    var loss = 0.0
    var delay = Duration.milliseconds(10)
    var jitter = Duration.milliseconds(5)
    /// Participants (by index) that can't reach those who aren't in the set, nor be reached.
    var partition: Set<Int> = []
    /// How long a seek takes, per participant.
    var slowSeeks: [Int: Duration] = [:]

    static let none = Faults()
    static let loss = Faults(loss: 0.2, jitter: .milliseconds(60))
  }

  struct Node {
    var party: PartyMachine
    var coordinator: CoordinatorMachine
    var player = SimulatedPlayer()
    /// Host time at true time zero, and how fast the crystal is.
    var clockOffset: Duration
    var drift: Double
    var isRunning = false
    var hasSession = false
    /// What was heard, by sender, in the order in which it came.
    var heard: [Participant.ID: [String]] = [:]
    var said: [String] = []
    var changes: [CoordinatedChange] = []
    var waiting: WaitingForParticipants?
    /// How often in a row something was still due after the alarms had been answered.
    var overdue = 0
    var lastReading = GroupClockReading.alone
    /// Whose events were declared lost.
    var missing: Set<Participant.ID> = []

    func hostTime(at now: Duration) -> HostTime {
      HostTime(nanoseconds: 0) + clockOffset + now * (1 + drift)
    }

    var id: Participant.ID { party.configuration.id }
  }

  private struct Delivery {
    var at: Duration
    var order: Int
    var to: Int
    var sender: Participant.ID
    var epoch: UInt64
    var delivery: Envelope.Delivery
    var sequence: UInt64
    var bytes: [UInt8]
  }

  let seed: UInt64
  private(set) var now = Duration.zero
  var nodes: [Node] = []
  var faults = Faults.none
  private(set) var messagesSent = 0
  private var random: RandomSource
  private var queue: [Delivery] = []
  private var order = 0
  private var lastArrival: [Int: Duration] = [:]

  static let item = "film"

  init(seed: UInt64, participants: Int) {
    self.seed = seed
    random = .seeded(seed)
    let ids = (0..<participants).map { _ in Participant.ID(high: random.next(), low: random.next())
    }
    for id in ids {
      let party = PartyMachine(
        PartyMachine.Configuration(
          id: id, epoch: random.next(), party: ids[0], name: "Ana", random: .seeded(random.next())))
      nodes.append(
        Node(
          party: party, coordinator: CoordinatorMachine(me: Participant.ID(high: 0, low: 0)),
          clockOffset: .seconds(Int64.random(in: 10...1_000_000, using: &random)),
          drift: Double.random(in: -50e-6...50e-6, using: &random)))
    }
  }

  // MARK: - What people do

  /// The creator opens the party and the session; everybody else arrives at `interval`.
  mutating func gather(every interval: Duration = .milliseconds(300)) {
    for index in nodes.indices {
      start(index)
      run(for: interval)
      if index == 0 { activate(by: 0) }
    }
    run(for: .seconds(3))
  }

  mutating func start(_ index: Int) {
    nodes[index].isRunning = true
    act(index) { node, host in node.party.connected(at: host) }
  }

  mutating func activate(by index: Int) {
    act(index) { node, host in
      node.party.activate(identifier: "watch", activity: Data(Self.item.utf8), at: host) ?? []
    }
  }

  mutating func disconnect(_ index: Int) { nodes[index].party.disconnected() }
  mutating func reconnect(_ index: Int) { act(index) { $0.party.connected(at: $1) } }
  /// Stops without a word.
  mutating func kill(_ index: Int) { nodes[index].isRunning = false }
  mutating func leave(_ index: Int) {
    act(index) { node, _ in node.party.leave() }
    nodes[index].isRunning = false
  }

  mutating func chat(_ text: String, by index: Int) {
    nodes[index].said.append(text)
    act(index) { node, _ in node.party.sendChat(text) }
  }

  mutating func play(rate: Double = 1, immediately: Bool = false, by index: Int) {
    coordinate(index) {
      $0.coordinateRateChange(to: rate, immediately: immediately, at: $1)
    }
  }

  mutating func pause(by index: Int) {
    coordinate(index) { $0.coordinateRateChange(to: 0, immediately: false, at: $1) }
  }

  mutating func seek(to seconds: Double, by index: Int) {
    coordinate(index) {
      $0.coordinateSeek(to: MediaTime(seconds: seconds), resumeImmediately: false, at: $1)
    }
  }

  mutating func coordinate(
    _ index: Int, _ body: (inout CoordinatorMachine, GroupTime) -> [CoordinatorAction]
  ) {
    let group = groupTime(index)
    perform(body(&nodes[index].coordinator, group), by: index)
  }

  // MARK: - Time

  mutating func run(for duration: Duration, faults: Faults? = nil) {
    if let faults { self.faults = faults }
    let end = now + duration
    while let next = nextEvent, next <= end {
      now = max(now, next)
      step()
    }
    now = end
  }

  /// - Returns: false when it didn't come true in time.
  mutating func run(until isTrue: (Simulation) -> Bool, deadline: Duration) -> Bool {
    let end = now + deadline
    while !isTrue(self) {
      guard let next = nextEvent, next <= end else {
        now = end
        return isTrue(self)
      }
      now = max(now, next)
      step()
    }
    return true
  }

  private var nextEvent: Duration? {
    var times = queue.first.map { [$0.at] } ?? []
    for index in running { times += timers(index) }
    return times.min()
  }

  private func trueTime(_ index: Int, _ host: HostTime) -> Duration {
    let node = nodes[index]
    return (host - HostTime(nanoseconds: 0) - node.clockOffset) / (1 + node.drift) + .nanoseconds(1)
  }

  private func timers(_ index: Int) -> [Duration] {
    let node = nodes[index]
    var times: [Duration] = []
    if let due = node.party.nextDeadline { times.append(trueTime(index, due)) }
    if let due = node.player.nextStep { times.append(trueTime(index, due)) }
    if let due = node.coordinator.nextDeadline {
      times.append(now + max(.nanoseconds(1), due - groupTime(index)))
    }
    return times
  }

  private mutating func step() {
    while let next = queue.first, next.at <= now {
      queue.removeFirst()
      deliver(next)
    }
    for index in running {
      let host = nodes[index].hostTime(at: now)
      if let due = nodes[index].party.nextDeadline, due <= host {
        act(index) { node, host in node.party.timerFired(at: host) }
      }
      for (id, place) in nodes[index].player.advance(to: host) {
        coordinate(index) { $0.commandEnded(id, .completed(itemTime: place), at: $1) }
      }
      if let due = nodes[index].coordinator.nextDeadline, due <= groupTime(index) {
        coordinate(index) { $0.timerFired(at: $1) }
      }
      noticeSpinning(index)
    }
  }

  /// An alarm that was answered must not be due any more: the shell would do nothing else for ever.
  private mutating func noticeSpinning(_ index: Int) {
    let host = nodes[index].hostTime(at: now)
    let isDue =
      nodes[index].party.nextDeadline.map { $0 <= host } ?? false
      || nodes[index].coordinator.nextDeadline.map { $0 <= groupTime(index) } ?? false
    nodes[index].overdue = isDue ? nodes[index].overdue + 1 : 0
    precondition(
      nodes[index].overdue < 20, "seed \(seed): \(index) is woken again and again for nothing")
  }

  // MARK: - Machines and network

  private mutating func act(
    _ index: Int, _ body: (inout Node, HostTime) -> [PartyAction]
  ) {
    let host = nodes[index].hostTime(at: now)
    let actions = body(&nodes[index], host)
    perform(actions, by: index)
  }

  private mutating func perform(_ actions: [PartyAction], by index: Int) {
    for action in actions {
      switch action {
      case .send(let message, let delivery, let sequence, let recipient):
        send(message, delivery, sequence, from: index, to: recipient)
      case .report(let event):
        handle(event, at: index)
      }
    }
  }

  private mutating func handle(_ event: PartyMachineEvent, at index: Int) {
    switch event {
    case .sessionChanged(let register, _):
      guard !register.ended, nodes[index].party.joinedSession != register.id else { return }
      act(index) { node, host in node.party.joinSession(register.id, at: host) }
      joinGroup(index, register.id)
    case .coordination(let sender, let report):
      receive(report, from: sender, at: index)
    case .sessionMembersChanged:
      guard nodes[index].hasSession else { return }
      let members = Set(nodes[index].party.sessionMembers.map(\.id)).subtracting([nodes[index].id])
      coordinate(index) { $0.membersChanged(members, at: $1) }
    case .chat(let sender, let text): nodes[index].heard[sender.id, default: []].append(text)
    case .eventsMissing(let sender, _): nodes[index].missing.insert(sender)
    case .clockChanged:
      let host = nodes[index].hostTime(at: now)
      nodes[index].lastReading =
        nodes[index].party.clockReading(at: host) ?? nodes[index].lastReading
    case .joined, .participantJoined, .participantLeft, .renamed, .app, .leaveKnown, .rulesChanged,
      .removed, .hostLeft:
      break
    }
  }

  private mutating func joinGroup(_ index: Int, _ session: GroupSessionID) {
    coordinate(index) {
      $0.transition(to: Self.item, proposing: nil, isPlayerReady: true, at: $1)
    }
    let host = nodes[index].hostTime(at: now)
    let reading = nodes[index].party.clockReading(at: host)!
    nodes[index].hasSession = true
    var reports: [Participant.ID: ParticipantReport] = [:]
    for peer in nodes[index].party.peers.values where peer.isPresent {
      if let report = peer.coordination, report.session == session {
        reports[peer.id] = try? JSONDecoder().decode(ParticipantReport.self, from: report.data)
      }
    }
    let id = nodes[index].id
    coordinate(index) { $0.join(as: id, shift: reading.offset, reports: reports, at: $1) }
  }

  private mutating func receive(
    _ report: CoordinationReport, from sender: Participant.ID, at index: Int
  ) {
    guard nodes[index].hasSession,
      let decoded = try? JSONDecoder().decode(ParticipantReport.self, from: report.data)
    else { return }
    let roundTrip = nodes[index].party.peerClock(sender)?.roundTrip
    let mine = nodes[index].party.clockReading(at: nodes[index].hostTime(at: now))?.roundTrip
    coordinate(index) {
      $0.roundTrips[sender] = roundTrip
      $0.roundTrips[$0.me] = mine
      return $0.received(decoded, from: sender, at: $1)
    }
  }

  private mutating func perform(_ actions: [CoordinatorAction], by index: Int) {
    for action in actions {
      switch action {
      case .issue(let directive): issue(directive, at: index)
      case .cancelCommand: break
      case .publish(let report, let announce):
        guard let session = nodes[index].party.joinedSession,
          let data = try? JSONEncoder().encode(report)
        else { continue }
        act(index) { node, _ in
          node.party.setCoordination(
            CoordinationReport(session: session, data: data), announce: announce)
        }
      case .report(.changed(let change)): nodes[index].changes.append(change)
      case .report(.waiting(let waiting)): nodes[index].waiting = waiting
      case .report(.suspensionsChanged), .report(.participantsChanged): break
      }
    }
  }

  private mutating func issue(_ directive: Directive, at index: Int) {
    let host = nodes[index].hostTime(at: now)
    let command: SimulatedPlayer.Command =
      switch directive.kind {
      case .play(let rate, let itemTime, let groupTime):
        .play(
          rate: rate, itemTime: itemTime, hostTime: host + (groupTime - self.groupTime(index)))
      case .pause: .pause
      case .buffer: .buffer
      case .seek(let place), .seekAndBuffer(let place, _, _): .seek(place)
      }
    nodes[index].player.seekCost = faults.slowSeeks[index] ?? .milliseconds(40)
    nodes[index].player.carryOut(
      command, id: directive.id, at: host,
      delay: .microseconds(Int64.random(in: 100...2000, using: &random)))
  }

  private mutating func send(
    _ message: WireMessage, _ delivery: Envelope.Delivery, _ sequence: UInt64, from index: Int,
    to recipient: PartyAction.Recipient
  ) {
    messagesSent += 1
    let bytes = message.encoded()
    for other in running where other != index {
      if case .only(let id) = recipient, nodes[other].id != id { continue }
      guard nodes[other].party.isConnected,
        faults.partition.contains(index) == faults.partition.contains(other),
        Double.random(in: 0..<1, using: &random) >= faults.loss
      else { continue }
      let jitter = Int64.random(in: 0...faults.jitter.inNanoseconds, using: &random)
      // One connection keeps the order of one sender; different senders overtake each other.
      let lane = index * 1000 + other
      let arrival = max(
        now + faults.delay + .nanoseconds(jitter), lastArrival[lane] ?? .zero)
      lastArrival[lane] = arrival
      order += 1
      let next = Delivery(
        at: arrival, order: order, to: other, sender: nodes[index].id,
        epoch: nodes[index].party.configuration.epoch, delivery: delivery, sequence: sequence,
        bytes: bytes)
      let place = queue.firstIndex { ($0.at, $0.order) > (next.at, next.order) } ?? queue.endIndex
      queue.insert(next, at: place)
    }
  }

  private mutating func deliver(_ next: Delivery) {
    guard nodes[next.to].isRunning, nodes[next.to].party.isConnected else { return }
    guard let message = try? WireMessage(decoding: next.bytes) else {
      preconditionFailure("seed \(seed): a message of ours can't be decoded")
    }
    act(next.to) { node, host in
      node.party.received(
        InboundMessage(
          sender: next.sender, epoch: next.epoch, delivery: next.delivery, sequence: next.sequence,
          message: message, receivedAt: host),
        at: host)
    }
  }
}
