import GroupActivities
import Timekeeping

/// Joining and leaving a group, and its members.
extension CoordinatorMachine {
  /// Makes this coordinator a member of a group.
  ///
  /// - Parameters:
  ///   - me: this participant's id in the party.
  ///   - shift: the difference to add to earlier times to get the group's times.
  ///   - controllers: the participants whose changes count; nil for all participants.
  ///   - reports: the others' latest reports.
  ///   - isLinkUp: whether the connection to the others is up.
  mutating func join(
    as me: Participant.ID, shift: Duration, controllers: Set<Participant.ID>? = nil,
    reports: [Participant.ID: ParticipantReport], isLinkUp: Bool = true, at now: GroupTime
  ) -> [CoordinatorAction] {
    self.me = me
    self.isLinkUp = isLinkUp
    return changeGroup(shift: shift, controllers: controllers, reports: reports, at: now)
  }

  /// Makes this coordinator independent of a group.
  mutating func leaveGroup(shift: Duration, at now: GroupTime) -> [CoordinatorAction] {
    isLinkUp = true
    return changeGroup(shift: shift, controllers: nil, reports: [:], at: now)
  }

  /// Carries the player's position over into the other time as a proposal, so that it moves no other player.
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
        // A participant wants to play: that remains valid unless the group has another state.
        state.phase = startPhase(from: from, immediately: false, at: now)
      case .playing(var timeline):
        timeline.groupTime = timeline.groupTime + shift
        state.phase = .playing(timeline)
      }
      return state
    }
    let carried = groupState.map(carry)
    let ended = dropReplay(.sessionChanged)
    if trouble.hold.isHeld { separate() }
    trouble.hold = .init()
    ownState = suspensions.isEmpty ? nil : ownState.map(carry)
    states = [:]
    others = [:]
    distances.roundTrips = [:]
    distances.reference = nil
    stamps = StampClock(participant: me)
    readyFor = nil
    snapDeadline = nil
    lapses.overdue = nil
    lapses.frameless = nil
    waitLog.changeGroup(shift: shift)
    self.controllers = controllers
    inFlight?.issuedAt = now
    // A new member hasn't sent the group any report yet.
    reported.report?.item = nil
    // The pending commands were made in the other time; the player keeps following them.
    if case .playing = commanded, let following = ownState ?? carried {
      commanded =
        if case .playing(let timeline) = following.phase {
          .playing(timeline, rate: following.rate)
        } else { .nothing }
    }
    if case .preparing = commanded { commanded = .nothing }
    if let currentItem, let carried { states[currentItem] = carried }
    var actions = ended
    for (id, report) in reports.sorted(by: { $0.key < $1.key }) {
      actions += received(report, from: id, at: now)
    }
    return actions + claimIfUnowned(at: now) + follow(at: now) + publish(announce: true)
      + settle(at: now)
  }

  /// Takes the loss or the return of this participant's connection to the others. A start that waits for others begins
  /// as soon as the connection is lost; after its return the newest change wins, as ever.
  mutating func setLinkUp(_ isUp: Bool, at now: GroupTime) -> [CoordinatorAction] {
    guard isUp != isLinkUp else { return [] }
    isLinkUp = isUp
    return settle(at: now)
  }

  /// Updates the others in the session.
  mutating func membersChanged(
    _ members: Set<Participant.ID>, at now: GroupTime
  ) -> [CoordinatorAction] {
    let gone = others.keys.filter { !members.contains($0) }
    guard !gone.isEmpty else { return [] }
    for id in gone { others[id] = nil }
    return [.report(.participantsChanged)] + settle(at: now)
  }
}
