import GroupActivities
import Timekeeping

/// Joining a group and leaving it, and who else is in it.
extension CoordinatorMachine {
  /// From now on this coordinator is one of a group's.
  ///
  /// - Parameters:
  ///   - me: this participant's id in the party.
  ///   - shift: what to add to times of before to get the group's.
  ///   - controllers: whose changes count; nil for everybody's.
  ///   - reports: what the others said last.
  mutating func join(
    as me: Participant.ID, shift: Duration, controllers: Set<Participant.ID>? = nil,
    reports: [Participant.ID: ParticipantReport], at now: GroupTime
  ) -> [CoordinatorAction] {
    self.me = me
    return changeGroup(shift: shift, controllers: controllers, reports: reports, at: now)
  }

  /// From now on this coordinator is on its own.
  mutating func leaveGroup(shift: Duration, at now: GroupTime) -> [CoordinatorAction] {
    changeGroup(shift: shift, controllers: nil, reports: [:], at: now)
  }

  /// The player's place is carried over into the other time as a proposal, so that nobody is moved
  /// by it.
  private mutating func changeGroup(
    shift: Duration, controllers: Set<Participant.ID>?,
    reports: [Participant.ID: ParticipantReport], at now: GroupTime
  ) -> [CoordinatorAction] {
    func carry(_ old: ItemState) -> ItemState {
      var state = old
      state.change = .proposed
      state.originator = me
      state.stamp = proposalStamp(at: now)
      switch old.phase {
      case .paused(let at, _): state.phase = .paused(at: at, isExact: true)
      case .starting(let from, _):
        // Somebody wants to play: that holds, if the group has nothing else in mind.
        state.phase = startPhase(from: from, immediately: false, at: now)
      case .playing(var timeline):
        timeline.groupTime = timeline.groupTime + shift
        state.phase = .playing(timeline)
      }
      return state
    }
    let carried = groupState.map(carry)
    ownState = ownState.map(carry)
    states = [:]
    others = [:]
    roundTrips = [:]
    reference = nil
    stamps = StampClock(participant: me)
    readyFor = nil
    snapDeadline = nil
    overdue = nil
    frameless = nil
    waitLog.changeGroup(shift: shift)
    self.controllers = controllers
    inFlight?.issuedAt = now
    // Whoever is new to the group has told it nothing yet.
    lastReport?.item = nil
    // The commands that are out were made in the other time; the player keeps following them.
    if case .playing = commanded, let following = ownState ?? carried {
      commanded =
        if case .playing(let timeline) = following.phase {
          .playing(timeline, rate: following.rate)
        } else { .nothing }
    }
    if case .preparing = commanded { commanded = .nothing }
    if let currentItem, let carried { states[currentItem] = carried }
    var actions: [CoordinatorAction] = []
    for (id, report) in reports.sorted(by: { $0.key < $1.key }) {
      actions += received(report, from: id, at: now)
    }
    return actions + claimIfUnowned(at: now) + follow(at: now) + publish(announce: true)
      + settle(at: now)
  }

  /// Who is in the session besides this participant.
  mutating func membersChanged(
    _ members: Set<Participant.ID>, at now: GroupTime
  ) -> [CoordinatorAction] {
    let gone = others.keys.filter { !members.contains($0) }
    guard !gone.isEmpty else { return [] }
    for id in gone { others[id] = nil }
    return [.report(.participantsChanged)] + settle(at: now)
  }
}
