import Concurrency
import DequeModule
import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// Performs the directives of the film machine, one after another, and returns the answers to its requests.
@ScreeningActor
final class FilmRoom: FilmOpener {
  /// The parts of the program that films concern.
  struct Links {
    /// Returns this user's own copy of a film; nil if there is none.
    var copy: @ScreeningActor (String) async -> FilmIdentity?
    var follow: @ScreeningActor ([ScreeningDirective]) async -> Void
    /// Lets the film play that was opened.
    var play: @ScreeningActor () async -> Void
    /// Remembers the position in a film that is about to be left.
    var remember: @ScreeningActor (FilmIdentity) async -> Void
    /// Remembers the party's list of films.
    var rememberList: @ScreeningActor () async -> Void
    /// Notes that what was measured doesn't count any more.
    var forgetDrift: @ScreeningActor () async -> Void
    /// Asks the faces to get the user's attention.
    var requestForeground: @ScreeningActor () async -> Void
    /// Notes that a film begins on the screen.
    var filmBegins: @ScreeningActor () async -> Void
    /// Notes that the film on the screen can be played: trailers come first.
    var filmIsReady: @ScreeningActor () -> Void
  }

  private let core: ScreeningCore<OriginRefusal>
  private let player: MPVPlayer
  private let coordinator: DelegatingPlaybackCoordinator
  private let consent: ConsentRoom
  private let loader: FilmLoader
  private let events: EventBroadcast<ScreeningEvent>
  private let links: Links
  private var host = MachineHost<FilmDecisions>()
  private let alarm = Alarm()
  private var directives: Deque<FilmDecisions.Directive> = []
  private var isPerforming = false
  /// Fulfilled when all directives are performed.
  private var performed = OneShot<Void>()
  /// The search for this participant's copy of a film.
  private var search: Task<Void, Never>?
  /// The newest other request of the film machine: loading a film, or finding out about a server.
  private var request: Task<Void, Never>?
  /// The number of films that were opened and haven't begun yet.
  private var beginnings = 0
  /// The coordinator's suspensions of the film machine's separations.
  private var suspensions: [Separation: CoordinatedPlaybackSuspension] = [:]
  /// A Boolean value that indicates whether the user is looking for something to watch.
  var isBrowsing = false

  init(
    core: ScreeningCore<OriginRefusal>, player: MPVPlayer,
    coordinator: DelegatingPlaybackCoordinator, consent: ConsentRoom, loader: FilmLoader,
    events: EventBroadcast<ScreeningEvent>, links: Links
  ) {
    self.core = core
    self.player = player
    self.coordinator = coordinator
    self.consent = consent
    self.loader = loader
    self.events = events
    self.links = links
  }

  func close() {
    search?.cancel()
    request?.cancel()
    alarm.perform(host.cancelAlarm()) { _ in }
    loader.endProxy()
  }

  private var filmMachine: FilmDecisions { core.machine.filmMachine }

  var isLive: Bool { loader.live != nil }

  /// The question that the user has to answer; nil if there is none.
  var question: AddressQuestion? { filmMachine.isAsking ? consent.question : nil }

  func identity(of location: String) async throws -> FilmIdentity {
    try await FilmIdentity.read(location)
  }

  func films(listedIn location: String) async -> [String]? {
    await OwnedThread.run("film") { FilmIdentity.films(listedIn: location) }
  }

  func remember(_ films: [FilmIdentity]) { consent.remember(films) }

  func allowServer(forGood: Bool) async {
    if let question { await consent.allow(question, forGood: forGood) }
  }

  /// Looks for a copy of the party's film, which a scan may have found.
  func lookForCopy() async {
    guard case .missing = filmMachine.state, let entry = filmMachine.adopted?.current,
      let copy = await links.copy(entry.identifier)
    else { return }
    remember([copy])
    await handle(.copyFound(copy, entry: entry.id))
  }

  // MARK: - The machine

  func handle(_ event: FilmDecisions.Event) async {
    await perform(core.machine.filmMachine.handle(event, at: .now()))
  }

  private func alarmRang(_ number: Int) async {
    let actions = host.alarmRang(number, for: &core.machine.filmMachine, at: .now())
    if let actions { await perform(actions) }
  }

  private func perform(_ actions: [FilmDecisions.Directive]) async {
    directives += actions
    alarm.perform(host.setAlarm(for: filmMachine)) { [weak self] number in
      await self?.alarmRang(number)
    }
    events.send(.changed)
    guard !isPerforming else {
      await performed.value()
      return
    }
    isPerforming = true
    while let directive = directives.popFirst() { await perform(directive) }
    isPerforming = false
    noteSettled()
  }

  private func noteSettled() {
    performed.fulfil(())
    performed = OneShot()
  }

  /// Waits until the file that this user chose is open, or can't be opened. A stream isn't waited for, because it may
  /// never open (a server that promises more and sends nothing), and the user's next choice must still be handled.
  func waitForFile() async {
    while beginnings > 0 || (filmMachine.isOnItsWay && !filmMachine.isStreamOnItsWay) {
      guard await performed.value() != nil else { return }
    }
  }

  private func perform(_ directive: FilmDecisions.Directive) async {
    switch directive {
    case .resolve(let number, let entry, let chooser):
      search?.cancel()
      search = Task { [weak self] in
        guard let resolution = await self?.resolve(entry, by: chooser) else { return }
        await self?.handle(.resolved(number, resolution))
      }
    case .load(let number, let film, let timing):
      loader.begin()
      begin { await $0.load(film, number, proposing: timing) }
    case .reopen(let number, let film):
      begin { room in
        do {
          try await room.loader.load(film, proposing: nil, opening: number)
          await room.handle(.reopened(number))
        } catch {
          await room.handle(.reopeningFailed(number))
        }
      }
    case .begin(let number, let film, let place, _):
      beginnings += 1
      Task {
        await start(film, number, at: place)
        beginnings -= 1
        noteSettled()
      }
    case .makeRoom:
      // A player without a window has no small picture.
      if isBrowsing { try? await player.setPictureInPicture(true) }
    case .remember(let film): await links.remember(film)
    case .close: await closeFilm()
    case .clearItem: try? await coordinator.transitionToItem(withIdentifier: nil)
    case .restoreItem(let film): await loader.restoreItem(film)
    case .describe(let number, let refusal): begin { await $0.describe(refusal, number) }
    case .ask:
      guard let question = consent.question else { return }
      events.send(.mayOpen(question.asked))
      await links.requestForeground()
    case .separate(let separation, let reason): await begin(separation, for: reason)
    case .rejoin(let separation, let place):
      guard let suspension = suspensions.removeValue(forKey: separation) else { return }
      await coordinator.end(suspension, proposingNewTime: place)
    case .tellReady: await coordinator.playerDidBecomeReady()
    case .endEarly: await endEarly()
    case .announce(let entry, let chooser, let cause):
      await links.rememberList()
      if let name = core.machine.name(of: chooser) {
        events.send(.activity(.init(entry), by: name, cause))
      }
    case .tellPlaylist:
      await links.rememberList()
      events.send(.playlist(ScreeningEvent.ListedFilm.all(of: core.machine.list)))
    case .report(let text):
      let hasNext = core.machine.list?.entry(at: 1) != nil
      events.send(.failed(hasNext ? "\(text) – for the next video: > (next)" : text))
    case .tellOfTooManyQuestions: events.send(.failed(QuestionLimit.text))
    case .tellOfRepeatedLoss:
      events.send(.failed("The rest of the film can't be loaded. Open it again to retry."))
    case .tellOfLoss(let isFirst):
      await links.forgetDrift()
      if isFirst {
        events.send(.warning("Lost the film's server. You rejoin the others when it is back."))
      }
    }
  }

  /// Begins a request. The one before it is over.
  private func begin(_ body: @escaping @ScreeningActor (FilmRoom) async -> Void) {
    request?.cancel()
    request = Task { [weak self] in if let self { await body(self) } }
  }

  private func begin(
    _ separation: Separation, for reason: CoordinatedPlaybackSuspension.Reason
  ) async {
    do {
      suspensions[separation] = try await coordinator.beginSuspension(for: reason)
    } catch {
      directives += core.machine.filmMachine.handle(.separationFailed(separation), at: .now())
      events.send(.failed("\(error)"))
    }
  }

  // MARK: - Requests

  private func resolve(_ entry: PlaylistEntry, by chooser: Chooser) async
    -> FilmDecisions.Resolution
  {
    if let copy = consent.copies[entry.identifier] { return .film(copy, chooser) }
    if let copy = await links.copy(entry.identifier) {
      remember([copy])
      return .film(copy, chooser)
    }
    guard let location = entry.location else {
      return .missing(
        "This party is watching the file “\(PartyText.clean(entry.title, limit: 200))”. "
          + "Open your own copy to join in." + otherFile)
    }
    switch consent.policy.verdict(on: location) {
    case .open:
      return .film(
        FilmIdentity(
          identifier: entry.identifier, title: PartyText.clean(entry.title, limit: 200),
          location: location, isForeign: true), chooser)
    case .ask(let origin): return .ask(OriginRefusal(origin: origin, location: location))
    case .refuse(let reason): return .refused(reason)
    }
  }

  /// The word about the files that the user named, none of which is the party's film.
  private var otherFile: String {
    if consent.copies.isEmpty { return "" }
    return " The file that you named is another film"
      + (consent.copies.values.contains(where: \.wasJustWritten)
        ? ", or isn't complete yet: it was written to a moment ago." : ".")
  }

  private func load(
    _ film: FilmIdentity, _ number: FilmDecisions.Number, proposing timing: PlaybackTiming?
  ) async {
    do {
      try await loader.load(film, proposing: timing, opening: number)
      await handle(.loaded(number))
    } catch let elsewhere as LeadsElsewhere {
      await handle(.refused(number, elsewhere.refusal))
    } catch let problem as StreamProblem {
      await handle(.cannotLoad(number, problem.description))
    } catch {
      guard filmMachine.isCurrent(number) else { return }
      let text = await loader.explanation(of: error, film)
      guard filmMachine.isCurrent(number) else { return }
      if let refusal = loader.refusal { return await handle(.refused(number, refusal)) }
      if film.isStream { loader.failed() }
      await handle(.failed(number, text))
    }
  }

  /// Lets a film begin that has been loaded.
  private func start(
    _ film: FilmIdentity, _ number: FilmDecisions.Number, at place: MediaTime?
  ) async {
    core.machine.filmBegins()
    events.send(.opened(item: film.identifier, title: film.title))
    await links.filmBegins()
    if let place {
      await links.follow([
        .attempt(
          [.then(.seek(to: place))],
          orElse: .warn("Can't resume, starting from the beginning: "))
      ])
    }
    guard filmMachine.isCurrent(number) else { return }
    await coordinator.playerDidBecomeReady()
    // Before the trailers: while they are shown, this participant's commands don't concern the others.
    if filmMachine.playsOnceBegun(number) { await links.play() }
    links.filmIsReady()
  }

  private func closeFilm() async {
    loader.cancel()
    try? await coordinator.transitionToItem(withIdentifier: nil)
    await player.setCurrentItemIdentifier(nil)
    try? await player.stop()  // A player that has shut down shows nothing either.
    loader.endProxy()
  }

  private func describe(_ refusal: OriginRefusal, _ number: FilmDecisions.Number) async {
    guard let film = filmMachine.adopted?.current.identifier else { return }
    let mayAsk = await consent.describe(refusal, film: film) {
      filmMachine.isCurrent(number) && filmMachine.adopted?.current.identifier == film
    }
    if let mayAsk { await handle(.described(number, mayAsk: mayAsk)) }
  }

  private func endEarly() async {
    events.send(.warning("The film stopped early. The rest of the file is missing."))
    if let place = await player.snapshot().itemTime {
      await coordinator.playerDidReachEnd(at: place)
    }
    events.send(.ended(continues: false))
  }
}
