import Foundation
import GroupActivities

/// Joining and leaving a session.
extension DelegatingPlaybackCoordinator {
  /// Coordinates with the others in a session from now on, until it is over for this participant.
  ///
  /// The group's state for the current item wins, if the group has one; otherwise this player's position and rate
  /// become the group's. Mirrors `coordinateWithSession(_:)`.
  ///
  /// - Throws: ``CoordinationError/alreadyCoordinating``.
  public func coordinateWithSession<A: GroupActivity>(
    _ session: GroupSession<A>
  ) async throws(CoordinationError) {
    let (party, id) = (session.party, session.id)
    if let group, group.session == id { throw .alreadyCoordinating }
    let (incoming, inbox) = AsyncStream.makeStream(
      of: Party.CoordinationUpdate.self, bufferingPolicy: .bufferingNewest(1024))
    let (newRules, rulesInbox) = AsyncStream.makeStream(
      of: PartyRules.self, bufferingPolicy: .bufferingNewest(16))
    let (links, linkInbox) = AsyncStream.makeStream(
      of: Bool.self, bufferingPolicy: .bufferingNewest(16))
    let (rules, known, isLinkUp) = await party.beginCoordination(
      session: id,
      handler: Party.CoordinationHandler {
        inbox.yield($0)
      } rulesChanged: {
        rulesInbox.yield($0)
      } linkChanged: {
        linkInbox.yield($0)
      })
    // No suspension point may come between here and the machine's join: its times change with the group.
    let old = group
    if let old {
      guard old.session != id else { throw .alreadyCoordinating }
      leave(old, .replaced(by: session.initiator))
    }
    let (outgoing, outbox) = AsyncStream.makeStream(
      of: GroupMembership.Outgoing.self, bufferingPolicy: .bufferingNewest(256))
    group = GroupMembership(party: party, session: id, outbox: outbox, tasks: [])
    proofs = StateProofs()
    let shift = reading.offset - lastReading.offset
    lastReading = reading
    var reports: [Participant.ID: ParticipantReport] = [:]
    for update in known { reports[update.sender] = decode(update) }
    perform(
      machine.join(
        as: party.localID, shift: shift, controllers: rules.controllers, reports: reports,
        isLinkUp: isLinkUp, at: now))
    for update in known { note(update) }

    group?.tasks = [
      Task {
        for await news in outgoing {
          switch news {
          case .report(let data, let isCommand):
            await party.setCoordination(data, session: id, isCommand: isCommand)
          case .digest(let data, let otherCopy):
            await party.setCoordinationDigest(data, otherCopy: otherCopy, session: id)
          }
        }
      },
      Task { [weak self] in
        for await update in incoming { await self?.receive(update) }
      },
      Task { [weak self] in
        for await rules in newRules { await self?.rulesChanged(rules) }
      },
      Task { [weak self] in
        for await isUp in links { await self?.linkChanged(isUp: isUp) }
      },
      Task { [weak self] in
        for await participants in session.activeParticipantsUpdates {
          await self?.membersChanged(participants)
        }
      },
      Task { [weak self] in
        for await case .invalidated(let reason) in session.states {
          await self?.sessionEnded(id, reason)
        }
      },
    ]
    if let old { await old.party.endCoordination(session: old.session) }
  }

  func sessionEnded(_ id: GroupSessionID, _ reason: InvalidationReason) async {
    guard let group, group.session == id else { return }
    leave(group, reason)
    await group.party.endCoordination(session: id)
  }

  func leave(_ group: GroupMembership, _ reason: InvalidationReason) {
    self.group = nil
    group.outbox.finish()
    for task in group.tasks { task.cancel() }
    let shift = .zero - lastReading.offset
    lastReading = .alone
    perform(machine.leaveGroup(shift: shift, at: now))
    eventContinuation.yield(.sessionEnded(reason))
  }
}
