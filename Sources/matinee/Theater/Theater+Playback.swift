import GroupActivities
import MPVPlayer
import PlaybackCoordination
import Screening
import Timekeeping

/// Opening films, and the events of the player and the coordinator.
extension Theater {
  /// Opens a film: in a party for everyone, otherwise for this player alone.
  func open(_ location: String) async {
    do {
      try await open(FilmIdentity.read(location))
    } catch {
      emit(.failed(error.description))
    }
  }

  /// - Parameter place: the position to continue at; in a party for everyone.
  func open(_ film: FilmIdentity, at place: MediaTime? = nil) async {
    let facts = await reading()
    await follow(core.machine.open(film, at: place, in: facts))
  }

  /// Opens a film for this player only.
  func openAlone(_ film: FilmIdentity, at place: MediaTime? = nil) async {
    let facts = await reading()
    await follow(core.machine.openAlone(film, at: place, in: facts))
  }

  /// Plans the films of the command line, in their order.
  func plan(_ films: [FilmIdentity]) {
    for film in core.machine.plan(films) {
      emit(.warning("\(PlaylistProblem.full) “\(film.title)” wasn't added."))
    }
  }

  func openPlanned() async { await follow(core.machine.openPlanned()) }

  /// Returns to the film's beginning, with the whole group.
  func beginAnew() async { await follow([.then(.seek(to: .zero))]) }

  /// Carries out the user's answer to ``ScreeningEvent/mayOpen(_:)``, if it still waits for one.
  func decide(_ isAllowed: Bool, forGood: Bool = false) async {
    guard programme.isAsking else { return }
    await follow([.then(.answer(isAllowed, forGood: forGood))])
  }

  func allowServer(forGood: Bool) async {
    guard let question = openQuestion else { return }
    policy.allow(question.origin, on: question.network)
    if forGood { await trust(question.origin) }
  }

  /// The question that the user has to answer; nil if there is none.
  var openQuestion: AddressQuestion? { programme.isAsking ? question : nil }

  // MARK: - Events

  func handle(_ event: PlayerEvent) async {
    switch event {
    case .windowKey(let key): windowContinuation.yield(.key(key))
    case .pointerMoved(let x, let y): windowContinuation.yield(.pointer(x: x, y: y))
    case .audioDeviceChanged(let device): await audioDeviceChanged(to: device)
    case .log(let text, let isError):
      // Important failures have their own events with texts for users. mpv writes the others to its --log-file.
      if isError, !programme.isRecovering { keep(log: text) }
    case .stalled(let isStalled): await stalled(isStalled)
    case .userPaused, .userResumed, .userSought, .userChangedRate, .userLoaded, .userStopped,
      .userQuit, .ended, .connectionLost, .failed, .audioDeviceLost, .audioDeviceFound,
      .windowUnavailable, .loadedPercentChanged, .buffered, .loaded, .pausedChanged, .rateChanged,
      .volumeChanged, .fullscreenChanged, .tracksChanged, .subtitlesChanged, .position, .shutdown:
      break
    }
    if let report = Decisions.PlayerReport(event) { await handle(report) }
  }

  private func handle(_ report: Decisions.PlayerReport) async {
    // A frequent one, about which nothing is decided.
    if report == .changed { return emit(.changed) }
    let facts = await reading()
    await follow(core.machine.take(report, in: facts))
  }

  func handle(_ event: CoordinatorEvent) async {
    switch event {
    case .changed(let change):
      if let event = SyncRecord.Event(change.kind) { noteSync(event) }
    case .settled, .otherParticipantsChanged: return emit(.changed)
    case .waiting, .suspensionReasonsChanged, .replayEnded, .sessionEnded: break
    }
    let facts = await reading()
    await follow(core.machine.take(event, in: facts, at: .now()))
  }
}

extension ScreeningMachine.PlayerReport {
  /// - Returns: nil for an event that concerns another part of the program.
  init?(_ event: PlayerEvent) {
    switch event {
    case .userPaused: self = .paused
    case .userResumed: self = .resumed
    case .userSought(let place): self = .sought(to: place)
    case .userChangedRate(let rate): self = .changedRate(to: rate)
    case .userLoaded(let path): self = .loaded(path: path)
    case .userStopped: self = .closed
    case .userQuit: self = .quit
    case .ended(let place, let isEarly, let item):
      self = .ended(at: place, isEarly: isEarly, item: item)
    case .connectionLost: self = .connectionLost
    case .failed(let error): self = .failed("\(error)")
    case .audioDeviceLost: self = .soundLost
    case .audioDeviceFound: self = .soundFound
    case .windowUnavailable(let reason): self = .windowUnavailable(reason)
    case .loadedPercentChanged: self = .loadedPercentChanged
    case .buffered, .loaded, .pausedChanged, .rateChanged, .volumeChanged, .fullscreenChanged,
      .tracksChanged, .subtitlesChanged, .position:
      self = .changed
    case .windowKey, .pointerMoved, .audioDeviceChanged, .log, .stalled, .shutdown: return nil
    }
  }
}
