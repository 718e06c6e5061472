import Concurrency
import Foundation
import GroupActivities
import MediaLibrary
import Screening
import WatchTogether

/// The party that this participant is in, and the ways into and out of it.
@ScreeningActor
final class OwnPartyRoom: PartyDoor {
  /// The parts of the program that a party concerns.
  struct Links {
    var film: @ScreeningActor (FilmDecisions.Event) async -> Void
    var follow: @ScreeningActor ([ScreeningDirective]) async -> Void
    /// Lets a film continue at its remembered position, once it is open.
    var resume: @ScreeningActor (String) async -> Void
    /// Prepares the drawing for a party that was entered.
    var prepare: @ScreeningActor (Party) async -> Void
    /// Ends what concerned the party.
    var wrapUp: @ScreeningActor () async -> Void
    /// Handles the end of a session that isn't one of watching films.
    var otherSessionEnded: @ScreeningActor (String) async -> Void
  }

  let core: ScreeningCore<OriginRefusal>
  let events: EventBroadcast<ScreeningEvent>
  let sessions: SessionRoom
  let memory: PartyMemory
  let links: Links
  /// Asks the user whether a film is for everyone; nil if the face can't ask, and films are for everyone.
  private var preparer: (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  /// The options for parties that this participant opens or joins.
  var options = PartyHosting.Options()
  /// The name under which the others see this participant.
  private(set) var name: String
  /// A Boolean value that indicates whether the user chose ``name``. Otherwise a return restores that of the last stay.
  private var isNameChosen: Bool
  private(set) var party: Party?
  private var hosting: PartyHosting?
  /// The addresses at which others can reach the party that this program hosts; nil for a guest.
  private(set) var reach: Reach?
  /// This participant's identity in the party, and the remembered record of the party.
  private var seat: PartySeat?
  private var tasks: [Task<Void, Never>] = []
  private let observer = GroupStateObserver()
  private lazy var standby = StandbyRoom { [weak self] in await self?.relaysChanged() }
  /// The invite that was last shown or remembered.
  private var shownInvite: Invite?
  /// A Boolean value that indicates whether this machine relays for the party after this program's end.
  private var keepsRelay = false
  /// Fulfilled when the last departure from a party is complete; nil before the first one.
  private var departure: OneShot<Void>?

  init(
    core: ScreeningCore<OriginRefusal>, events: EventBroadcast<ScreeningEvent>, name: String,
    isNameChosen: Bool, sessions: SessionRoom, memory: PartyMemory, links: Links
  ) {
    self.core = core
    self.events = events
    self.name = name
    self.isNameChosen = isNameChosen
    self.sessions = sessions
    self.memory = memory
    self.links = links
  }

  /// A Boolean value that indicates whether this process is in a party, so that its films are a group's.
  var isEligible: Bool { observer.isEligibleForGroupSession }

  // MARK: - For display

  /// The party's invite, with the current addresses of its relays.
  var invite: Invite? {
    guard let party else { return nil }
    return party.invite.naming(reach?.places.map(\.address), and: standby.offers)
  }

  /// A Boolean value that indicates whether this program hosts the party.
  var isHosting: Bool { hosting != nil }

  /// The number of other participants who lose the party if this participant leaves it.
  var othersLosingParty: Int {
    get async {
      guard let party else { return 0 }
      let rules = await party.rules
      let endsWithMe = rules.lifetime == .endsWhenHostLeaves && rules.host == party.localID
      guard endsWithMe || isServing && standby.successor == nil && !keepsRelay else { return 0 }
      return await party.participantCount - 1
    }
  }

  /// A Boolean value that indicates whether this machine can relay for the party after this program's end, and no other
  /// takes over.
  var canKeepRelay: Bool {
    get async {
      guard let party, isServing, standby.successor == nil else { return false }
      return await party.rules.lifetime == .automatic
    }
  }

  /// A Boolean value that indicates whether others use this program's relay.
  private var isServing: Bool { servingRelay != nil }

  /// This program's relay, if others use it.
  private var servingRelay: StandbyRoom.OwnRelay? {
    ownRelay ?? (standby.isInUse ? standby.own : nil)
  }

  func name(of id: Participant.ID?) async -> String {
    guard let party, let id else { return "you" }
    return await party.participants.first { $0.id == id }?.name
      ?? core.machine.membership.name(of: id)
  }

  /// Returns what the party reports now; nil outside a party.
  func reading() async -> ScreeningReading.Party? {
    guard let party else { return nil }
    let rules = await party.rules
    let participants = await party.participants
    let state: ScreeningReading.Party.SessionState =
      switch sessions.session?.state {
      case .joined: .joined
      case .waiting: .waiting
      case .invalidated, nil: .over
      }
    return .init(
      me: party.localID, rules: rules, participants: participants,
      groupTime: party.clock.reading?.groupTime(at: .now()), session: state)
  }

  // MARK: - Orders

  func perform(_ order: PartyOrder) async throws {
    switch order {
    case .host: try await open(options)
    case .join(invite: let text): try await join(try Invite(text), brokers: options.brokers)
    case .rejoin(let id): try await rejoin(id)
    case .leave(let closing): await leave(closing: closing)
    case .keepRelay: try await keepRelay()
    case .leaveEnded(let ending): await leave(after: ending)
    case .endSession: try await sessions.end()
    case .change(let rule): try await change(rule)
    case .say(let text): try await say(text)
    case .react(let reaction): try await sessions.react(reaction)
    case .rename(let name): try await rename(name)
    case .askWhetherReady: try await sessions.askWhetherReady()
    case .showNotice(let action): try await sessions.showNotice(action)
    case .meet(let participant): memory.meet(participant)
    case .rememberRules:
      if let log = await party?.policyLog { await update { $0.policyLog = log } }
    case .rememberEnding(let words): await update { $0.ending = words }
    }
  }

  func setList(_ edit: ListEdit) async throws { try await sessions.setList(edit) }

  /// Sets the closure that asks the user whether a film is for everyone.
  func setActivationPreparer(
    _ preparer: (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  ) async {
    self.preparer = preparer
    await party?.setActivationPreparer(preparer)
  }

  func intent(toShare list: Playlist) async -> GroupActivityActivationResult {
    await FilmActivity(list).prepareForActivation(in: party)
  }

  func beginSession(_ list: Playlist) async throws {
    guard let party else { throw PartyError.notJoined }
    try await sessions.begin(list, in: party)
  }

  /// Changes the remembered facts about the party.
  func update(_ change: @escaping @Sendable (inout RememberedParty) -> Void) async {
    guard let party else { return }
    await memory.update(party.invite.party, in: seat, change)
  }

  /// Remembers the party's list of films, with which its host can open the party again.
  func rememberList() async {
    guard let list = core.machine.list, let data = try? JSONEncoder().encode(list) else { return }
    let title = list.current.title
    await update { ($0.title, $0.playlist) = (title, data) }
  }

  private func change(_ rule: UserCommand.Rule) async throws {
    guard let party else { throw PartyError.notJoined }
    let participants = await party.participants
    try await party.amend(try rule.amendment(among: participants))
    let rules = await party.rules
    let excluded = participants.count { !rules.admits($0.id) }
    if rule == .close, excluded > 0 {
      events.send(
        .warning(
          "Closing admits the participants who have been here longest. The \(excluded) newest are out."
        ))
    }
  }

  private func say(_ text: String) async throws {
    guard let party else { throw PartyError.notJoined }
    try await party.sendChat(text)
    events.send(.chat(.init(await party.localParticipant), PartyText.chat(text) ?? ""))
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

  /// Lets this machine relay for the party when this program leaves it, if no other relay takes over.
  private func keepRelay() async throws {
    guard isServing else { throw KeptRelay.Problem.noRelay }
    guard await party?.rules.lifetime == .automatic else { throw KeptRelay.Problem.endsWithHost }
    keepsRelay = true
  }

  // MARK: - In and out

  /// Enters a party that was opened or joined.
  ///
  /// - Parameter hosting: the servers of a party that this program hosts; nil for a guest.
  func enter(_ party: Party, as seat: PartySeat, hosting: PartyHosting?) async {
    self.seat = seat
    self.hosting = hosting
    reach = hosting?.reach
    if let hosting { events.send(.hosting(.init(party.invite, hosting.reach))) }
    self.party = party
    core.machine.membership.entered(at: .now())
    await party.setActivationPreparer(preparer)
    await links.film(.enteredParty)
    // Before the session, whose film the player may load at once.
    await links.prepare(party)
    await links.follow(
      core.machine.eligibilityChanged(to: isEligible)
        + [Decisions.waiting(by: await party.rules)])
    let events = party.events
    memory.beginCompany(in: party, seat)
    tasks = [
      Task { [weak self] in
        for await event in events { await self?.handle(event) }
      }
    ]
    sessions.attend(party)
    shownInvite = party.invite
    await standby.begin(
      in: party, own: ownRelay, mayServe: options.standsBy && options.brokers.servers.isEmpty)
    if let watch = hosting?.watch {
      await watch.start()
      tasks.append(
        Task { [weak self] in
          for await reach in watch.changes { await self?.handle(reach) }
        })
    }
  }

  /// The relay of a party that this program hosts; nil for another.
  private var ownRelay: StandbyRoom.OwnRelay? {
    guard let hosting, let reach, hosting.isRelay, let port = hosting.port else { return nil }
    let named = reach.places.contains { $0.kind == .named } ? hosting.boundAddresses : []
    return .init(
      addresses: reach.places.map(\.address) + named, port: port, listensOn: hosting.listensOn)
  }

  private func handle(_ reach: Reach) async {
    self.reach = reach
    shownInvite = invite
    if let invite { events.send(.reach(.init(invite, reach))) }
    if let ownRelay { await standby.offer(ownRelay) }
  }

  /// Shows and remembers the invite with the addresses of the party's relays now.
  private func relaysChanged() async {
    guard let invite, invite != shownInvite else { return }
    shownInvite = invite
    if let reach { events.send(.reach(.init(invite, reach))) }
    await update { $0.invite = invite.text }
  }

  private func handle(_ event: PartyEvent) async {
    if case .connected(let server) = event { standby.linkChanged(to: server) }
    if case .disconnected = event { standby.linkChanged(to: nil) }
    var precedes = false
    if case .participantJoined(let participant) = event {
      precedes = await party?.preceded(participant.id) ?? false
    }
    let facts = await reading()
    await links.follow(core.machine.handle(event, in: facts, precedes: precedes))
    guard case .sessionEnded(let kind, let by) = event else { return }
    guard kind == FilmActivity.activityIdentifier else {
      return await links.otherSessionEnded(kind)
    }
    sessions.sessionEnded()
    events.send(.sessionEnded(by: await name(of: by)))
  }

  /// Prepares the party for the end of this program's relay, if another one takes over: its owner becomes the host if
  /// this participant is.
  ///
  /// - Returns: the relay that takes over; nil if none can, or if the party ends with its host.
  private func handOver(in party: Party) async -> RelayOffer? {
    guard let successor = standby.successor, await party.participantCount > 1 else { return nil }
    let rules = await party.rules
    guard rules.host == party.localID else { return successor }
    guard rules.lifetime == .automatic else { return nil }
    await handOver(to: successor.owner, in: party)
    return successor
  }

  /// Makes the participant who has been here longest the host, if this one is.
  private func appointHost(in party: Party) async {
    guard await party.rules.host == party.localID,
      let first = await party.participants.dropFirst().first
    else { return }
    await handOver(to: first.id, in: party)
  }

  private func handOver(to id: Participant.ID, in party: Party) async {
    do throws(PartyError) {
      try await party.amend(.handOver(to: id))
    } catch {
      // The log of changes is full. The party continues without a host.
    }
  }

  /// Leaves the party, if there is one, and returns when nothing of it is left: a departure that is under way, such as
  /// from a party that is over, is completed first.
  func leaveCompletely() async {
    await leave()
    await departureEnds()
  }

  /// Waits for the departure that is under way, if there is one.
  func departureEnds() async { await departure?.certainValue() }

  /// - Parameters:
  ///   - closing: true if the party ends for the others too. It always does when this program is their relay and no
  ///     other can take over.
  ///   - ending: the ending of the party; nil if the user leaves it.
  func leave(closing: Bool = false, after ending: PartyEnding? = nil) async {
    guard let party else { return }
    let successor = closing ? nil : await handOver(in: party)
    var kept: KeptRelay?
    if !closing, successor == nil, keepsRelay, await canKeepRelay, let servingRelay {
      kept = KeptRelay(servingRelay, for: party, isHosts: isHosting, options)
      await appointHost(in: party)
    }
    keepsRelay = false
    let closes = closing || hosting?.isRelay == true && successor == nil && kept == nil
    let count = await party.participantCount
    await memory.endCompany()
    guard core.machine.beginLeaving(after: ending) else { return }
    let departure = OneShot<Void>()
    self.departure = departure
    defer { departure.fulfil(()) }
    await update { $0.seenAt = Date() }
    let place = seat
    seat = nil
    self.party = nil
    for task in tasks { task.cancel() }
    tasks = []
    sessions.detach()
    await links.wrapUp()
    await party.leave(closesParty: closes, keepsRelay: kept != nil)
    if successor != nil {
      await hosting?.retire()
      await standby.retire()
    }
    // The seat is held until now, so that no other program of this user becomes this participant.
    withExtendedLifetime(place) {}
    await standby.end()
    await hosting?.stop()
    if kept?.start() == false {
      events.send(.warning("No relay could be started: the others lose the party."))
    }
    hosting = nil
    reach = nil
    core.machine.membership.left()
    await links.film(.leftParty)
    await links.follow(
      core.machine.eligibilityChanged(to: isEligible) + [
        Decisions.waiting(by: nil),
        .report(.left(closing: closes && count > 1)),
      ])
  }
}
