import Concurrency
import Doors
import Foundation
import GroupActivities
import MediaLibrary
import PlaybackCoordination
import Screening
import WatchTogether

/// Performs the effects on the party that this participant is in: the ways in and out, its session, and its relays.
@ScreeningActor
final class PartyAdapter {
  let runner: LoopRunner
  let events: EventBroadcast<ScreeningEvent>
  let memory: PartyMemory
  let sessions: PartySessions
  /// The options for parties that this participant opens or joins.
  private(set) var options = PartyHosting.Options()
  /// The party of earlier runs that is entered next.
  private var recalled: Recalled?
  /// The name under which the others see this participant.
  private(set) var name: String
  /// A Boolean value that indicates whether the user chose ``name``. Otherwise a return restores that of the last stay.
  private var isNameChosen: Bool
  private(set) var party: Party?
  private(set) var hosting: PartyHosting?
  /// The addresses at which others can reach the party that this program hosts; nil for a guest.
  private(set) var reach: Reach?
  /// This participant's identity in the party, and the remembered record of the party.
  private var seat: PartySeat?
  private var tasks: [Task<Void, Never>] = []
  private let relay: StandbyRelay
  let door = PageDoor()
  /// The party that was left last.
  private(set) var left: Participant.ID?
  /// The door to a room elsewhere; nil for none.
  private(set) var room: RoomDoor?
  let coordinator: DelegatingPlaybackCoordinator
  /// The invite that was last shown or remembered.
  private var shownInvite: Invite?
  /// Asks the user whether a film is for everyone; nil if the face can't ask, and films are for everyone.
  private var preparer: (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  /// The newest question whether a film is for everyone.
  private var choosing: Task<GroupActivityActivationResult, Never>?

  init(
    runner: LoopRunner, coordinator: DelegatingPlaybackCoordinator,
    events: EventBroadcast<ScreeningEvent>, name: String, isNameChosen: Bool, memory: PartyMemory
  ) {
    self.runner = runner
    self.events = events
    self.name = name
    self.isNameChosen = isNameChosen
    self.memory = memory
    self.coordinator = coordinator
    relay = StandbyRelay(runner: runner)
    sessions = PartySessions(runner: runner, coordinator: coordinator, events: events)
  }

  /// A Boolean value that indicates whether this program is in a party, so that its films are a group's.
  var isEligible: Bool { party != nil }

  /// The party's invite to pass on, with the current addresses of its relays.
  var invite: Invite? {
    hosting == nil ? party?.invite.abridged(knowing: runner.machine.relays) : fullInvite
  }

  /// The invite for those who have Matinee in the room elsewhere; nil if the party isn't open to them.
  var roomInvite: Invite? { hosting?.isPrivate == false ? invite : nil }

  /// The party's invite with all its relays.
  private var fullInvite: Invite? {
    party?.invite.naming(reach?.places.map(\.address), and: runner.machine.relays)
  }

  // MARK: - Orders

  func perform(_ order: PartyOrder) async throws -> EffectAnswer {
    switch order {
    case .recall(let id): recalled = try await recall(id)
    case .enter(let entrance): return try await enter(entrance, recalled.take())
    case .leave(let departure): return EffectAnswer([.party(await leave(departure))])
    case .beginSession(let activity):
      guard let party else { throw PartyError.notJoined }
      try await sessions.begin(activity, in: party)
    case .endSession: try await sessions.end()
    case .setList(let edit): try await sessions.set(edit.activity)
    case .restore(let list): try await sessions.restore(list)
    case .change(let rule): return try await change(rule)
    case .say(let text): return try await say(text)
    case .askForEarlierChat(let id): try await sessions.askForEarlierChat(id)
    case .sendEarlierChat(let lines, to: let id):
      try await sessions.sendEarlierChat(lines, to: id)
    case .react(let reaction):
      return EffectAnswer([.party(.reacted(try await sessions.react(reaction), reaction))])
    case .propose(let vote): try await sessions.votes.propose(vote)
    case .vote(let isYes, in: let id): try await sessions.votes.vote(isYes, in: id)
    case .endVote(let id): try await sessions.votes.end(id)
    case .rename(let name): try await rename(name)
    case .askWhetherReady: try await sessions.askWhetherReady()
    case .countDown(let seconds): try await sessions.countDown(seconds)
    case .requestForeground: await sessions.requestForeground()
    case .showNotice(let action): try await sessions.showNotice(action)
    case .meet(let participant): memory.meet(participant)
    case .rememberRules:
      if let log = await party?.policyLog { await update { $0.policyLog = log } }
    case .rememberList(let list): await remember(list)
    case .rememberEnding(let words): await update { $0.ending = words }
    case .keepDoor(let door): try await keep(door)
    case .makePage(let path): try await makePage(path)
    case .openSyncplay(let address): try await openSyncplay(at: address)
    case .speakForRoom: if let party { await openRoom(in: party, leads: true) }
    case .offerRelay(let own): await party?.offerRelay(at: own.addresses, local: own.local)
    case .serve:
      guard let party, let own = await relay.serve(party) else { break }
      return EffectAnswer([.party(.served(own))])
    case .verify(let offer, at: let address):
      if let party { await relay.verify(offer, at: address, in: party) }
    case .countClients: return EffectAnswer([.party(.clients(await relay.clientCount))])
    case .bridge(to: let server):
      guard let party else { break }
      try await relay.bridge(party, to: server)
    case .endBridge: await relay.endBridge()
    case .tellInvite: await tellInvite()
    }
    return .done
  }

  /// Sets the options for parties that this participant opens or joins.
  func use(_ options: PartyHosting.Options) { self.options = options }

  /// The party that this participant opens next is a private one, for a room elsewhere.
  func expect(_ room: RoomDoor) { self.room = room }

  /// Leaves the room elsewhere.
  func closeRoom() async { await room.take()?.close() }

  /// Sets the closure that asks the user whether a film is for everyone.
  func setActivationPreparer(
    _ preparer: (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  ) async {
    self.preparer = preparer
    await party?.setActivationPreparer(preparer)
  }

  /// Asks the user whether a list of films is for everyone in the party, instead of an earlier question.
  ///
  /// - Returns: that it is only for this user, outside a party.
  func intent(toShare list: Playlist) async -> GroupActivityActivationResult {
    choosing?.cancel()
    let task = Task { await FilmActivity(list).prepareForActivation(in: party) }
    choosing = task
    return await task.value
  }

  /// Ends the question about a chosen film.
  func close() { choosing?.cancel() }

  /// Changes the remembered facts about the party.
  private func update(_ change: @escaping @Sendable (inout RememberedParty) -> Void) async {
    guard let party else { return }
    await memory.update(party.invite.party, in: seat, change)
  }

  private func remember(_ list: Playlist) async {
    guard let data = try? JSONEncoder().encode(list) else { return }
    let title = list.current.title
    await update { ($0.title, $0.playlist) = (title, data) }
  }

  private func change(_ rule: UserCommand.Rule) async throws -> EffectAnswer {
    guard let party else { throw PartyError.notJoined }
    let invite = party.invite
    try await party.amend(
      try rule.amendment(among: await party.participants) {
        PageFile.link(in: $0, to: invite)?.identity.id
      })
    return EffectAnswer([.fact(.party(await sessions.facts())), .party(.ruleChanged(rule))])
  }

  private func say(_ text: String) async throws -> EffectAnswer {
    guard let party else { throw PartyError.notJoined }
    try await party.sendChat(text)
    await room?.say(text)
    return EffectAnswer([
      .party(.said(await party.localParticipant, PartyText.chat(text) ?? ""))
    ])
  }

  /// Changes the name under which the others see this participant, in this party and later ones.
  private func rename(_ name: String) async throws {
    guard let cleaned = PartyText.name(name) else { throw PartyError.emptyMessage }
    self.name = cleaned
    isNameChosen = true
    try await party?.rename(cleaned)
    await update { $0.name = cleaned }
  }

  /// Restores the name of the last stay in a party, unless the user chose one.
  func recallName(in seat: PartySeat) {
    if !isNameChosen, let last = seat.name { name = last }
  }

  // MARK: - In and out

  /// Enters a party that was opened or joined.
  ///
  /// - Parameter hosting: the servers of a party that this program hosts; nil for a guest.
  func enter(_ party: Party, as seat: PartySeat, hosting: PartyHosting?) async {
    self.seat = seat
    self.hosting = hosting
    reach = hosting?.reach
    self.party = party
    shownInvite = party.invite
    await party.setActivationPreparer(preparer)
    sessions.enter(party, isHosting: hosting != nil)
    if let facts = await sessions.facts() {
      await runner.handle(
        .party(
          .entered(
            .init(
              facts: facts, isEligible: isEligible, relay: ownRelay,
              mayServe: options.standsBy && options.brokers.servers.isEmpty))))
    }
    let (partyEvents, relayChanges) = (party.events, party.relayChanges)
    memory.beginCompany(in: party, seat)
    tasks = [
      Task { [weak self] in
        for await event in partyEvents { await self?.handle(event) }
      },
      Task { [weak self] in
        for await offers in relayChanges { await self?.runner.handle(.party(.relays(offers))) }
      },
    ]
    sessions.attend()
    guard let watch = hosting?.watch else { return }
    await watch.start()
    tasks.append(
      Task { [weak self] in
        for await reach in watch.changes { await self?.handle(reach) }
      })
  }

  /// The relay of a party that this program hosts; nil for another.
  private var ownRelay: OwnRelay? {
    guard let hosting, let reach, hosting.isRelay, let port = hosting.port else { return nil }
    let named = reach.places.contains { $0.kind == .named } ? hosting.boundAddresses : []
    return OwnRelay(
      addresses: reach.places.map(\.address) + named, port: port, listensOn: hosting.listensOn)
  }

  private func handle(_ reach: Reach) async {
    self.reach = reach
    shownInvite = fullInvite
    if let invite { events.send(.reach(.init(invite, reach))) }
    await room?.offer(roomInvite)
    if let ownRelay { await runner.handle(.party(.relayMoved(ownRelay))) }
  }

  /// Shows and remembers the invite with the addresses of the party's relays now.
  private func tellInvite() async {
    guard let invite = fullInvite, invite != shownInvite else { return }
    shownInvite = invite
    if let reach { events.send(.reach(.init(invite, reach))) }
    await update { $0.invite = invite.text }
  }

  private func handle(_ event: PartyEvent) async {
    if case .chat(let author, let text) = event { await room?.said(text, by: author) }
    var precedes = false
    if case .participantJoined(let participant) = event {
      precedes = await party?.preceded(participant.id) ?? false
    }
    sessions.forgetEnded()
    runner.send(.fact(.party(await sessions.facts())))
    await runner.handle(.party(.reported(event, precedes: precedes)))
  }

  private func handOver(to id: Participant.ID, in party: Party) async {
    do throws(PartyError) {
      try await party.amend(.handOver(to: id))
    } catch {
      // The log of changes is full. The party continues without a host.
    }
  }

  private func leave(_ departure: Departure) async -> ScreeningMachine.PartyChange {
    if let party { await leave(party, departure) }
    return .left(closing: departure.closesForOthers, isEligible: isEligible)
  }

  private func leave(_ party: Party, _ departure: Departure) async {
    if let host = departure.newHost { await handOver(to: host, in: party) }
    let kept = departure.kept.map {
      KeptRelay($0, for: party, isHosts: hosting != nil, options)
    }
    await memory.endCompany()
    await door.close()
    switch departure.room {
    case .leaves: await closeRoom()
    case .comesAlong: await room?.part()
    case .waits: await room?.part(leaving: true)
    }
    if departure.forgets {
      await memory.forget(party.invite.party, in: seat)
    } else {
      await update { $0.seenAt = Date() }
    }
    let place = seat
    seat = nil
    left = party.invite.party
    self.party = nil
    for task in tasks { task.cancel() }
    tasks = []
    sessions.detach()
    await party.leave(closesParty: departure.closes, keepsRelay: kept != nil)
    if departure.retires {
      await hosting?.retire()
      await relay.retire()
    }
    // The seat is held until now, so that no other program of this user becomes this participant.
    withExtendedLifetime(place) {}
    await relay.end()
    await hosting?.stop()
    if kept?.start() == false {
      events.send(.warning("No relay could be started: everyone else loses the party."))
    }
    hosting = nil
    reach = nil
  }
}
