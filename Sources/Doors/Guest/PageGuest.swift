import AVFormat
import Concurrency
import Foundation
import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// One page's user in the party: an ordinary participant with a coordinator of its own, whose player is the page.
actor PageGuest: DoorGuest {
  var stay: GuestStay
  private var session: GroupSession<FilmActivity>?
  private var narrator = Narrator()

  // The film.
  private var plays: Set<String>
  private var keeperFilm: DoorFilm?
  private var source = PageRequest.Source.keeper
  private var film = PageFilm()
  private var feed: FilmFeed?
  /// Counts the films that were opened for the page.
  private var filmNumber = 0
  private var audioTrack: Int?

  private var waitingFor: String?

  init(_ identity: ParticipantIdentity, plays: [String], film: DoorFilm?, _ context: GuestContext) {
    stay = GuestStay(identity, context)
    self.plays = Set(plays)
    keeperFilm = film
  }

  // MARK: - In and out

  /// Joins the party, and attends its sessions.
  func enter(as name: String) async {
    do throws(PartyError) {
      let me = try await join(as: name, .init(.browser, keeper: stay.context.keeper.id))
      guard me != nil else { return }
      follow()
      await showParty()
    } catch {
      // A participant that isn't admitted gets no answer.
      let isRefused = error == .nobodyHere
      await end(
        isRefused ? .removed : .over,
        isRefused
          ? "This link no longer works: it was removed, or the party is closed to newcomers. "
            + "Ask \(stay.context.keeper.name) for another one."
          : "\(error)")
    }
  }

  /// Ends the guest's stay.
  func end(_ ending: PageReport.Ending, _ text: String) async {
    guard !isOver else { return }
    stay.isOver = true
    send(.end(ending, text))
    feed?.close()
    await leave()
  }

  /// The page was loaded again: it needs the whole state.
  func resume(plays: [String]) async {
    self.plays = Set(plays)
    await showParty()
    await openFilm()
  }

  /// The bits of film per second that go to the page.
  var uploadRate: Double { get async { await feed?.rate ?? 0 } }

  private func send(_ report: PageReport) {
    if let message = report.message { stay.context.send(message) }
  }

  // MARK: - The page's requests

  /// - Parameter arrival: the time at which the request reached this machine.
  func handle(_ request: PageRequest, at arrival: HostTime) async {
    guard !isOver else { return }
    switch request {
    case .play: await command { try await $0.coordinateRateChange(to: $0.snapshot().rate) }
    case .pause: await command { try await $0.coordinateRateChange(to: 0) }
    case .seek(let position):
      await command { try await $0.coordinateSeek(to: MediaTime(seconds: position)) }
    case .rate(let rate):
      await command { coordinator in
        switch await coordinator.snapshot().status {
        case .playing, .waiting: try await coordinator.coordinateRateChange(to: rate)
        case .noItem, .paused: try await coordinator.coordinateDefaultRateChange(to: rate)
        }
      }
    case .say(let text): await say(text)
    case .react(let kind): await react(kind)
    case .vote(let isYes): await vote(isYes)
    case .rename(let name):
      if let party, (try? await party.rename(name)) != nil { await showParty() }
    case .ready: await rejoin(.readyCheck)
    case .apart: await separate(.watchingAlone)
    case .back: await rejoin(.watchingAlone)
    case .stalled(let isStalled, let percent):
      await coordinator?.reportLoadedPercent(isStalled ? percent : nil)
      if isStalled {
        await separate(.stallRecovery)
      } else {
        await rejoin(.stallRecovery)
        await coordinator?.playerDidBecomeReady()
      }
    case .source(let source):
      guard source != self.source else { break }
      self.source = source
      await openFilm()
    case .fetch(let stream, let from, let audio): await fetch(stream, from: from, audio: audio)
    case .more(let stream, let upTo):
      feed?.order(.more(stream, upTo: MediaTime(seconds: upTo)))
    case .got(let stream, let bytes): feed?.order(.got(stream, bytes))
    case .subtitles(let track): await sendSubtitles(track)
    case .done(let number, let isCarriedOut, let position):
      stay.orders.end(
        number,
        isCarriedOut
          ? .completed(itemTime: position.map { MediaTime(seconds: $0) })
          : .failed(.stallRecovery))
      // The group goes on without a page that is too slow; it comes back with this.
      if isCarriedOut { await coordinator?.playerDidBecomeReady() }
    case .ended(let position):
      _ = await coordinator?.playerDidReachEnd(at: MediaTime(seconds: position))
    case .report(let error, let uncertainty):
      await coordinator?.reportSync(
        SyncMeasurement(error: .seconds(error), uncertainty: .seconds(uncertainty)))
    // The machine answers these.
    case .enter, .clock, .bye: break
    }
  }

  func showVote(_ sentence: String) async {
    send(.notice(sentence))
    await showParty()
  }

  func refuse(_ reason: String) { send(.refused(reason)) }

  func said(_ text: String, by me: Participant) {
    send(.said(from: "\(me.id)", name: me.name, text: text, isMe: true))
  }

  private func react(_ kind: String) async {
    guard let session, let party, let reaction = Reaction(rawValue: kind) else { return }
    let messenger = GroupSessionMessenger(session: session, deliveryMode: .unreliable)
    // A reaction that can't be sent is lost, as one that doesn't arrive.
    try? await messenger.send(ReactionMessage(reaction: reaction))
    send(.reacted(name: await party.localParticipant.name, symbol: reaction.symbol))
  }

  // MARK: - The session

  func attends(_ session: GroupSession<FilmActivity>) {
    self.session = session
    follow(ReactionMessage.self, .unreliable, in: session) { guest, message, source in
      await guest.send(.reacted(name: source.name, symbol: message.reaction.symbol))
    }
  }

  func wasAsked(by participant: Participant) {}

  // MARK: - The film

  func filmChanged() async {
    source = .keeper
    await openFilm()
  }

  /// The keeper's player has another film, or none.
  func keeperFilmChanged(to film: DoorFilm?) async {
    guard film != keeperFilm else { return }
    keeperFilm = film
    if source == .keeper { await openFilm() }
  }

  /// Opens the session's film for the page, and reports it.
  private func openFilm() async {
    filmNumber += 1
    let number = filmNumber
    feed?.close()
    (feed, audioTrack) = (nil, nil)
    var film = PageFilm()
    if let activity {
      film = PageFilm(
        item: activity.item, title: PartyText.clean(activity.title, limit: 200),
        url: activity.location.flatMap(Self.webURL))
      switch source {
      case .own: break
      case .url: if film.url == nil { film.failed("This film has no address.") }
      case .keeper: await openKeeperFilm(activity, audio: nil, into: &film)
      }
    }
    guard number == filmNumber else { return }
    self.film = film
    send(.film(film))
    do throws(CoordinationError) {
      try await coordinator?.transitionToItem(
        withIdentifier: film.isThere ? film.item : nil, isOtherCopy: isOtherCopy)
    } catch {
      send(.refused("\(error)"))
    }
    await coordinator?.reportItemEnd(film.end)
    await showLine()
  }

  private var isOtherCopy: Bool {
    switch source {
    case .keeper: keeperFilm?.isOtherCopy ?? false
    case .own(_, _, _, let hash): hash != activity?.identifier
    case .url: false
    }
  }

  private static func webURL(_ location: String) -> String? {
    ["http", "https"].contains(FilmIdentity.scheme(of: location)) ? location : nil
  }

  private func openKeeperFilm(
    _ activity: FilmActivity, audio: Int?, into film: inout PageFilm
  ) async {
    guard let keeperFilm, keeperFilm.item == activity.item, let path = keeperFilm.path else {
      if film.url == nil {
        film.failed(
          "\(stay.context.keeper.name) doesn't have this film open. Choose your own copy, or wait.")
      }
      return
    }
    let number = filmNumber
    let opened = await FilmFeed.open(
      path, plays: plays, audioTrack: audio, send: stay.context.send
    ) { [weak self] error in
      Task { await self?.failed(number, error) }
    }
    switch opened {
    case .success(let (feed, description)):
      self.feed = feed
      film.describe(description, keeper: stay.context.keeper.name)
    case .failure(let error): film.failed("\(error)")
    }
  }

  private func fetch(_ stream: UInt32, from position: Double, audio: Int?) async {
    if let audio, audio != audioTrack, let activity {
      var film = film
      feed?.close()
      await openKeeperFilm(activity, audio: audio, into: &film)
      audioTrack = audio
      self.film = film
    }
    feed?.order(.fetch(stream, from: MediaTime(seconds: position)))
  }

  private func failed(_ number: Int, _ error: FragmentError) {
    guard number == filmNumber else { return }
    film.failed("\(error)")
    send(.film(film))
  }

  private func sendSubtitles(_ track: Int) async {
    guard let path = keeperFilm?.path, film.subtitles.contains(where: { $0.index == track }) else {
      return
    }
    let number = filmNumber
    let reading = await OwnedThread.run("open subtitles") {
      try? SubtitleSource(reader: SubtitleReader(path: path, track: track))
    }
    guard let reading else { return }
    var isDone = false
    while !isDone, number == filmNumber {
      let cues = await OwnedThread.run("subtitles") { try? reading.reader.next() }
      isDone = cues == nil
      send(
        .cues(
          track: track,
          (cues ?? []).map {
            .init(
              start: $0.start.seconds - film.offset, end: $0.end.seconds - film.offset,
              text: $0.text)
          },
          isDone: isDone))
    }
  }

  /// A reader that one thread at a time uses.
  private struct SubtitleSource: @unchecked Sendable { let reader: SubtitleReader }

  // MARK: - Events

  func handle(_ event: PartyEvent) async {
    switch event {
    case .joined(let me): narrate(.joined(.init(me), isHost: false))
    case .participantJoined(let participant):
      let wasHere = await party?.preceded(participant.id) ?? false
      narrate(.participantJoined(.init(participant), wasHere: wasHere))
    case .participantLeft(let participant, let announced):
      narrate(.participantLeft(.init(participant), announced: announced))
    case .renamed(let participant, let old): narrate(.renamed(.init(participant), from: old))
    case .chat(let author, let text):
      send(.said(from: "\(author.id)", name: author.name, text: text, isMe: false))
    case .rulesChanged(let rules, let old, let by):
      let names = known
      let change = ScreeningEvent.RulesChange(rules, from: old, by: names[by] ?? "a participant") {
        names[$0] ?? "a participant"
      }
      narrate(.rules(change))
    case .connected(let server): narrate(.connected(server))
    case .disconnected(let reason): narrate(.disconnected(reason))
    case .sessionEnded(FilmActivity.activityIdentifier, let by):
      stay.activity = nil
      narrate(.sessionEnded(by: known[by] ?? "a participant"))
      await filmChanged()
    case .closed(let end): await partyClosed(end)
    // A drawing or a vote is over.
    case .sessionEnded: break
    case .activityChanged, .eventsMissing, .skippedMessage, .notice, .foregroundRequested,
      .misbehaved, .warning:
      break
    }
    await showParty()
  }

  private func partyClosed(_ end: PartyEnd) async {
    switch end {
    case .removed(let by):
      await self.end(
        .removed, "\(known[by] ?? "A host") removed you from the party. This link no longer works.")
    case .hostLeft, .closed: await self.end(.over, "The party is over.")
    case .left: await self.end(.closed, "You left the party.")
    case .transport:
      await self.end(.keeper, "\(stay.context.keeper.name)'s connection to the party is gone.")
    }
  }

  func handle(_ event: CoordinatorEvent) async {
    switch event {
    case .changed(let change):
      narrate(.command(change, by: known[change.originator] ?? "a participant"))
    case .waiting(let participants, _):
      let names = (participants ?? []).subtracting([stay.identity.id])
        .map { known[$0] ?? "a participant" }.sorted()
      waitingFor = names.isEmpty ? nil : "waiting for \(StoryWords.list(names))"
    case .settled, .suspensionReasonsChanged, .replayEnded, .waitsAtOwnEnd,
      .otherParticipantsChanged, .sessionEnded:
      break
    }
    await showLine()
    await showParty()
  }

  private func narrate(_ event: ScreeningEvent) {
    var context = Narrator.Context(me: stay.identity.id)
    context.hasFilm = film.item != nil
    for line in narrator.narrate(event, context, at: .now()) {
      send(.notice(line.narration.sentence))
    }
  }

  // MARK: - Reports

  func showLine() async {
    guard let coordinator else { return }
    let snapshot = await coordinator.snapshot()
    let isPlaying = snapshot.status == .playing
    let line = isPlaying ? await coordinator.expectedLine() : nil
    let now = HostTime.now()
    // Before a scheduled start, and while a command is carried out, there is no line to measure against.
    guard line != nil || !isPlaying, let position = line?.itemTime ?? snapshot.itemTime else {
      return
    }
    send(
      .line(
        .init(
          rate: snapshot.rate, at: position.seconds,
          host: (line?.hostTime ?? now).milliseconds, playing: isPlaying, waiting: waitingFor)))
  }

  func showParty() async {
    guard let party, let coordinator, !isOver else { return }
    let participants = await party.participants
    stay.known.merge(participants.map { ($0.id, $0.name) }) { $1 }
    let rules = await party.rules
    let snapshot = await coordinator.snapshot()
    let others = Dictionary(snapshot.otherParticipants.map { ($0.id, $0) }) { first, _ in first }
    let people = participants.map { participant in
      PageReport.Person(
        participant, others[participant.id], me: stay.identity.id,
        reasons: snapshot.suspensionReasons,
        names: known)
    }
    send(
      .party(
        .init(
          me: "\(stay.identity.id)", title: activity.map { PartyText.clean($0.title, limit: 200) },
          people: people, mayControl: rules.mayControl(stay.identity.id),
          rules: rules.control == .hosts ? "Only hosts control playback." : "",
          relays: await party.relayOffers.flatMap(\.addresses).map(\.text),
          reactions: Reaction.allCases.map { .init(kind: $0.rawValue, symbol: $0.symbol) },
          apart: stay.suspensions[.watchingAlone] != nil,
          readyCheck: stay.suspensions[.readyCheck] != nil, question: openQuestion,
          connected: await party.isConnected)))
  }

  var item: String? { film.item }

  func pass(_ order: GuestOrder) {
    send(
      .command(
        .init(
          n: order.number, do: order.action, rate: order.rate, at: order.position.seconds,
          host: order.date.milliseconds)))
  }
}

extension HostTime {
  /// The time in milliseconds, as pages get it.
  var milliseconds: Double { Double(nanoseconds) / 1e6 }
}
