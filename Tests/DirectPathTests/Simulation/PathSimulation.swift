import Concurrency
import GroupActivities
import STUN
import Timekeeping

@testable import DirectPath
@testable import GroupSimulation

/// A few machines that open direct paths, in one process on virtual time. Everything follows from the scenario.
final class PathSimulation {
  enum Event {
    case deliver([UInt8], from: SocketAddress, to: Int)
    case timer(Int, alarm: Int)
    case signal(from: Int, to: Int, [PathCandidate])
    case arrive(Int)
    case talk(Int)
    case lie
    case replay
    case fault(Int)
  }

  /// One machine.
  struct Node {
    let id: Participant.ID
    var machine: PathMachine
    var host = MachineHost<PathMachine>()
    /// The time of the first invitation from each of the others.
    var invitedAt: [Int: Nanoseconds] = [:]

    mutating func alarmRang(_ number: Int, at now: HostTime) -> [PathMachine.Action] {
      host.alarmRang(number, for: &machine, at: now) ?? []
    }
  }

  /// An event of the world that checkers see.
  enum Occurrence {
    case opened(Int, peer: Int, remote: SocketAddress)
    case lost(Int, peer: Int)
    case received(Int, peer: Int, [UInt8])
    /// A packet for an address at which nobody is.
    case stray(Int, SocketAddress)
    case talked(Int)
  }

  struct Breach: Hashable {
    var invariant: String
    var text: String
    var at: Nanoseconds
  }

  let scenario: PathScenario
  let mutation: PathMutation
  private(set) var now: Nanoseconds = 0
  private(set) var nodes: [Node] = []
  private(set) var internet: SimulatedInternet
  private(set) var breach: Breach?
  private(set) var packetCount = 0
  /// The time when each pair was opened first, by the number of the machine and of its peer.
  private(set) var openedAt: [[Int]: Nanoseconds] = [:]
  private var checkers: [any PathChecker]
  private var agenda = EventHeap<Event>()
  private var dice: PathDice
  private var captured: [(bytes: [UInt8], source: SocketAddress, destination: SocketAddress)] = []
  private var lastSignal: [[Int]: Nanoseconds] = [:]

  private static let talkInterval = Nanoseconds.milliseconds(250)

  init(_ scenario: PathScenario, mutation: PathMutation = .none) {
    self.scenario = scenario
    self.mutation = mutation
    internet = SimulatedInternet(scenario)
    dice = PathDice(seed: scenario.seed, 2)
    checkers = allPathCheckers()
    for number in scenario.people.indices {
      let id = Participant.ID(high: UInt64(number) + 1, low: scenario.seed)
      let machine = PathMachine(
        PathMachine.Configuration(), random: .seeded(scenario.seed &* 31 &+ UInt64(number)),
        at: hostTime)
      nodes.append(Node(id: id, machine: machine))
      agenda.push(.arrive(number), at: dice.number(0...Nanoseconds.seconds(2)))
      agenda.push(.talk(number), at: .seconds(2) + .milliseconds(7 * Int64(number)))
    }
    if scenario.hasAttacker { agenda.push(.replay, at: .milliseconds(500)) }
    if scenario.liar != nil { agenda.push(.lie, at: .seconds(3)) }
    for (number, fault) in scenario.faults.enumerated() {
      agenda.push(.fault(number), at: fault.at)
    }
  }

  /// The time of the machines' clocks.
  var hostTime: HostTime { HostTime(nanoseconds: 1_000_000_000_000 + now) }

  /// The router of each person's network now.
  var routerOf: [Int?] { internet.hosts.map(\.router) }

  /// The time of the last fault so far; nil before the first.
  var lastFault: Nanoseconds? { scenario.faults.map(\.at).filter { $0 <= now }.max() }

  func run() {
    while breach == nil, let (time, event) = agenda.pop(), time <= scenario.span {
      now = time
      handle(event)
    }
    guard breach == nil else { return }
    for index in checkers.indices {
      if let text = checkers[index].checkHealed(self) { broken(checkers[index].name, text) }
    }
  }

  private func broken(_ invariant: String, _ text: String) {
    breach = breach ?? Breach(invariant: invariant, text: text, at: now)
  }

  private func note(_ occurrence: Occurrence) {
    for index in checkers.indices {
      if let text = checkers[index].note(occurrence, in: self) {
        broken(checkers[index].name, text)
      }
    }
  }

  private func handle(_ event: Event) {
    switch event {
    case .deliver(let bytes, let source, let node):
      let read = mutation.read(bytes, from: source, by: nodes[node].machine)
      step(node) { $0.received(read, from: source, at: $1) }
    case .timer(let node, let alarm):
      mutation.machine(&nodes[node].machine, hostTime)
      perform(nodes[node].alarmRang(alarm, at: hostTime), by: node)
    case .signal(let sender, let receiver, let candidates):
      nodes[receiver].invitedAt[sender] = nodes[receiver].invitedAt[sender] ?? now
      let invitation = PathInvitation(
        peer: nodes[sender].id, key: key(sender, receiver),
        isControlling: nodes[receiver].id < nodes[sender].id, candidates: candidates)
      step(receiver) { $0.open(invitation, at: $1) }
    case .arrive(let node):
      updateAddresses(node)
      step(node) { $0.gather(servers: [SimulatedInternet.server], at: $1) }
    case .talk(let node): talk(node)
    case .lie: lie()
    case .replay: replay()
    case .fault(let number): begin(scenario.faults[number].kind)
    }
  }

  private func step(_ node: Int, _ body: (inout PathMachine, HostTime) -> [PathMachine.Action]) {
    mutation.machine(&nodes[node].machine, hostTime)
    perform(body(&nodes[node].machine, hostTime), by: node)
  }

  private func key(_ a: Int, _ b: Int) -> [UInt8] {
    mutation.sharesKey
      ? [UInt8](repeating: 7, count: 32)
      : (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ min(a, b) &* 31 &+ max(a, b)) }
  }

  private func updateAddresses(_ node: Int) {
    let hosts = internet.addresses(of: node)
    step(node) { $0.addressesChanged(hosts: hosts, mapped: [], at: $1) }
  }

  private func begin(_ fault: PathScenario.Fault.Kind) {
    switch fault {
    case .restart(let router): internet.restart(router)
    case .move(let person, let router):
      internet.move(person, to: router)
      updateAddresses(person)
    }
  }

  // MARK: Actions

  private func perform(_ actions: [PathMachine.Action], by node: Int) {
    for action in actions {
      switch action {
      case .send(let bytes, let remote):
        if let answer = mutation.imaginedAnswer(
          to: bytes, at: remote, by: nodes[node].machine)
        {
          agenda.push(.deliver(answer, from: remote, to: node), at: now + .milliseconds(5))
        }
        send(bytes, from: node, to: remote)
      case .report(.candidates(let found)):
        // A liar's own list is never told.
        if scenario.liar != node { signal(found, from: node) }
      case .report(.opened(let id, _)):
        guard let peer = index(of: id),
          let remote = nodes[node].machine.peers.first(where: { $0.id == id })?.chosen
        else { continue }
        openedAt[[node, peer]] = openedAt[[node, peer]] ?? now
        note(.opened(node, peer: peer, remote: remote))
      case .report(.lost(let id)):
        if let peer = index(of: id) { note(.lost(node, peer: peer)) }
      case .report(.received(let id, let content, _)):
        if let peer = index(of: id) { note(.received(node, peer: peer, content)) }
      }
    }
    switch nodes[node].host.setAlarm(for: nodes[node].machine) {
    case .set(let due, let number):
      let time = max(now, due.nanoseconds - 1_000_000_000_000)
      agenda.push(.timer(node, alarm: number), at: time)
    case .cancel, nil: break
    }
  }

  private func index(of id: Participant.ID) -> Int? { nodes.firstIndex { $0.id == id } }

  private func signal(_ candidates: [PathCandidate], from node: Int) {
    for other in nodes.indices where other != node {
      let delay = dice.number(.milliseconds(20)...Nanoseconds.milliseconds(200))
      // The party keeps each sender's order.
      let arrival = max(now + delay, lastSignal[[node, other]] ?? 0)
      lastSignal[[node, other]] = arrival
      agenda.push(.signal(from: node, to: other, candidates), at: arrival)
    }
  }

  private func talk(_ node: Int) {
    agenda.push(.talk(node), at: now + Self.talkInterval)
    note(.talked(node))
    for peer in nodes.indices where peer != node {
      var packet: (bytes: [UInt8], remote: SocketAddress)?
      step(node) { [id = nodes[peer].id] machine, time in
        packet = machine.send([UInt8(node), UInt8(peer)], to: id, at: time)
        return []
      }
      if let packet { send(packet.bytes, from: node, to: packet.remote) }
    }
  }

  // MARK: Packets

  private func send(_ bytes: [UInt8], from node: Int, to remote: SocketAddress) {
    packetCount += 1
    let arrival = internet.carry(from: node, to: remote, at: now)
    deliver(bytes, arrival, from: node, to: remote)
  }

  private func deliver(
    _ bytes: [UInt8], _ arrival: SimulatedInternet.Arrival, from node: Int, to remote: SocketAddress
  ) {
    if scenario.loss > 0, dice.chance(scenario.loss) { return }
    let delay = scenario.people[node].delay + dice.number(0...scenario.jitter)
    switch arrival {
    case .host(let receiver, let source):
      capture(bytes, source: source, destination: remote)
      let isNear = internet.hosts[node].router == internet.hosts[receiver].router
      let way = isNear ? .milliseconds(1) : delay + scenario.people[receiver].delay
      agenda.push(.deliver(bytes, from: source, to: receiver), at: now + way)
    case .server(let source):
      guard let request = STUNMessage(bytes) else { return }
      let answer = STUNMessage(
        .bindingResponse, request.transaction, mappedAddress: source)
      let back = internet.carryFromInternet(SimulatedInternet.server, to: source, at: now)
      guard case .host(let receiver, let server) = back else { return }
      agenda.push(
        .deliver(answer.bytes, from: server, to: receiver), at: now + 2 * delay)
    case .stray: note(.stray(node, remote))
    case .attacker, .dropped: break
    }
  }

  /// Lets the attacker on the way remember a packet.
  private func capture(_ bytes: [UInt8], source: SocketAddress, destination: SocketAddress) {
    guard scenario.hasAttacker, captured.count < 400, dice.chance(0.3) else { return }
    captured.append((bytes, source, destination))
  }

  /// Lets the attacker send an old packet again, from the old source or from its own address.
  private func replay() {
    agenda.push(.replay, at: now + .milliseconds(100))
    guard !captured.isEmpty else { return }
    let packet = dice.pick(captured)
    let source = dice.chance(0.5) ? SimulatedInternet.attacker : packet.source
    let arrival = internet.carryFromInternet(source, to: packet.destination, at: now)
    guard case .host(let receiver, let seen) = arrival else { return }
    agenda.push(.deliver(packet.bytes, from: seen, to: receiver), at: now + .milliseconds(10))
  }

  /// Lets the liar name another machine's address, with ever new ports.
  private func lie() {
    guard let liar = scenario.liar else { return }
    agenda.push(.lie, at: now + .milliseconds(300))
    let victim = SimulatedInternet.victim
    let claimed = (0..<PathInvitation.candidateLimit).compactMap { _ in
      PathCandidate(
        address: victim.bytes, port: UInt16(truncatingIfNeeded: dice.number(1...65535)),
        kind: .serverReflexive)
    }
    signal(claimed, from: liar)
  }
}
