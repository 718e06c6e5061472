import Concurrency
import DrawTogether
import Foundation
import GroupActivities
import NATSTransport
import PlaybackCoordination
import Screening
import Timekeeping

/// Opening, joining and leaving parties.
extension Theater {
  /// Remembers copies that the user named. A copy is opened instead of the party's address if it is the same film.
  func remember(_ films: [FilmIdentity]) {
    for film in films {
      copies[film.identifier] = film
      policy.allow(originOf: film.location)
    }
  }

  /// Opens a party with the current program.
  func openParty(_ options: PartyHosting.Options) async throws {
    guard party == nil else { return }
    let founding = Party.Founding()
    let seat = PartySeat(founding: founding, folder: history?.library.path)
    try await host(founding, seat, options, returning: false)
  }

  /// - Parameter returning: true for a return to a party in which others may be.
  func host(
    _ founding: Party.Founding, _ seat: PartySeat, _ options: PartyHosting.Options, returning: Bool
  ) async throws {
    let (hosting, transport) = try await PartyHosting.start(options, founding: founding)
    do {
      let (party, isEmpty) = try await open(
        founding, on: hosting, transport, returning: returning, policyLog: seat.policyLog)
      self.seat = seat
      self.hosting = hosting
      reach = hosting.reach
      emit(.hosting(.init(party.invite, hosting.reach)))
      await enter(party)
      if let watch = hosting.watch {
        await watch.start()
        partyTasks.append(
          Task { [weak self] in
            for await reach in watch.changes { self?.take(reach) }
          })
      }
      // Rules that still hold from an earlier run are not set again.
      let rules = await party.rules
      if options.control != .everyone, options.control != rules.control {
        try await party.amend(.control(options.control))
      }
      if options.waiting != .everyone, options.waiting != rules.waiting {
        try await party.amend(.waiting(options.waiting))
      }
      await rememberParty(party.invite, isHost: true, port: hosting.port)
      // A host who returns to participants watches their film.
      if let ownProgram, isEmpty { try await start(ownProgram, in: party) }
    } catch {
      await hosting.stop()
      throw error
    }
  }

  /// Joins the participants who are still in the party, or else creates it. They reconnect to its relay on their own,
  /// and a returning host waits for them because their program holds.
  private func open(
    _ founding: Party.Founding, on hosting: PartyHosting, _ transport: any GroupTransport,
    returning: Bool, policyLog: Data?
  ) async throws -> (Party, isEmpty: Bool) {
    var transport = transport
    if returning {
      do throws(PartyError) {
        let party = try await Party.join(
          founding.invite(addresses: hosting.addresses), as: founding.identity, name: name,
          transport: transport, policyLog: policyLog, deadline: .seconds(5))
        return (party, false)
      } catch {
        guard error == .nobodyHere else { throw error }
        transport = hosting.anotherTransport(founding, transport)
      }
    }
    let party = try await Party.create(
      founding, addresses: hosting.addresses, name: name, transport: transport,
      policyLog: policyLog)
    return (party, true)
  }

  /// The party's invite, with the current addresses if this program hosts the party.
  var invite: Invite? {
    guard let party, let reach else { return party?.invite }
    return party.invite.at(reach.places.map(\.address))
  }

  private func take(_ reach: Reach) {
    self.reach = reach
    if let invite { emit(.reach(.init(invite, reach))) }
  }

  /// - Parameter brokers: the servers to connect to instead of the invite's addresses, if any are named, and the
  ///   settings for the connection.
  func joinParty(_ invite: Invite, brokers: PartyHosting.Brokers) async throws {
    if party != nil { await leaveParty() }
    let invited = try invite.addresses.map { address in try ServerAddress(address.text) }
    let seat = await seat(in: invite)
    let party = try await join(
      invite, as: seat.identity, policyLog: seat.policyLog,
      through: brokers.configuration(orElse: invited))
    take(seat)
    await rememberParty(invite, isHost: seat.identity.id == invite.party)
    await enter(party)
  }

  /// Joins a party through the invite's addresses, and tries the rest if the party isn't at the first that answers.
  ///
  /// In the guest's network a private address, which is common in homes, may lead to another relay. A relay that
  /// doesn't admit this party loses to one that does. One that admits all parties may win, but then it is empty.
  private func join(
    _ invite: Invite, as identity: ParticipantIdentity, policyLog: Data?,
    through configuration: NATSConfiguration
  ) async throws -> Party {
    let servers = configuration.servers
    let keys = PartyKeys(secret: invite.secret, party: invite.party)
    func attempt(_ servers: [ServerAddress]) -> NATSTransport {
      var configuration = configuration
      configuration.servers = servers
      return NATSTransport(
        configuration: configuration, admission: keys.admission, logger: .ofTransport)
    }
    let transport = attempt(servers)
    do throws(PartyError) {
      return try await Party.join(
        invite, as: identity, name: name, transport: transport, policyLog: policyLog,
        deadline: .seconds(servers.count > 1 ? 5 : 10))
    } catch {
      let others = servers.filter { $0 != transport.server }
      guard error == .nobodyHere, !others.isEmpty else { throw error }
      do throws(PartyError) {
        return try await Party.join(
          invite, as: identity, name: name, transport: attempt(others), policyLog: policyLog)
      } catch let second {
        // The report that the party is empty is more useful than the second error.
        if case .transport = second { throw error }
        throw second
      }
    }
  }

  /// Starts a session and returns once the coordinator has entered it: the next command is then the group's.
  func start(_ program: FilmActivity, in party: Party) async throws {
    let entry = nextEntry
    try await program.activate(in: party)
    await entry.value(atMost: .seconds(3))
  }

  private func enter(_ party: Party) async {
    self.party = party
    partyEnding = nil
    isLinkUp = true
    await take(.enteredParty)
    cameIn = .now()
    try? await player.setExpectsNudges(true)
    await player.endLoops()
    await wait(by: await party.rules)
    let events = party.events
    let (newcomers, continuation) = AsyncStream.makeStream(
      of: Participant.self, bufferingPolicy: .bufferingNewest(Self.companyLimit))
    let isRemembered = OneShot<Void>()
    company = (continuation, isRemembered)
    partyTasks = [
      Task { [weak self] in
        // Separate from the events, because the disk may be slow.
        for await participant in newcomers { await self?.meet(participant) }
        isRemembered.fulfil(())
      },
      Task { [weak self] in
        for await event in events { await self?.handle(event) }
      },
      Task { [weak self] in
        for await session in await FilmActivity.sessions(in: party) {
          await self?.take(part: session)
        }
      },
    ]
    followDrawings(in: party)
  }

  /// The time after joining within which a session's first film counts as already being watched.
  private static let arrival = Duration.seconds(3)

  /// Joins each session of the party, because the user entered the party for them.
  private func take(part session: GroupSession<FilmActivity>) async {
    self.session = session
    await session.join()
    do {
      try await coordinator.coordinateWithSession(session)
    } catch {
      emit(.failed("\(error)"))
    }
    nextEntry.fulfil(())
    nextEntry = OneShot()
    let decision = session.decision
    let first = decision.activity
    share(first.playlist)
    // A user who joins with an invite and without a film asks for the party's film. This implies consent, within
    // limits.
    // Opening a party implies none: its first film may be any guest's choice.
    if hosting == nil, copies.isEmpty, film == nil, let location = first.location,
      case .ask(let origin) = policy.verdict(on: location), !hasTakenPart,
      await consent(byJoiningTo: decision, at: origin).isGiven
    {
      policy.allow(origin, on: .internet)
    }
    hasTakenPart = true
    await take(.sessionBegan)
    await adopt(first, by: session.initiator, cause: cause(of: session))
    partyTasks.append(Task { [weak self] in await self?.listen(to: session) })
    partyTasks.append(Task { [weak self] in await self?.followReactions(in: session) })
    partyTasks.append(
      Task { [weak self] in
        // The first change may repeat the current activity, or be a newer one.
        for await change in session.activityChanges {
          await self?.sessionChanged(change, in: session)
        }
      })
  }

  private func consent(
    byJoiningTo decision: GroupSession<FilmActivity>.Decision, at origin: Origin
  ) async -> JoiningConsent {
    let rules = await party?.rules
    let arrival = await party?.arrival
    var consent = JoiningConsent(
      isHostsChoice: rules.map { $0.role(of: decision.by) != .guest } ?? false,
      precedesJoining: arrival.map { decision.at <= $0 } ?? false, network: .unknown)
    // Resolving a name may take seconds.
    if consent.isHostsChoice, consent.precedesJoining {
      consent.network = await HostNetwork.find(origin.host)
    }
    return consent
  }

  /// Returns the reason why this participant watches a session's first film.
  private func cause(of session: GroupSession<FilmActivity>) -> FilmCause {
    guard HostTime.now() - cameIn < Self.arrival else { return .chosen }
    return session.initiator == party?.localID ? .own : .current
  }

  /// The number of other participants who lose the party if this participant leaves it.
  var othersLosingParty: Int {
    get async {
      guard let party else { return 0 }
      let rules = await party.rules
      let endsWithMe = rules.lifetime == .endsWhenHostLeaves && rules.host == party.localID
      guard hosting?.isRelay == true || endsWithMe else { return 0 }
      return await party.participantCount - 1
    }
  }

  /// Pauses the film for everyone and ends the party. Only its host may do that.
  func closeParty() async throws {
    guard let party else { throw PartyError.notJoined }
    guard await party.localParticipant.isHost else { throw PartyError.notPermitted }
    try await pauseIfPlaying()
    await leaveParty(closing: true)
  }

  /// - Parameter closing: true if the party ends for the others too. It always does when this program is their relay.
  func leaveParty(closing: Bool = false) async {
    guard let party else { return dismissPartyEnding() }
    let closes = closing || hosting?.isRelay == true
    let count = await party.participantCount
    // Whoever was just met is remembered, unless the disk doesn't answer.
    if let company {
      company.newcomers.finish()
      await company.isRemembered.value(atMost: .seconds(2))
    }
    // The party's program becomes this participant's own.
    ownProgram =
      programme.keepsFilm && film?.item != program?.item ? film.map { FilmActivity($0) } : program
    await updateParty { $0.seenAt = Date() }
    let place = seat
    seat = nil
    self.party = nil
    session = nil
    for task in partyTasks { task.cancel() }
    partyTasks = []
    endDrawings()
    await drawingChanged()
    await party.leave(closesParty: closes)
    // The seat is held until now, so that no other program of this user becomes this participant.
    withExtendedLifetime(place) {}
    await hosting?.stop()
    hosting = nil
    reach = nil
    roster = []
    restoring?.cancel()
    sharedPlaylist = nil
    await take(.leftParty)
    await wait(by: nil)
    isLinkUp = false
    hasTakenPart = false
    emit(.left(closing: closes && count > 1))
  }

  /// Ends the party's session for everyone. The party continues.
  func endSession() async throws {
    guard let session else { throw PartyError.sessionOver }
    try await pauseIfPlaying()
    try await session.end()
  }

  func change(_ rule: UserCommand.Rule) async throws {
    guard let party else { throw PartyError.notJoined }
    let participants = await party.participants
    try await party.amend(try rule.amendment(among: participants))
    let rules = await party.rules
    let excluded = participants.count { !rules.admits($0.id) }
    if rule == .close, excluded > 0 {
      emit(
        .warning(
          "Closing admits the participants who have been here longest. The \(excluded) newest are out."
        ))
    }
  }

  func say(_ text: String) async throws {
    guard let party else { throw PartyError.notJoined }
    try await party.sendChat(text)
    emit(.chat(.init(await party.localParticipant), PartyText.chat(text) ?? ""))
  }

  private static func accusation(of participant: Participant, _ offence: Misbehavior) -> String {
    let doing =
      switch offence {
      case .malformed: "sent invalid data (modified client?)"
      case .flood: "sent too much at once"
      case .unauthorized: "tried something only hosts may do"
      }
    return "\(participant.name) \(doing). It was ignored; a host can remove \(participant.name)."
  }

  private func handle(_ event: PartyEvent) async {
    if let party { roster = merge(await party.participants) }
    switch event {
    case .joined(let me):
      emit(.joined(.init(me), isHost: me.isHost))
      await emitParticipants()
    case .participantJoined(let participant):
      emit(
        .participantJoined(
          .init(participant), wasHere: await party?.preceded(participant.id) ?? false))
      await emitParticipants()
      company?.newcomers.yield(participant)
    case .participantLeft(let participant, let announced):
      emit(.participantLeft(.init(participant), announced: announced))
      await emitParticipants()
    case .renamed(let participant, let old):
      emit(.renamed(.init(participant), from: old))
      await emitParticipants()
      company?.newcomers.yield(participant)
    case .chat(let participant, let text): emit(.chat(.init(participant), text))
    case .sessionEnded(FilmActivity.activityIdentifier, let by):
      // The next session may have begun already.
      if case .invalidated = session?.state { session = nil }
      emit(.sessionEnded(by: await name(of: by)))
    case .connected(let server):
      isLinkUp = true
      emit(.connected(server))
    case .disconnected(let reason):
      isLinkUp = false
      emit(.disconnected(reason))
    case .eventsMissing(let id, let count):
      emit(.warning("\(count) messages from \(await name(of: id)) were lost"))
    case .skippedMessage(let type, let version, let sender):
      emit(
        .warning(
          "Skipped a message from \(sender.name), whose version of Matinee is newer (\(type) \(version))"
        ))
    case .sessionEnded(DrawTogether.activityIdentifier, _): drawingIsOver()
    case .activityChanged, .sessionEnded, .notice, .foregroundRequested: break
    case .misbehaved(let participant, let offence):
      emit(.warning(Self.accusation(of: participant, offence)))
    case .warning(let text): emit(.warning(text))
    case .rulesChanged(let rules, let old, let by):
      await rememberRules()
      await wait(by: rules)
      let names = Dictionary(roster.map { ($0.id, $0.name) }) { first, _ in first }
      emit(
        .rules(
          .init(rules, from: old, by: await name(of: by)) { names[$0] ?? "somebody" }))
      await emitParticipants()
    case .closed(let end):
      switch end {
      case .left, .transport(nil): return
      case .transport(let error?):
        emit(.failed("The party ended: \(error)"))
        // Set before leaving, so that no reader takes it for the participant's own departure.
        partyEnding = .failed("\(error)")
        await leaveParty()
      case .removed(let by):
        let name = await name(of: by)
        emit(.failed("\(name) removed you from the party"))
        await updateParty { $0.ending = "you were removed" }
        partyEnding = .removed(by: name)
        await leaveParty()
      case .hostLeft, .closed:
        // The newest roster may no longer contain the host.
        let host: Participant.ID? =
          if case .closed(let by) = end { by } else { await party?.rules.host }
        let name = await name(of: host)
        emit(.partyClosed(by: name))
        await leaveParty()
        partyEnding = .closed(by: name)
      }
      emit(.changed)
    }
  }

  /// Forgets the ending of the last party.
  private func dismissPartyEnding() {
    guard partyEnding != nil else { return }
    partyEnding = nil
    emit(.changed)
  }

  /// Returns the present participants and those who left. The notes about their actions still need the names.
  private func merge(_ present: [Participant]) -> [Participant] {
    let ids = Set(present.map(\.id))
    return present + roster.filter { !ids.contains($0.id) }.prefix(64)
  }
}
