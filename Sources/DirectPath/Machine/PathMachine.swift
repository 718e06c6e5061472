import Concurrency
import GroupActivities
import STUN
import Timekeeping

/// The decisions about all direct paths of one machine. It does no I/O and reads no clock: datagrams, addresses and
/// times come in, and datagrams and events come out.
///
/// The manner is that of ICE (RFC 8445). Both ends check all pairs of addresses at once, so that the routers between them
/// let the other's packets in; of the pairs that work both ways the controlling end chooses one.
struct PathMachine: Sendable {
  struct Configuration: Hashable, Sendable {
    /// A Boolean value that indicates whether packets go to addresses of this machine itself, for tests and for parties
    /// on one machine.
    var allowsLoopback = false
    /// The Boolean values that indicate whether there is a socket of the family.
    var hasIPv4 = true
    var hasIPv6 = true
  }

  enum Action: Hashable, Sendable {
    case send([UInt8], to: SocketAddress)
    case report(DirectPathEvent)
  }

  let configuration: Configuration
  private var random: RandomSource
  private(set) var peers: [PathPeer] = []
  private var discovery = AddressDiscovery()
  var allowance: CheckAllowance
  /// This machine's own addresses, with the ports of its sockets.
  private var hosts: [SocketAddress] = []
  /// The addresses of ports that routers opened.
  private var mapped: [SocketAddress] = []
  /// The reported candidates; nil before the first report.
  private var reported: [PathCandidate]?
  private var isGathering = false
  /// The time from which on the next check may be sent.
  private var nextSlot: HostTime

  init(_ configuration: Configuration, random: RandomSource, at now: HostTime) {
    self.configuration = configuration
    self.random = random
    allowance = CheckAllowance(at: now)
    nextSlot = now
  }

  // MARK: Addresses

  /// Returns whether packets may go to an address at all.
  func isPermitted(_ address: SocketAddress) -> Bool {
    guard address.isUnicast, address.isIPv6 ? configuration.hasIPv6 : configuration.hasIPv4,
      !hosts.contains(address)
    else { return false }
    // An IPv6 address of a link means nothing without the name of an interface, which the other end can't know.
    return address.isLoopback
      ? configuration.allowsLoopback : !(address.isIPv6 && address.isLinkLocal)
  }

  /// Takes this machine's addresses.
  ///
  /// - Parameters:
  ///   - hosts: the addresses of its interfaces, with the ports of its sockets.
  ///   - mapped: the addresses of ports that routers opened for its sockets.
  mutating func addressesChanged(
    hosts: [SocketAddress], mapped: [SocketAddress], at now: HostTime
  ) -> [Action] {
    guard hosts != self.hosts || mapped != self.mapped else { return [] }
    let hadHosts = self.hosts
    self.hosts = []
    self.hosts = hosts.filter { isPermitted($0) }
    self.mapped = mapped.filter { isPermitted($0) }
    if hadHosts != self.hosts {
      discovery.refresh(at: now)
      for index in peers.indices {
        update(index, peers[index].candidates, at: now)
      }
    }
    return reportCandidates(at: now) + timerFired(at: now)
  }

  /// Asks these relays for the public address.
  ///
  /// - Parameter servers: numeric addresses.
  mutating func gather(servers: [SocketAddress], at now: HostTime) -> [Action] {
    isGathering = true
    discovery.setServers(servers.filter { isPermitted($0) }, at: now)
    return reportCandidates(at: now) + timerFired(at: now)
  }

  private var candidates: [PathCandidate] {
    var found: [PathCandidate] = []
    func add(_ address: SocketAddress, _ kind: PathCandidate.Kind) {
      guard found.count < PathInvitation.candidateLimit,
        !found.contains(where: { $0.address == address.bytes && $0.port == address.port }),
        let candidate = PathCandidate(address: address.bytes, port: address.port, kind: kind)
      else { return }
      found.append(candidate)
    }
    // A few of each kind before further ones of the first.
    let few = PathInvitation.candidateLimit / 2
    for address in hosts.prefix(few) { add(address, .host) }
    for address in mapped.prefix(2) { add(address, .mapped) }
    for address in reflexive { add(address, .serverReflexive) }
    for address in hosts.dropFirst(few) { add(address, .host) }
    return found
  }

  /// The addresses that servers saw, or, where no server answers, one of each family that a participant with an open
  /// path sees.
  private var reflexive: [SocketAddress] {
    var found = discovery.mapped
    for peer in peers where peer.chosen != nil {
      guard let address = peer.observed, isPermitted(address), !address.isPrivate,
        !found.contains(where: { $0.isIPv6 == address.isIPv6 })
      else { continue }
      found.append(address)
    }
    return found
  }

  /// Reports the candidates if they changed. Then what is closed for the old ones may be open for the new ones.
  private mutating func reportCandidates(at now: HostTime) -> [Action] {
    guard isGathering else { return [] }
    let current = candidates
    guard current != reported else { return [] }
    if reported != nil {
      for index in peers.indices where peers[index].chosen == nil { peers[index].checkAll(at: now) }
    }
    reported = current
    return [.report(.candidates(current))]
  }

  // MARK: Participants

  /// Opens a path, or takes the participant's new candidates. Beyond ``PathTiming/peerLimit`` participants it does
  /// nothing.
  mutating func open(_ invitation: PathInvitation, at now: HostTime) -> [Action] {
    precondition(invitation.key.count == 32, "a path's key has 32 bytes")
    let candidates = Array(invitation.candidates.prefix(PathInvitation.candidateLimit))
    var actions: [Action] = []
    let new = PathPeer(invitation, at: now)
    if let index = peers.firstIndex(where: { $0.id == invitation.peer }) {
      if peers[index].keys.incoming.id != new.keys.incoming.id
        || peers[index].isControlling != new.isControlling
      {
        if peers[index].chosen != nil { actions.append(.report(.lost(new.id))) }
        peers[index] = new
      } else if peers[index].candidates == candidates {
        return []
      }
      update(index, candidates, at: now)
    } else {
      guard peers.count < PathTiming.peerLimit else { return [] }
      peers.append(new)
      update(peers.count - 1, candidates, at: now)
    }
    return actions + timerFired(at: now)
  }

  private mutating func update(_ index: Int, _ candidates: [PathCandidate], at now: HostTime) {
    var usable: [(SocketAddress, PathCandidate.Kind)] = []
    for candidate in candidates {
      guard let address = SocketAddress(candidate.address, port: candidate.port),
        isPermitted(address), !usable.contains(where: { $0.0 == address })
      else { continue }
      usable.append((address, candidate.kind))
    }
    peers[index].setCandidates(candidates, usable: usable, near: hosts, at: now)
  }

  /// Forgets a participant.
  mutating func closePath(to peer: Participant.ID) { peers.removeAll { $0.id == peer } }

  // MARK: Datagrams

  /// Returns the packet for a datagram to a participant, and its address; nil if there is no open path.
  mutating func send(
    _ datagram: [UInt8], to peer: Participant.ID, at now: HostTime
  ) -> (bytes: [UInt8], remote: SocketAddress)? {
    guard datagram.count <= PathInvitation.datagramLimit,
      let index = peers.firstIndex(where: { $0.id == peer }), let remote = peers[index].chosen
    else { return nil }
    peers[index].datagramPassed(at: now)
    return (DataPacket.bytes(datagram, peers[index].keys.outgoing), remote)
  }

  /// Takes a packet from a socket.
  mutating func received(
    _ bytes: [UInt8], from remote: SocketAddress, at now: HostTime
  ) -> [Action] {
    if let (id, content) = DataPacket.read(bytes) {
      guard let index = index(ofIncoming: id), peers[index].accepts(from: remote, at: now) else {
        return []
      }
      peers[index].datagramPassed(at: now)
      return [.report(.received(peers[index].id, content, at: now))]
    }
    if let id = CheckPacket.pathID(of: bytes) {
      guard let index = index(ofIncoming: id),
        let packet = CheckPacket(bytes, peers[index].keys.incoming)
      else { return [] }
      return received(packet, from: remote, by: index, at: now)
    }
    guard STUNMessage.isLikely(bytes), let message = STUNMessage(bytes) else { return [] }
    discovery.received(message, from: remote, at: now)
    return reportCandidates(at: now)
  }

  private func index(ofIncoming id: UInt64) -> Int? {
    peers.firstIndex { $0.keys.incoming.id == id }
  }

  private mutating func received(
    _ packet: CheckPacket, from remote: SocketAddress, by index: Int, at now: HostTime
  ) -> [Action] {
    switch packet.kind {
    case .request, .nomination:
      let answer = peers[index].requestReceived(
        packet, from: remote, mayAdd: isPermitted(remote), near: hosts, at: now)
      return (answer.map { [.send($0, to: remote)] } ?? []) + timerFired(at: now)
    case .response, .confirmation:
      let hasChanged = peers[index].answerReceived(packet, from: remote, at: now)
      let path = peers[index].pathToReport(hasChanged: hasChanged)
      return (path.map { [.report(.opened(peers[index].id, $0))] } ?? [])
        + reportCandidates(at: now)
        + (hasChanged ? timerFired(at: now) : [])
    }
  }
}

// MARK: - Time

extension PathMachine: HostedMachine {
  var nextDeadline: HostTime? {
    var next = discovery.nextDeadline
    for peer in peers {
      next.bringForward(to: peer.nextCheck.map { max($0, nextSlot) })
      next.bringForward(to: peer.nextDeadline)
    }
    return next
  }

  mutating func timerFired(at now: HostTime) -> [Action] {
    var actions: [Action] = []
    for index in peers.indices {
      switch peers[index].timePassed(at: now) {
      case .none: break
      case .doubtful: discovery.refresh(at: now)
      case .lost:
        discovery.refresh(at: now)
        actions.append(.report(.lost(peers[index].id)))
      }
    }
    for (bytes, server) in discovery.timerFired(at: now, using: &random) {
      actions.append(.send(bytes, to: server))
    }
    actions += reportCandidates(at: now)
    if now >= nextSlot { actions += check(at: now) }
    return actions
  }

  /// Sends the most urgent check, if one is due and allowed.
  private mutating func check(at now: HostTime) -> [Action] {
    while let (peer, pair) = mostUrgent(at: now) {
      let remote = peers[peer].pairs[pair].remote
      let isKnown =
        peers[peer].chosen == remote || peers[peer].pairs[pair].isValidated(at: now)
      guard
        isKnown || peers[peer].spendCheck(at: now) && allowance.spend(on: remote, at: now)
      else {
        peers[peer].skipCheck(pair, at: now)
        continue
      }
      nextSlot = now + PathTiming.pace
      let bytes = peers[peer].makeCheck(pair, transaction: random.next(), at: now)
      return [.send(bytes, to: remote)]
    }
    return []
  }

  private func mostUrgent(at now: HostTime) -> (peer: Int, pair: Int)? {
    var found: (peer: Int, pair: Int, isUrgent: Bool, due: HostTime)?
    for (number, peer) in peers.enumerated() {
      guard let check = peer.dueCheck(at: now) else { continue }
      if let found, found.isUrgent == check.isUrgent ? found.due <= check.due : found.isUrgent {
        continue
      }
      found = (number, check.index, check.isUrgent, check.due)
    }
    return found.map { ($0.peer, $0.pair) }
  }
}
