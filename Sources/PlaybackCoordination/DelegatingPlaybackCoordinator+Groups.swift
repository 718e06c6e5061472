import Foundation
import GroupActivities
import Timekeeping

/// Joining and leaving a session or a medium.
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
    group = GroupMembership(link: .session(party, id, outbox: outbox), tasks: [])
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
          case .digest(let data): await party.setCoordinationBrief(data, session: id)
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
    if let old, let session = old.session { await old.party?.endCoordination(session: session) }
  }

  func sessionEnded(_ id: GroupSessionID, _ reason: InvalidationReason) async {
    guard let group, group.session == id else { return }
    leave(group, reason)
    await group.party?.endCoordination(session: id)
  }

  func leave(_ group: GroupMembership, _ reason: InvalidationReason) {
    self.group = nil
    switch group.link {
    case .session(_, _, let outbox): outbox.finish()
    case .medium(let medium): medium.disconnect(machine.me)
    }
    for task in group.tasks { task.cancel() }
    let shift = .zero - lastReading.offset
    lastReading = .alone
    perform(machine.leaveGroup(shift: shift, at: now))
    eventContinuation.yield(.sessionEnded(reason))
  }

  // MARK: - Within one process

  /// The medium that coordinates this coordinator with others in this process; nil for none.
  public var playbackCoordinationMedium: PlaybackCoordinationMedium? {
    if case .medium(let medium) = group?.link { medium } else { nil }
  }

  /// Coordinates with the other coordinators of a medium from now on, or with none.
  ///
  /// - Throws: ``CoordinationError/alreadyCoordinating`` while in a session.
  ///
  /// Mirrors `coordinate(using:)`.
  public func coordinate(
    using medium: PlaybackCoordinationMedium?
  ) throws(CoordinationError) {
    guard group?.session == nil else { throw .alreadyCoordinating }
    guard playbackCoordinationMedium !== medium else { return }
    if let group { leave(group, .left) }
    guard let medium else { return }
    // The id is known in this process only.
    let id = Participant.ID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    let (reports, news) = medium.connect(self, as: id)
    group = GroupMembership(link: .medium(medium), tasks: [])
    for other in reports.keys { machine.distances.roundTrips[other] = .zero }
    perform(machine.join(as: id, shift: .zero, reports: reports, at: now))
    group?.tasks = [
      Task { [weak self] in
        for await item in news { await self?.newsReceived(item, from: medium) }
      }
    ]
  }

  private func newsReceived(
    _ news: PlaybackCoordinationMedium.News, from medium: PlaybackCoordinationMedium
  ) {
    guard playbackCoordinationMedium === medium else { return }
    switch news {
    case .report(let report, let sender):
      machine.distances.roundTrips[sender] = .zero
      perform(machine.received(report, from: sender, at: now))
    case .members(let members):
      perform(machine.membersChanged(members.subtracting([machine.me]), at: now))
    }
  }
}
