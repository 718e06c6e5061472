import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// No participant starts before the instant, and no participant that was ready misses content.
///
/// A start can reach a participant after its instant only because the message was slower than the
/// round trips that its publisher had measured, by more than the margin. Then the player joins the
/// line late. The same goes for participants of whom the publisher could not know that they count,
/// because their last report had not reached it: those that returned from a suspension a moment
/// ago, or were on the other side of a partition. It also goes for all while participants come and
/// leave, since the round trips are being measured then.
struct StartChecker: Checker {
  let name = "a coordinated start is together and complete"
  /// The greatest lateness of a player that does its best, in host time.
  private static let playerLateness = Nanoseconds.milliseconds(5)

  /// The participants that each start was made for, as its publisher knew them, including itself.
  private var counted: [Stamp: Set<Participant.ID>] = [:]
  /// The reference of each participant's clock, with the time since when it has been the reference
  /// or since a participant came or left.
  private var references: [Participant.ID: (reference: Participant.ID?, since: Nanoseconds)] = [:]
  /// The time that all participants need to measure their way to the reference, and to report it.
  private static let settling = Nanoseconds.seconds(3)

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    if case .published(let report) = occurrence, let state = report.state, state.isPlaying,
      state.stamp.participant == participant.id, counted[state.stamp] == nil
    {
      // A publisher without a connection makes a start for itself only.
      let isAlone = !participant.party.isConnected
      let others = participant.coordinator.others.filter {
        !isAlone && $0.value.item == state.item && $0.value.suspensions.isEmpty
      }
      counted[state.stamp] = Set(others.keys).union([participant.id])
    }
    switch occurrence {
    case .met, .lost, .tick:
      let reference = participant.inParty { $0.reference }
      if case .tick = occurrence, references[participant.id]?.reference == reference { break }
      references[participant.id] = (reference, simulation.now)
    default: break
    }
    guard case .started(let start, let host, let place) = occurrence,
      case .play(let rate, let from, let instant) = start.directive.kind
    else { return nil }
    guard let state = participant.coordinator.state, case .playing(let line) = state.phase,
      state.item == start.directive.item, start.session == participant.session
    else { return nil }
    if line.groupTime != instant || line.itemTime != from, state.rate == rate {
      // A newer command is on its way to the player, or this command was never the group's.
      guard participant.coordinator.commanded == .playing(line, rate: state.rate) else {
        return nil
      }
      return "\(participant.label) starts off the group's line"
    }
    if host.nanoseconds < start.hostTime.nanoseconds {
      return "\(participant.label) starts \(start.hostTime.nanoseconds - host.nanoseconds) ns early"
    }
    guard start.isStartOfReady, !participant.isSuspended else { return nil }
    let isInTime = start.issuedAt.nanoseconds <= start.hostTime.nanoseconds
    if isInTime {
      let late = host.nanoseconds - start.hostTime.nanoseconds
      let from = participant.player.reachable(from)
      let missed = place.nanoseconds - from.nanoseconds - Int64(Double(late) * rate)
      if late > Self.playerLateness, participant.thawedAt < simulation.now - .seconds(1) {
        return "\(participant.label) was ready and starts \(late / 1_000_000) ms late"
      }
      if missed > Self.playerLateness {
        return "\(participant.label) was ready and misses \(missed / 1_000_000) ms"
      }
    } else if let publisher = simulation.participant(state.stamp.participant),
      counted[state.stamp]?.contains(participant.id) ?? false,
      isSettled(publisher, participant, at: simulation.now),
      start.transit <= leadNeeded(from: publisher, to: participant, in: simulation)
    {
      return "\(participant.label) was ready, and the start of \(publisher.label) came after its "
        + "instant although it took only \(start.transit / 1_000_000) ms"
    }
    return nil
  }

  private func isSettled(
    _ a: SimulatedParticipant, _ b: SimulatedParticipant, at now: Nanoseconds
  ) -> Bool {
    guard let first = references[a.id], let second = references[b.id] else { return false }
    return first.reference == second.reference
      && max(first.since, second.since) + Self.settling < now
  }

  /// Returns the lead that the start needs: half of both participants' round trips to the
  /// reference. The margin beyond that is for the machines' own delays, which here are zero.
  private func leadNeeded(
    from publisher: SimulatedParticipant, to participant: SimulatedParticipant,
    in simulation: Simulation
  ) -> Nanoseconds {
    guard publisher !== participant, let reference = participant.inParty({ $0.reference }),
      let middle = simulation.participant(reference)
    else { return 0 }
    func roundTrip(_ one: SimulatedParticipant) -> Nanoseconds {
      one === middle
        ? 0
        : simulation.network.delay(from: one.index, to: middle.index)
          + simulation.network.delay(from: middle.index, to: one.index)
    }
    return (roundTrip(publisher) + roundTrip(participant)) / 2
  }
}
