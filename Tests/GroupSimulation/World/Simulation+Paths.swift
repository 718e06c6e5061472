import Timekeeping

@testable import GroupActivities

/// A participant's direct paths, as the edge knows them.
struct PathUse {
  /// The number of its address: each change makes another one.
  var address: UInt16 = 0
  var isGathering = false
  var invitations: [Participant.ID: PathInvitation] = [:]
  /// The open paths, with the time at which a datagram last could arrive.
  var open: [Participant.ID: Nanoseconds] = [:]
  /// A Boolean value that indicates whether its user has ever allowed paths.
  var hasAllowed = false
}

/// The edge that opens direct paths: the work of `DirectPath`.
extension Simulation {
  private static let pathStep = Nanoseconds.milliseconds(200)
  /// The time after which a silent path counts as lost.
  private static let pathPatience = Nanoseconds.seconds(5)
  private static let pathJitter = Nanoseconds.milliseconds(1) / 5

  func allowPaths(_ isAllowed: Bool, _ participant: SimulatedParticipant) {
    if isAllowed { participant.paths.hasAllowed = true }
    act(participant) { $0.allowPaths(isAllowed, at: $1) }
    guard isAllowed, !participant.paths.isGathering else { return }
    participant.paths.isGathering = true
    changeAddress(participant)
  }

  func changeAddress(_ participant: SimulatedParticipant) {
    participant.paths.address += 1
    guard participant.paths.isGathering else { return }
    let candidates = [candidate(of: participant)]
    act(participant) { $0.candidatesChanged(to: candidates, at: $1) }
  }

  private func candidate(of participant: SimulatedParticipant) -> PathCandidate {
    PathCandidate(
      address: [192, 0, 2, UInt8(participant.index)], port: 1000 + participant.paths.address,
      kind: .host)!
  }

  func invited(_ participant: SimulatedParticipant, by invitation: PathInvitation) {
    participant.paths.invitations[invitation.peer] = invitation
  }

  /// Returns whether a datagram of one participant reaches the other one, which has to expect it.
  private func reaches(_ sender: SimulatedParticipant, _ receiver: SimulatedParticipant) -> Bool {
    guard let mine = sender.paths.invitations[receiver.id],
      let theirs = receiver.paths.invitations[sender.id], receiver.isRunning,
      mine.key == theirs.key, mine.isControlling != theirs.isControlling
    else { return false }
    return network.arePathsOpen(between: sender.index, receiver.index)
      && (mine.candidates.contains(candidate(of: receiver))
        || theirs.candidates.contains(candidate(of: sender)))
  }

  func lookAtPaths(_ participant: SimulatedParticipant) {
    schedule(.paths(participant.index), at: now + Self.pathStep)
    for other in participants where other !== participant {
      let id = other.id
      guard participant.paths.invitations[id] != nil else {
        participant.paths.open[id] = nil
        continue
      }
      let isReachable = reaches(participant, other) && reaches(other, participant)
      guard let last = participant.paths.open[id] else {
        guard isReachable else { continue }
        participant.paths.open[id] = now
        story.add("\(participant.label) has a path to \(other.label)", at: now)
        let path = OpenPath(
          remote: "\(other.label)",
          roundTrip: .nanoseconds(
            network.pathDelay(between: participant.index, other.index) * 2))
        act(participant) { $0.pathOpened(path, to: id, at: $1) }
        continue
      }
      if isReachable {
        participant.paths.open[id] = now
      } else if now - last > Self.pathPatience {
        participant.paths.open[id] = nil
        story.add("\(participant.label) loses the path to \(other.label)", at: now)
        act(participant) { $0.pathLost(to: id, at: $1) }
      }
    }
  }

  func sendOnPath(
    _ message: WireMessage, from sender: SimulatedParticipant, to id: Participant.ID
  ) {
    guard let receiver = participant(id), sender.paths.open[id] != nil else {
      return seal(message, 0, from: sender, to: .only(id))
    }
    guard let key = sender.party.key(toSend: message, sequence: 0, to: .only(id)),
      reaches(sender, receiver)
    else { return }
    let target = mutation.pathTarget(receiver.index, participants.count)
    let delivery = Delivery(
      from: sender.index, to: target, connection: 0, sequence: 0,
      message: codec.transported(message), original: [], key: key, isOnPath: true)
    let delay = network.pathDelay(between: sender.index, receiver.index)
    schedule(.deliver(delivery), at: now + delay + dice.number(0...Self.pathJitter))
  }
}
