import Concurrency
import Foundation
import GroupActivities
import MediaLibrary
import Screening

/// The remembered parties, and the people that this user met there.
@ScreeningActor
final class PartyMemory {
  /// The size of the largest party in which people are remembered. In a larger crowd a participant hasn't met the
  /// others.
  private static let companyLimit = 50

  /// Nil if nothing is remembered.
  let library: MediaLibrary?
  private let memory: ForgivingLibrary
  private let events: EventBroadcast<ScreeningEvent>
  /// The participants who joined or changed their names, to be remembered one after another.
  private var company: AsyncStream<Participant>.Continuation?
  private var isRemembered = OneShot<Void>()

  init(
    _ memory: ForgivingLibrary, events: EventBroadcast<ScreeningEvent>
  ) {
    self.memory = memory
    library = memory.library
    self.events = events
  }

  /// The folder of the locks with which the user's programs agree on who holds an identity; nil if nothing is
  /// remembered.
  var folder: String? { library?.path }

  /// Takes this user's seat in a party that it joins. If the remembered identity can't be read, the user joins as a new
  /// participant, and nothing of the visit is remembered.
  func seat(in invite: Invite) async -> PartySeat {
    let seat = await PartySeat.take(in: invite.party, from: library)
    if case .unreadable(let reason) = seat.memory {
      events.send(
        .warning(
          "Can't read who you are in this party (\(reason)). You join as a new participant, and what is kept stays "
            + "unchanged. To return as yourself, restart Matinee and join again."))
    }
    return seat
  }

  /// Returns a remembered party.
  ///
  /// - Parameter id: the party's id; nil for the last party that didn't end.
  /// - Throws: ``RejoinProblem``, ``NothingToDo``.
  func party(_ id: String?) async throws -> (RememberedParty, Invite) {
    guard let library else { throw NothingToDo.noLibrary }
    return try await library.remembered(id)
  }

  /// Remembers a party that was just entered.
  ///
  /// - Parameter port: the port of this user's own relay; nil without one.
  func remember(
    _ invite: Invite, in seat: PartySeat, as name: String, isHost: Bool, port: Int?,
    policyLog: Data?
  ) async {
    guard seat.isKept else { return }
    await memory.use { library in
      let before = try await library.party(invite.party.description)
      try await library.remember(
        RememberedParty(
          id: invite.party.description, invite: invite.text, identity: seat.identity.seed,
          name: name, title: before?.title, playlist: before?.playlist, isHost: isHost,
          port: port,
          policyLog: policyLog ?? before?.policyLog))
    }
  }

  /// Changes the remembered facts about the party that this participant is in.
  ///
  /// - Parameter seat: its seat, which holds the record; nil for none.
  func update(
    _ party: Participant.ID, in seat: PartySeat?,
    _ change: @escaping @Sendable (inout RememberedParty) -> Void
  ) async {
    guard let seat, seat.isKept else { return }
    await update(party.description, change)
  }

  /// Forgets the party that this participant is in.
  func forget(_ party: Participant.ID, in seat: PartySeat?) async {
    guard let seat, seat.isKept else { return }
    await memory.use { try await $0.forget(party: party.description) }
  }

  func update(
    _ party: String, _ change: @escaping @Sendable (inout RememberedParty) -> Void
  ) async {
    await memory.use { try await $0.update(party: party, change) }
  }

  // MARK: - People

  /// Begins to remember the people in a party.
  func beginCompany(in party: Party, _ seat: PartySeat) {
    let (newcomers, continuation) = AsyncStream.makeStream(
      of: Participant.self, bufferingPolicy: .bufferingNewest(Self.companyLimit))
    let isRemembered = OneShot<Void>()
    (company, self.isRemembered) = (continuation, isRemembered)
    Task { [weak self] in
      // Separate from the events, because the disk may be slow.
      for await participant in newcomers { await self?.remember(participant, in: party, seat) }
      isRemembered.fulfil(())
    }
  }

  /// Remembers a participant who joined, or changed its name.
  func meet(_ participant: Participant) { company?.yield(participant) }

  /// Waits until the participants who were just met are remembered, unless the disk doesn't answer.
  func endCompany() async {
    guard let company else { return }
    company.finish()
    self.company = nil
    await isRemembered.value(atMost: .seconds(2))
  }

  /// Remembers another participant, and reports whether this user has met that person before.
  private func remember(
    _ participant: Participant, in party: Party, _ seat: PartySeat
  ) async {
    guard seat.isKept, await party.participantCount <= Self.companyLimit,
      participant.id != party.localID
    else { return }
    let now = Date()
    let person = MetPerson(
      party: party.invite.party.description, key: participant.id.description,
      name: participant.name, metAt: now, seenAt: now)
    await memory.use { library in
      let known = try await library.meet(person, since: seat.since)
      if let before = known.before {
        events.send(.met(.init(participant), .init(name: before.name, last: before.seenAt)))
      }
      if let namesake = known.namesake {
        events.send(
          .warning(
            "This \(participant.name) has another key than the \(namesake.name) whom you met here on "
              + "\(StoryWords.day(namesake.metAt)): another person, or another machine. "
              + "To be sure, ask something that only \(namesake.name) knows."))
      }
    }
  }
}

extension MediaLibrary {
  /// Returns a remembered party.
  ///
  /// - Parameter id: the party's id; nil for the last party that didn't end.
  /// - Throws: an error with a text for the user if there is none, or it can't be read.
  package func remembered(_ id: String?) async throws -> (RememberedParty, Invite) {
    let known: RememberedParty?
    do throws(MediaLibraryError) {
      known =
        if let id { try await party(id) } else {
          try await parties().first { $0.ending == nil }
        }
    } catch {
      throw RejoinProblem.unreadable(error.reason)
    }
    guard let known else { throw RejoinProblem.unknown }
    do throws(InviteError) {
      return (known, try Invite(known.invite))
    } catch {
      throw RejoinProblem.unreadable("The kept invite is damaged")
    }
  }
}
