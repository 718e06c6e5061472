import Foundation
import Timekeeping

/// The party's rules: changing them, passing them on, and their effects.
extension PartyMachine {
  var policyLog: PolicyLog {
    get { policy.log }
    set { policy.log = newValue }
  }

  var rules: PartyRules { policyLog.rules }

  /// - Returns: nil if this participant may not make the change, or the rules changed too often.
  mutating func amend(_ amendment: PartyAmendment, at now: HostTime) -> [PartyAction]? {
    guard joinedAt != nil else { return nil }
    var new = policyLog
    guard new.amend(amendment, by: configuration.id, authorship: configuration.authorship) else {
      return nil
    }
    // The secret of a new epoch goes first: with it, the others read whatever follows.
    let actions = adopt(new, isOwn: true, at: now) + sendEvent(.policyLog(new.message))
    return actions + claimSessions(at: now)
  }

  /// Signs each session again whose author has lost the right to decide on it. A newcomer would not accept it
  /// from that author.
  private mutating func claimSessions(at now: HostTime) -> [PartyAction] {
    sessions.current.filter { !rules.mayControl($0.stamp.participant) }
      .flatMap { vouch(for: $0, at: now) ?? [] }
  }

  /// Signs a session again, unchanged, because the others no longer accept its author's signature.
  ///
  /// The new stamp follows the author's directly: it isn't a decision, so it loses to every later decision, also to one
  /// that this participant hasn't heard of yet. Nor is it this user's choice: nobody may take it for consent.
  ///
  /// - Returns: nil if this participant may not decide on sessions, or the group's time isn't known yet.
  private mutating func vouch(
    for register: SessionRegister, at now: HostTime
  ) -> [PartyAction]? {
    guard joinedAt != nil, rules.mayControl(configuration.id), let reading = clockReading(at: now)
    else { return nil }
    var register = register
    let time = register.stamp.time
    register.stamp = Stamp(time: time == .max ? .max : time + 1, participant: configuration.id)
    register.isRestated = true
    guard stamps.observe(register.stamp, at: reading.groupTime(at: now)) else { return nil }
    return publish(register)
  }

  /// Signs a session that this participant decided on or vouches for, and sends it to all.
  mutating func publish(_ register: SessionRegister) -> [PartyAction] {
    var register = register
    register.opening = policyLog.opening?.number
    register.proof = configuration.authorship.sign(register.provenBytes)
    return adopt(register) + sendEvent(.session(register))
  }

  /// Returns whether a session with this stamp is to be stored. A stored session whose author may no longer
  /// decide gives way to any other: its author may have made it only after losing the right, so other
  /// participants may have refused it.
  func admits(_ stamp: Stamp, kind: UInt32) -> Bool {
    sessions.admits(stamp, kind: kind) { !rules.mayControl($0) }
  }

  func admits(_ register: SessionRegister) -> Bool {
    sessions.admits(register) { !rules.mayControl($0) }
  }

  /// Sends the policy log to a participant that isn't admitted, so that it learns the reason. Only the
  /// reference does so; the others ignore all of its messages.
  mutating func turnAway(_ id: Participant.ID, at now: HostTime) -> [PartyAction] {
    guard isReference, allowances.turningAway.spend(at: now) else { return [] }
    return [
      .send(
        .direct(.policyLog(policyLog.message)), sequence: 0, to: .only(id))
    ]
  }

  mutating func policyLogReceived(_ message: PolicyLogLinks, at now: HostTime) -> [PartyAction] {
    guard policyLog.mayChange(by: message) else { return [] }
    guard
      let offered = PolicyLog(
        creator: configuration.party, message, authorship: configuration.authorship,
        known: policyLog)
    else { return refuse() }
    let before = policyLog
    let merged = before.merged(with: offered)
    guard merged != before else { return [] }
    let actions = adopt(merged, isOwn: false, at: now)
    return actions + repeatRemovals(in: before, at: now)
  }

  /// Removes participants again whose removal by this participant isn't in the log any more, because another change was
  /// made at the same time and prevails.
  private mutating func repeatRemovals(
    in before: PolicyLog, at now: HostTime
  ) -> [PartyAction] {
    guard membership != .left else { return [] }
    return before.links.flatMap { link -> [PartyAction] in
      guard link.author == configuration.id, case .remove(let id) = link.amendment,
        !rules.removed.contains(id)
      else { return [] }
      return amend(link.amendment, at: now) ?? []
    }
  }

  private mutating func adopt(
    _ new: PolicyLog, isOwn: Bool, at now: HostTime
  ) -> [PartyAction] {
    let (old, before) = (policyLog.rules, policyLog)
    policyLog = new
    if rules.removed.contains(configuration.id) {
      membership = .left
      return [.report(.removed(by: new.links.last?.author ?? rules.host))]
    }
    var actions = adaptKeys(isOwn: isOwn, at: now)
    for id in rules.removed.subtracting(old.removed) {
      actions += depart(id, announced: true, at: now)
    }
    updateReference(at: now)
    if joinedAt == nil, old.admits(configuration.id), !rules.admits(configuration.id) {
      actions.append(.report(.notAdmitted))
    }
    if joinedAt != nil, !new.hasHistory(of: before) {
      actions.append(
        .report(.rulesChanged(rules, from: old, by: new.links.last?.author ?? rules.host)))
    }
    if new.opening != before.opening { actions += endEarlierSessions(at: now) }
    return actions
  }

  /// Ends the sessions that were decided on before the creator opened the party again. A participant that has
  /// been here long, and may decide, continues its own.
  private mutating func endEarlierSessions(at now: HostTime) -> [PartyAction] {
    var actions: [PartyAction] = []
    for register in sessions.all where register.opening != policyLog.opening?.number {
      if !register.ended, hasStayed(at: now), let own = vouch(for: register, at: now) {
        actions += own
        continue
      }
      sessions.remove(register)
      playback.forget(register.id)
      guard joinedAt != nil, !register.ended else { continue }
      actions.append(.report(.sessionReplaced(register.id, by: configuration.party)))
    }
    return actions
  }

  /// Returns whether this participant has been here long enough to know of any earlier opening.
  private func hasStayed(at now: HostTime) -> Bool {
    guard let joinedAt, let reading = clockReading(at: now) else { return false }
    return reading.groupTime(at: now) - joinedAt > configuration.timing.freshness
  }

  /// Ends the party if the leaving participant requests that and may decide it as the host. The party's
  /// creator may have handed that role over and still be its relay, which only the loss of the connection
  /// proves.
  mutating func closing(by id: Participant.ID, _ leave: Leave) -> [PartyAction] {
    guard leave.closesParty, joinedAt != nil else { return [] }
    if id == rules.host { return [.report(.partyClosed(by: id))] }
    if id == configuration.party { departure.relay = id }
    return []
  }

  /// Ends the party when its host left, if the rules require that.
  func endIfHostLeft(_ id: Participant.ID) -> [PartyAction] {
    guard rules.lifetime == .endsWhenHostLeaves, id == rules.host else { return [] }
    return [.report(.hostLeft)]
  }
}
