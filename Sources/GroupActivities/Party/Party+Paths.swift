import Timekeeping

/// Direct paths to the other participants: clock exchanges travel on them, past the relay.
extension Party {
  /// Uses an edge that opens direct paths; at most once. No path is opened before ``allowDirectPaths(_:)``.
  ///
  /// The party closes the edge at its end.
  public func useDirectPaths(_ paths: any DirectPaths) {
    guard !isClosed, edges.directPaths == nil else { return }
    edges.directPaths = paths
    gatherPaths()
    let events = paths.events
    let reading = Task { [weak self, inbox, sealer, subject = keys.subjects.only(localID)] in
      var sorter = MessageSorter(sealer: sealer)
      for await event in events {
        if case .received(let id, let datagram, let arrival) = event {
          let message = TransportMessage(subject: subject, payload: datagram, receivedAt: arrival)
          guard inbox.put(sorter.sort(message, onPathOf: id)) else { return }
        } else {
          guard let self else { return }
          await self.handle(event)
        }
      }
    }
    edges.work.append(reading)
  }

  /// Allows direct paths to the participants that allow them too, or closes them. Those participants learn this machine's
  /// addresses.
  public func allowDirectPaths(_ isAllowed: Bool) {
    perform(machine.allowPaths(isAllowed, at: .now()))
    gatherPaths()
  }

  /// The open direct paths, by participant.
  public var paths: [Participant.ID: OpenPath] { machine.paths.paths }

  /// Gathers addresses as soon as they are needed: before that, relays learn nothing of direct paths.
  func gatherPaths() {
    guard let paths = edges.directPaths else { return }
    guard machine.paths.isAllowed else { return paths.gather(servers: []) }
    // A member can name any address, which is no reason to send packets there.
    let offered = relayOffers.flatMap(\.reached)
    paths.gather(servers: offered + invite.addresses.filter { !offered.contains($0) })
  }

  private func handle(_ event: DirectPathEvent) {
    switch event {
    case .candidates(let candidates):
      perform(machine.candidatesChanged(to: candidates, at: .now()))
    case .opened(let id, let path): perform(machine.pathOpened(path, to: id, at: .now()))
    case .lost(let id): perform(machine.pathLost(to: id, at: .now()))
    case .received: break  // Sorted before.
    }
  }

  /// Sends a message on a path, or over the relay if the path is closed by now.
  func sendOnPath(_ message: WireMessage, to id: Participant.ID) {
    let subject = keys.subjects.only(id)
    guard let sealed = seal(message, 0, for: subject, to: .only(id)) else { return }
    if edges.directPaths?.send(sealed, to: id) != true { send(message, 0, to: .only(id)) }
  }
}
