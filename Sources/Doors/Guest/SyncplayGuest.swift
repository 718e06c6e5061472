import Concurrency
import Foundation
import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// One client of Syncplay's protocol in the party: an ordinary participant with a coordinator of its own, whose player is
/// the client's.
actor SyncplayGuest: DoorGuest {
  var stay: GuestStay
  /// Returns the names in the party, which a newcomer's differs from; nil if the door is full.
  private let admit: @Sendable () async -> [String]?
  /// Begins TLS, after what was sent.
  private let secure: @Sendable () -> Void
  private let close: @Sendable () -> Void
  private var session: SyncplaySession
  private var films: GroupSession<FilmActivity>?
  private var host = MachineHost<SyncplaySession>()
  private let alarm = Alarm()
  private var hasHeardOfRates = false
  /// The party's item for which the client opened its file; nil before both are known.
  private var openedFor: String?
  /// The last words about the client's film.
  private var saidOfFilm: String?

  // The film.
  private var keeperFilm: DoorFilm?
  private var keeperFile: SyncplayFile?
  /// The item that the client's file is a copy of; nil for none.
  private(set) var item: String?

  /// The interval at which clients ask their players for the position.
  private static let reportUncertainty = Duration.milliseconds(100)

  init(
    _ session: SyncplaySession, film: DoorFilm?, _ context: GuestContext,
    admit: @escaping @Sendable () async -> [String]?, secure: @escaping @Sendable () -> Void,
    close: @escaping @Sendable () -> Void
  ) {
    self.session = session
    stay = GuestStay(ParticipantIdentity(), context)
    self.admit = admit
    self.secure = secure
    self.close = close
    keeperFilm = film
  }

  /// Begins the conversation.
  func begin() { perform([]) }

  // MARK: - The client

  func received(_ arrival: SyncplayArrival, at now: HostTime) async {
    switch arrival {
    case .line(let line): await carryOut(session.received(line, at: now))
    case .secured: session.secured()
    }
  }

  private func alarmRang(_ number: Int) async {
    if let effects = host.alarmRang(number, for: &session, at: .now()) { await carryOut(effects) }
  }

  /// Sends messages, and sets the alarm.
  private func perform(_ effects: [SyncplaySession.Effect]) {
    Task { await carryOut(effects) }
  }

  private func carryOut(_ effects: [SyncplaySession.Effect]) async {
    // Messages keep their order, whatever the party does meanwhile.
    for case .send(let bytes) in effects { stay.context.send(bytes) }
    alarm.perform(host.setAlarm(for: session)) { [weak self] number in
      await self?.alarmRang(number)
    }
    for effect in effects {
      switch effect {
      case .send: break
      case .secure: secure()
      case .enter(let name): Task { await enter(as: name) }
      // Its user watches another film.
      case .play where item == nil, .pause where item == nil, .seek where item == nil,
        .rate where item == nil:
        break
      case .play: await command { try await $0.coordinateRateChange(to: $0.snapshot().rate) }
      case .pause: await command { try await $0.coordinateRateChange(to: 0) }
      case .seek(let position): await command { try await $0.coordinateSeek(to: position) }
      case .rate(let rate):
        await command {
          if await $0.snapshot().status == .playing {
            try await $0.coordinateRateChange(to: rate)
          } else {
            try await $0.coordinateDefaultRateChange(to: rate)
          }
        }
      case .choose(let index): Task { await choose(index) }
      case .ended(let position): _ = await coordinator?.playerDidReachEnd(at: position)
      case .say(let text): await say(text)
      case .ready(let isReady):
        if isReady {
          await rejoin(.readyCheck)
        } else if await coordinator?.snapshot().status != .playing {
          await separate(.readyCheck)
        }
      case .opened:
        (openedFor, saidOfFilm) = (activity?.item, nil)
        await filmChanged()
      case .done(let number, let position): stay.orders.end(number, .completed(itemTime: position))
      case .lost: stay.orders.endAll(.failed(.stallRecovery))
      case .back: await coordinator?.playerDidBecomeReady()
      case .lead(let lead):
        await coordinator?.reportSync(
          SyncMeasurement(error: lead, uncertainty: Self.reportUncertainty))
      case .close: await end()
      }
    }
  }

  func showVote(_ sentence: String) { perform(session.notice(sentence)) }

  func refuse(_ reason: String) { perform(session.notice(reason)) }

  func takeBack(_ error: any Error) async {
    let isRule = error as? CoordinationError == .notPermitted
    let reason = isRule ? "Only hosts control this party." : "\(error)"
    await carryOut(session.refused(reason, at: .now()))
  }

  func said(_ text: String, by me: Participant) { perform(session.said(text, by: me.name)) }

  // MARK: - In and out

  private func enter(as wanted: String) async {
    guard let names = await admit() else { return await end("This party has no room.") }
    let taken = Set(names.map { $0.lowercased() })
    var name = wanted
    while taken.contains(name.lowercased()) { name += "_" }
    do throws(PartyError) {
      let door = Participant.Door(
        session.isEncrypted ? .encryptedSyncplay : .syncplay, keeper: stay.context.keeper.id)
      let me = try await join(as: name, door)
      guard let me else { return }
      await carryOut(session.entered(as: me.name, at: .now()))
      follow()
      await showParty()
    } catch {
      await end(
        error == .nobodyHere
          ? "The party is closed to newcomers." : "The party can't be joined: \(error)")
    }
  }

  /// Ends the guest's stay.
  ///
  /// - Parameter reason: the reason for its user; nil if the client is gone.
  func end(_ reason: String? = nil) async {
    guard !isOver else { return }
    stay.isOver = true
    for case .send(let bytes) in session.end(reason) { stay.context.send(bytes) }
    close()
    alarm.perform(host.cancelAlarm()) { _ in }
    await leave()
  }

  // MARK: - The party

  func attends(_ session: GroupSession<FilmActivity>) { films = session }

  /// Asks the party for a film of its list.
  private func choose(_ index: Int) async {
    guard let films, var list = activity?.playlist, list.entries.indices.contains(index) else {
      return
    }
    var random = SystemRandomNumberGenerator()
    let now = party?.clock.reading?.groupTime(at: .now())
    guard list.makeCurrent(list.entries[index].id, at: now, using: &random) else { return }
    do throws(PartyError) {
      try await films.setActivity(FilmActivity(list))
    } catch {
      await carryOut(session.refusedFilm("\(error)"))
    }
  }

  func wasAsked(by participant: Participant) async {
    await carryOut(
      session.askedWhetherReady()
        + session.notice(
          "\(participant.name) asks whether you are ready. Your client has a button for it."))
  }

  func handle(_ event: PartyEvent) async {
    switch event {
    case .chat(let author, let text): perform(session.said(text, by: author.name))
    case .rulesChanged(let rules, let old, _) where rules.control != old.control:
      perform(
        session.notice(
          rules.control == .hosts
            ? "Only hosts control playback now." : "Everyone controls playback now."))
    case .sessionEnded(FilmActivity.activityIdentifier, _):
      stay.activity = nil
      await filmChanged()
    case .closed(.removed(let by)):
      return await end("\(known[by] ?? "A host") removed you from the party.")
    case .closed(.hostLeft), .closed(.closed), .closed(.left):
      return await end("The party is over.")
    case .closed(.transport):
      return await end("\(stay.context.keeper.name)'s connection to the party is gone.")
    case .joined, .participantJoined, .participantLeft, .renamed, .rulesChanged, .connected,
      .disconnected, .activityChanged, .sessionEnded, .eventsMissing, .skippedMessage, .notice,
      .foregroundRequested, .misbehaved, .warning:
      break
    }
    await showParty()
  }

  func handle(_ event: CoordinatorEvent) async {
    if case .changed(let change) = event, change.rate != 1, !hasHeardOfRates, !session.hasRates {
      hasHeardOfRates = true
      perform(
        session.notice(
          "The party plays at \(StoryWords.rate(change.rate)), which Syncplay can't: you are moved along now and then."
        ))
    }
    await showParty()
  }

  func showLine() async { await showParty() }

  /// Brings the session up to date with the party.
  func showParty() async {
    guard let party, let coordinator, !isOver else { return }
    let participants = await party.participants
    let rules = await party.rules
    let snapshot = await coordinator.snapshot()
    let line = snapshot.status == .playing ? await coordinator.expectedLine() : nil
    stay.known.merge(participants.map { ($0.id, $0.name) }) { $1 }
    let states = Dictionary(snapshot.otherParticipants.map { ($0.id, $0) }) { first, _ in first }
    let people = participants.filter { $0.id != stay.identity.id }.map { participant in
      let state = states[participant.id]
      let hasFilm = activity != nil && state?.currentItemIdentifier == activity?.item
      return SyncplayRoom.Person(
        name: participant.name,
        file: !hasFilm ? nil : item != nil ? session.file : partyFile,
        isReady: state.map { $0.isReadyToPlay && $0.suspensionReasons.isEmpty } ?? true,
        controls: rules.control == .hosts && rules.mayControl(participant.id))
    }
    if let line {
      session.moved(to: line.itemTime, rate: line.rate, at: line.hostTime)
    } else if snapshot.status != .playing, let position = snapshot.itemTime {
      session.moved(to: position, rate: 0, at: .now())
    }
    let controls = rules.control == .hosts && rules.mayControl(stay.identity.id)
    await carryOut(
      session.participantsChanged(to: people, controls: controls) + session.listed(filmList))
  }

  // MARK: - The film

  /// The keeper's player has another film, or none.
  func keeperFilmChanged(to film: DoorFilm?) async {
    guard film != keeperFilm else { return }
    keeperFilm = film
    await filmChanged()
  }

  /// The party's list, with the name of the client's own copy: it looks for a film of another name.
  private var filmList: SyncplayRoom.Films {
    guard let list = activity?.playlist else { return .init() }
    var names = list.entries.map {
      PartyText.clean($0.location ?? $0.title, limit: SyncplayFile.nameLimit)
    }
    let own = item == nil ? nil : session.file?.name
    let name = own.flatMap { $0.isEmpty ? nil : $0 } ?? partyFile?.name
    if let name, list.current.location == nil || item != nil { names[list.currentIndex] = name }
    return .init(names: names, index: list.currentIndex)
  }

  /// The party's film, as far as it is known here.
  private var partyFile: SyncplayFile? {
    guard let activity else { return nil }
    if keeperFilm?.item == activity.item, let keeperFile { return keeperFile }
    return SyncplayFile(
      name: PartyText.clean(activity.title, limit: SyncplayFile.nameLimit), duration: 0,
      size: activity.current.fileSize.map(String.init) ?? "")
  }

  func filmChanged() async {
    keeperFile = if let path = keeperFilm?.path { await .read(path) } else { nil }
    guard let coordinator else { return }
    var isOtherCopy = keeperFilm?.isOtherCopy ?? false
    (item, isOtherCopy) = await compare(isOtherCopy)
    session.watchesApart(item == nil && activity != nil && session.file != nil)
    do throws(CoordinationError) {
      try await coordinator.transitionToItem(withIdentifier: item, isOtherCopy: isOtherCopy)
    } catch {
      perform(session.notice("\(error)"))
    }
    await showParty()
  }

  /// Compares the client's file with the party's film, and says what differs.
  private func compare(_ isOtherCopy: Bool) async -> (item: String?, isOtherCopy: Bool) {
    guard let activity, let partyFile else { return (nil, false) }
    let title = PartyText.clean(activity.title, limit: SyncplayFile.nameLimit)
    guard let file = session.file else {
      // A client that has just come in opens its film by itself.
      if session.hasPlayer { sayOfFilm("The party watches \(title). Open your copy of it.") }
      return (nil, false)
    }
    openedFor = openedFor ?? activity.item
    let same = file.comparison(with: partyFile)
    guard same.name && same.duration || openedFor == activity.item else {
      sayOfFilm("The party watches \(title) now. Open your copy of it.")
      return (nil, false)
    }
    guard same.duration else {
      sayOfFilm("Your file isn't as long as the party's \(partyFile.name): you watch apart.")
      return (nil, false)
    }
    guard same.size else {
      sayOfFilm("Your file is another copy of \(partyFile.name) than the party's.")
      return (activity.item, true)
    }
    return (activity.item, isOtherCopy)
  }

  private func sayOfFilm(_ text: String) {
    guard text != saidOfFilm else { return }
    saidOfFilm = text
    perform(session.notice(text))
  }

  // MARK: - The client as a player

  func pass(_ order: GuestOrder) async { await carryOut(session.ordered(order, at: .now())) }
}
