import Timekeeping

/// Direct paths to other participants, on which clock exchanges travel.
extension PartyMachine {
  /// Allows direct paths, or closes them.
  mutating func allowPaths(_ isAllowed: Bool, at now: HostTime) -> [PartyAction] {
    latest = now
    return performed(paths.allow(isAllowed, at: now))
  }

  /// This machine's addresses for direct paths changed.
  mutating func candidatesChanged(
    to candidates: [PathCandidate], at now: HostTime
  ) -> [PartyAction] {
    latest = now
    return performed(paths.candidatesChanged(to: candidates, at: now))
  }

  mutating func pathOpened(
    _ path: OpenPath, to id: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    latest = now
    let isNew = paths.path(to: id) == nil
    guard paths.opened(path, to: id) else { return [] }
    // The better way deserves a new estimate, as after joining.
    if isNew, id == keeper.known { beginClockBurst(at: now) }
    return [.report(.pathChanged(to: id, path))]
  }

  mutating func pathLost(to id: Participant.ID, at now: HostTime) -> [PartyAction] {
    latest = now
    guard paths.path(to: id) != nil else { return [] }
    paths.lost(to: id)
    return [.report(.pathChanged(to: id, nil))]
  }

  /// Processes an offer of a participant that has answered a challenge.
  mutating func received(
    _ offer: PathOffer, from id: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    guard let peer = roster[id], peer.isPresent else { return refuse() }
    // The offer may be older than the search for participants that paths are wanted with.
    let directives = updateNeighbors(at: now)
    return performed(
      directives + paths.received(offer, from: id, epoch: peer.epoch, at: now))
  }

  /// Returns whether a message came on a way on which it may: on a direct path only its own participant's clock exchanges.
  func cameRightly(_ inbound: InboundMessage) -> Bool {
    guard let path = inbound.path else { return true }
    return path == inbound.sender && inbound.message.mayTravelOnPath
  }

  mutating func attendToPaths(at now: HostTime) -> [PartyAction] {
    performed(updateNeighbors(at: now) + paths.timerFired(at: now))
  }

  /// Sends clock exchanges on the direct path.
  mutating func onBestWay(_ actions: [PartyAction], to id: Participant.ID) -> [PartyAction] {
    guard !actions.isEmpty else { return [] }
    switch paths.probeSent(to: id) {
    case .relay: return actions
    case .path: return actions.map(Self.onPath)
    case .both: return actions.map(Self.onPath) + actions
    }
  }

  private static func onPath(_ action: PartyAction) -> PartyAction {
    guard case .send(let message, _, .only(let id)) = action else { return action }
    return .sendOnPath(message, to: id)
  }

  private mutating func updateNeighbors(at now: HostTime) -> [PathAgreement.Directive] {
    guard paths.isStale, joinedAt != nil else { return [] }
    return paths.neighborsChanged(to: neighbors, at: now)
  }

  /// The participants with which paths are wanted: in a small party all, in a larger one the pairs with the reference, with
  /// which the others compare their clocks.
  private var neighbors: [PathAgreement.Neighbor] {
    guard participantCount <= PathAgreement.limit + 1 else { return [] }
    return roster.present.filter { peer in
      !isLarge || isReference || peer.id == keeper.known
    }.map { PathAgreement.Neighbor(id: $0.id, epoch: $0.epoch) }
  }

  private mutating func performed(_ directives: [PathAgreement.Directive]) -> [PartyAction] {
    directives.flatMap { directive -> [PartyAction] in
      switch directive {
      case .offer(let offer, let id):
        return [.send(.direct(.pathOffer(offer)), sequence: 0, to: .only(id))]
      case .open(let id, let publicKey, let candidates):
        guard
          let key = policy.keys.exchange.agree(publicKey, Self.context(of: id, configuration.id))
        else { return refuse() }
        return [
          .openPath(
            PathInvitation(
              peer: id, key: key, isControlling: configuration.id < id, candidates: candidates))
        ]
      case .close(let id):
        return [.closePath(to: id), .report(.pathChanged(to: id, nil))]
      }
    }
  }

  /// The two ends of a path, in an order that is the same for both.
  private static func context(of a: Participant.ID, _ b: Participant.ID) -> [UInt8] {
    Array("path".utf8) + min(a, b).bytes + max(a, b).bytes
  }
}

extension WireMessage {
  /// A Boolean value that indicates whether it may arrive on a direct path: everything else needs the relay's order.
  fileprivate var mayTravelOnPath: Bool {
    switch self {
    case .direct(.probe(let probe)): !probe.introduction
    case .direct(.probeReply(let reply)): reply.introduction == nil
    case .direct, .event, .beacon, .loose, .lane: false
    }
  }
}
