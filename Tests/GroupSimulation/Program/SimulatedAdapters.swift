import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The runner of whole programs: it passes events to their loops, and performs the effects with fake adapters on the real
/// coordinator and party of their participants.
extension Simulation {
  typealias Machine = SimulatedProgram.Machine

  var shelf: FilmShelf { FilmShelf(seed: scenario.seed) }

  /// The performance of an effect.
  enum Performance {
    case now(EffectAnswer)
    case after(Nanoseconds, EffectAnswer)
    /// The adapter answers by itself, or never.
    case pending
  }

  // MARK: - The user

  /// Carries out a line that the user types.
  func use(_ line: String, at participant: SimulatedParticipant) {
    let command: UserCommand
    do { command = try UserCommand(line) } catch { fatalError("“\(line)”: \(error)") }
    let isAsked = participant.program!.machine.question != nil
    switch command {
    case .load(let location), .loadForEveryone(let location), .loadResumed(let location),
      .loadAlone(let location),
      .enqueue(let location):
      participant.program!.named.insert(FilmShelf.film(location).identifier)
    case .answer(let isAllowed, _) where isAsked: participant.program!.hasNoFilm = !isAllowed
    default: break
    }
    note(.program(.typed(command, isAsked: isAsked)), at: participant)
    act(.command(command), command, at: participant)
  }

  /// The user does something in the player itself.
  func touch(_ touch: Deed.Touch, at participant: SimulatedParticipant) {
    switch touch {
    case .scan(let film):
      participant.program!.scanned.insert(film)
      send(.film(.libraryChanged), to: participant)
      pump(participant)
    case .lose:
      guard participant.player.item != nil, participant.program!.machine.filmMachine.isShown else {
        return
      }
      participant.program!.hasLostServer = true
      participant.player.setStalled(true, at: participant.hostTime(at: now))
      post(.playback(.reported(.connectionLost)), .player, at: participant)
    case .call:
      participant.program!.calls.isAudible.toggle()
      guard participant.program!.calls.isListening else { return }
      let isAudible = participant.program!.calls.isAudible
      post(.playback(.callHeard(isAudible)), .player, at: participant)
    case .close, .load:
      guard let item = participant.player.item, !participant.player.isFailing else { return }
      // The item is still the coordinator's, and no command about it can be carried out.
      let dropped = participant.player.load(item, duration: participant.end.nanoseconds)
      participant.player.isFailing = true
      if let dropped { answer(dropped, .failed(.coordinatedPlaybackNotPossible), participant) }
      var report = PlayerReport.closed
      if case .load(let film) = touch {
        report = .loaded(path: film)
        participant.program!.named.insert(FilmShelf.film(film).identifier)
        note(.program(.typed(.load(film), isAsked: false)), at: participant)
      }
      act(.playback(.reported(report)), nil, at: participant)
    }
  }

  private func act(
    _ event: Machine.Event, _ command: UserCommand?, at participant: SimulatedParticipant
  ) {
    participant.program!.isActing = true
    sendFacts(to: participant)
    let chain = send(event, isCommand: command != nil, to: participant)
    if let chain { participant.program!.acts[chain] = (command, now) }
    participant.program!.isActing = false
    pump(participant)
  }

  // MARK: - Events

  /// Lets a program handle an event. Its effects are performed by ``pump(_:)``.
  @discardableResult
  func send(
    _ event: Machine.Event, isCommand: Bool = false, to participant: SimulatedParticipant
  ) -> ScreeningLoop.ChainID? {
    note(event, at: participant)
    var chain: ScreeningLoop.ChainID?
    let host = participant.hostTime(at: now)
    for mutated in mutation.screeningEvent(event, participant) {
      watch(participant) {
        chain = participant.program!.loop.handle(mutated, isCommand: isCommand, at: host)
      }
    }
    return chain
  }

  private func note(_ event: Machine.Event, at participant: SimulatedParticipant) {
    switch event {
    case .fact: return
    case .playback: return
    default: break
    }
    participant.program!.lastEventAt = now
    note(.program(.event(event)), at: participant)
  }

  /// Notes the consequences of events for the film and the membership.
  private func watch(_ participant: SimulatedParticipant, _ body: () -> Void) {
    let before = participant.program!.loop.machine.filmMachine.film
    let wasShown = participant.program!.loop.machine.filmMachine.isShown
    let wasLeaving = participant.program!.loop.machine.membership.isLeaving
    body()
    let after = participant.program!.loop.machine.filmMachine.film
    if before != after { participant.program!.lastEventAt = now }
    if before != after || story.isTold {
      note(.program(.filmMachine(before: before, wasShown: wasShown)), at: participant)
    }
    if !wasLeaving, participant.program!.loop.machine.membership.isLeaving {
      note(.program(.leaves), at: participant)
    }
  }

  func answer(
    _ job: ScreeningLoop.Job, _ result: Result<EffectAnswer, any Error>,
    at participant: SimulatedParticipant
  ) {
    var result = result
    if case .success(var answer) = result {
      for event in answer.events { note(event, at: participant) }
      answer.events = answer.events.flatMap { mutation.screeningEvent($0, participant) }
      result = .success(answer)
    }
    let host = participant.hostTime(at: now)
    participant.program!.isActing = participant.program!.acts[job.chain] != nil
    watch(participant) { participant.program!.loop.answered(job, with: result, at: host) }
    participant.program!.isActing = false
  }

  /// Lets a program handle an event after those of the same stream.
  func post(
    _ event: Machine.Event, _ stream: SimulatedProgram.Stream, at participant: SimulatedParticipant
  ) {
    participant.program!.inboxes[stream, default: .init()].events.append(event)
    scheduleNext(of: stream, at: participant)
  }

  func scheduleNext(of stream: SimulatedProgram.Stream, at participant: SimulatedParticipant) {
    guard let inbox = participant.program!.inboxes[stream], !inbox.events.isEmpty,
      inbox.handled == nil, !inbox.isScheduled,
      participant.program!.isAttending || !stream.isPartys
    else { return }
    participant.program!.inboxes[stream]!.isScheduled = true
    later(.next(stream), after: moment(), at: participant)
  }

  private func handleNext(
    of stream: SimulatedProgram.Stream, at participant: SimulatedParticipant
  ) {
    guard var inbox = participant.program!.inboxes[stream] else { return }
    inbox.isScheduled = false
    let event = inbox.events.isEmpty ? nil : inbox.events.removeFirst()
    participant.program!.inboxes[stream] = inbox
    guard let event else { return }
    if stream.isPartys { sendPartyFacts(to: participant) } else { sendFacts(to: participant) }
    if case .playback(.coordinated(.changed(let change))) = event {
      note(.program(.heard(change)), at: participant)
    }
    if case .playback(.reported(.strayed)) = event { participant.program!.isStraying = true }
    // The votes of people, too, are their acts.
    let isVote = if case .vote = event { true } else { false }
    participant.program!.isActing = isVote
    let chain = send(event, to: participant)
    if isVote, let chain { participant.program!.acts[chain] = (nil, now) }
    participant.program!.isActing = false
    participant.program!.inboxes[stream]!.handled = chain
    pump(participant)
    participant.program!.isStraying = false
    if chain == nil { scheduleNext(of: stream, at: participant) }
  }

  func sendFacts(to participant: SimulatedParticipant) {
    send(.fact(.player(playerFacts(participant))), to: participant)
    send(.fact(.group(groupFacts(participant))), to: participant)
  }

  func later(
    _ event: SimulatedProgram.Later, after span: Nanoseconds, at participant: SimulatedParticipant
  ) {
    schedule(.program(participant.index, event), at: now + span)
  }

  /// Returns the time that a call between two actors takes.
  func moment() -> Nanoseconds { dice.number(20_000...2_000_000) }

  func programEvent(_ event: SimulatedProgram.Later, at participant: SimulatedParticipant) {
    switch event {
    case .alarm(let number):
      let host = participant.hostTime(at: now)
      watch(participant) { participant.program!.loop.alarmRang(number, at: host) }
    case .next(let stream): return handleNext(of: stream, at: participant)
    case .answered(let job, let result): answer(job, result, at: participant)
    case .opens(let opening): open(opening, at: participant)
    case .loaded(let opening): loaded(opening, at: participant)
    case .trailerOver(let number, let event):
      guard participant.program!.trailerPlayer?.number == number else { return }
      send(.film(.trailer(event)), to: participant)
    case .connects(let stay): connect(stay, participant)
    case .givesUp(let stay): giveUp(stay, participant)
    case .offers: hearOfOffers(participant)
    case .gives(let film, let quality, participant.program!.withdrawals):
      give(film, quality, participant)
    case .gives: break
    case .comesBack(let stay): comeBack(stay, participant)
    case .reached(let owner, let address): reached(owner, address, participant)
    case .hearsOfRelays: hearOfRelays(participant)
    case .serves(let job, let stay): serve(job, stay: stay, participant)
    case .losesRelay(let owner): loseRelay(of: owner, participant)
    case .bridgeFails(let server): send(.party(.bridgeFailed(to: server)), to: participant)
    case .relays: lookAtLink(participant)
    }
    pump(participant)
  }

  // MARK: - Effects

  /// Performs the effects that the loop hands out now.
  func pump(_ participant: SimulatedParticipant) {
    guard !participant.program!.isPumping else { return }
    participant.program!.isPumping = true
    while participant.isRunning, let job = nextJob(of: participant) {
      perform(job, at: participant)
    }
    participant.program!.isPumping = false
    for (chain, result) in participant.program!.loop.takeEnded() {
      ended(chain, result, at: participant)
    }
    guard case .set(let due, let number) = participant.program!.loop.setAlarm() else { return }
    schedule(
      .program(participant.index, .alarm(number)), at: max(now, participant.trueTime(due)))
  }

  /// Returns the next effect. Before it, the machine may go on with events of its own.
  private func nextJob(of participant: SimulatedParticipant) -> ScreeningLoop.Job? {
    let host = participant.hostTime(at: now)
    var job: ScreeningLoop.Job?
    participant.program!.isActing = !participant.program!.acts.isEmpty
    watch(participant) { job = participant.program!.loop.next(at: host) }
    participant.program!.isActing = false
    return job
  }

  private func ended(
    _ chain: ScreeningLoop.ChainID, _ result: Result<CommandAnswer, any Error>,
    at participant: SimulatedParticipant
  ) {
    if let command = participant.program!.acts.removeValue(forKey: chain)?.command {
      var problem: String?
      if case .failure(let error) = result { problem = "\(error)" }
      note(.program(.used(command, error: problem)), at: participant)
    }
    for stream in SimulatedProgram.Stream.allCases
    where participant.program!.inboxes[stream]?.handled == chain {
      participant.program!.inboxes[stream]!.handled = nil
      scheduleNext(of: stream, at: participant)
    }
    if chain == participant.program!.entry { attend(participant) }
    if chain == participant.program!.quitting { stop(participant) }
  }

  private func perform(_ job: ScreeningLoop.Job, at participant: SimulatedParticipant) {
    participant.program!.isActing = participant.program!.acts[job.chain] != nil
    let effects = mutation.screeningEffect(job.effect, participant)
    var performance = Performance.now(.done)
    do {
      for effect in effects {
        note(.program(.effect(effect)), at: participant)
        performance = try perform(effect, for: job, at: participant)
      }
    } catch {
      participant.program!.isActing = false
      guard !job.holdsLoop else { return answer(job, .failure(error), at: participant) }
      return later(.answered(job, .failure(error)), after: moment(), at: participant)
    }
    participant.program!.isActing = false
    switch performance {
    case .now(let events): answer(job, .success(events), at: participant)
    case .after(let span, let events):
      later(.answered(job, .success(events)), after: span, at: participant)
    case .pending: break
    }
  }

  private func perform(
    _ effect: Machine.Effect, for job: ScreeningLoop.Job, at participant: SimulatedParticipant
  ) throws -> Performance {
    switch effect {
    case .setRate(let rate, let immediately):
      guard rate == 0 || CoordinatorMachine.rates.contains(rate) else {
        throw CoordinationError.rateOutOfRange(rate)
      }
      try transport(participant) {
        $0.coordinateRateChange(to: rate, immediately: immediately, at: $1)
      }
    case .setDefaultRate(let rate):
      guard CoordinatorMachine.rates.contains(rate) else {
        throw CoordinationError.rateOutOfRange(rate)
      }
      try transport(participant) { $0.coordinateDefaultRateChange(to: rate, at: $1) }
    case .seek(to: let place):
      try transport(participant) {
        $0.coordinateSeek(to: place, resumeImmediately: false, at: $1)
      }
    case .reportSeek(to: let place):
      try transport(participant) { $0.playerSought(to: place, at: $1) }
    case .reportEnd(at: let place, let item, let isEarly):
      coordinate(participant, .player) { $0.playerReachedEnd(at: place, now: $1) }
      let isOver = participant.coordinator.isOver(at: place, now: participant.groupTime(at: now))
      return .now(
        EffectAnswer([
          .fact(.player(playerFacts(participant))), .fact(.group(groupFacts(participant))),
          .playback(.endReported(item: item, isEarly: isEarly, isOver: isOver)),
        ]))
    case .endHere(at: let place):
      coordinate(participant, .player) { $0.playerReachedEnd(at: place, now: $1) }
    case .waitFor(let reasons, upTo: let limit):
      for reason in reasons {
        participant.coordinator.configuration.participantLimits[reason] = limit
      }
      participant.coordinator.configuration.suspensionReasonsThatTriggerWaiting = reasons
      coordinate(participant, .user) { $0.waitedOutReasonsChanged(at: $1) }
    case .reapply: coordinate(participant, .player) { $0.reapply(at: $1) }
    case .whatHappened: try replay(participant)
    case .endReplay: coordinate(participant, .user) { $0.endReplay(.stopped, at: $1) }
    case .separate(let separation, let reason):
      coordinate(participant, .user) {
        let (id, actions) = $0.beginSuspension(for: reason, at: $1)
        participant.program!.suspensions[separation] = id
        return actions
      }
    case .rejoin(let separation, let place):
      guard let id = participant.program!.suspensions.removeValue(forKey: separation) else { break }
      coordinate(participant, .user) { $0.endSuspension(id, proposingNewTime: place, at: $1) }
    case .tellReady: coordinate(participant, .player) { $0.playerBecameReady(at: $1) }
    case .clearItem: transition(participant, to: nil)
    case .reportLoadedPercent: break
    case .look(let inquiry):
      return .now(
        EffectAnswer([
          .fact(.player(playerFacts(participant))), .fact(.group(groupFacts(participant))),
          .playback(.looked(inquiry)),
        ]))
    case .sync(let order): return perform(order, at: participant)
    case .film(let order): return try perform(order, for: job, at: participant)
    case .trailer(let order): return perform(order, at: participant)
    case .library(let order): return perform(order, at: participant)
    case .party(let order): return try perform(order, for: job, at: participant)
    case .share(let order): return perform(order, at: participant)
    case .prepareActivation(let number, _):
      return .after(moment(), EffectAnswer([.intentSettled(number, .activationPreferred)]))
    case .report(.ended):
      note(.program(.toldOfEnd), at: participant)
      return .now(.done)
    case .report(.quitWanted):
      participant.program!.quitting = send(.quits, to: participant)
      return .now(.done)
    case .player(.addSubtitles(let subtitles, titled: _, to: let item)):
      guard participant.player.item == item else { throw CoordinationError.noCurrentItem }
      participant.program!.loadedSubtitles.insert(subtitles.id)
      return .after(moment(), .done)
    case .player(.listenForCalls(let listens)):
      participant.program!.calls.isListening = listens
      if listens, participant.program!.calls.isAudible {
        post(.playback(.callHeard(true)), .player, at: participant)
      }
      return .after(moment(), .done)
    case .player(.lower(let isLowered)):
      participant.program!.calls.isLowered = isLowered
      return .after(moment(), .done)
    case .player, .drawing: return .after(moment(), .done)
    case .report, .tellState, .reportToParticipants: return .now(.done)
    case .then, .wait, .refuse, .attempt: preconditionFailure("the loop's own: \(effect)")
    }
    return .now(EffectAnswer([.fact(.group(groupFacts(participant)))]))
  }

  // MARK: - Playback

  private func playerFacts(_ participant: SimulatedParticipant) -> PlayerFacts {
    var facts = PlayerFacts()
    let host = participant.hostTime(at: now)
    facts.isLoaded = participant.player.item != nil && !participant.player.isFailing
    facts.isStalled = participant.player.isStalled
    facts.isSeeking = participant.player.pending?.place != nil
    facts.frameDuration = .nanoseconds(participant.person.frame)
    guard facts.isLoaded else { return facts }
    facts.itemTime = participant.player.itemTime(at: host)
    facts.duration = participant.end
    facts.isAtEnd = participant.player.itemTime(at: host) >= participant.end
    return facts
  }

  private func groupFacts(_ participant: SimulatedParticipant) -> GroupFacts {
    var facts = GroupFacts()
    let machine = participant.coordinator
    let group = participant.groupTime(at: now)
    facts.item = machine.currentItem
    facts.status =
      switch machine.state?.phase {
      case nil: .noItem
      case .paused: .paused
      case .playing: .playing
      case .starting(_, let due):
        .waiting(
          for: machine.reported.waiting?.participants ?? [], until: participant.hostTime(due))
      }
    facts.rate = machine.state?.rate ?? 1
    facts.itemTime = machine.state?.itemTime(at: group)
    facts.groupItemTime = machine.groupState.map(machine.settled)?.itemTime(at: group)
    facts.reasons = machine.visibleReasons
    facts.hasOthers = !machine.others.isEmpty
    facts.withFilm = Set(
      machine.others.filter { $0.value.item == machine.currentItem }.map(\.key))
    facts.notReady = Set(
      machine.others.filter { $0.value.suspensions.contains(.readyCheck) }.map(\.key))
    facts.mayControl = machine.isApart || machine.mayControl(machine.me)
    facts.end = machine.groupEnd
    return facts
  }

  /// Runs a command as `DelegatingPlaybackCoordinator` does.
  private func transport(
    _ participant: SimulatedParticipant,
    _ body: (inout CoordinatorMachine, GroupTime) -> [CoordinatorAction]
  ) throws {
    let machine = participant.coordinator
    guard machine.state != nil else { throw CoordinationError.noCurrentItem }
    guard machine.isApart || mutation.mayControl(machine, machine.me) else {
      throw CoordinationError.notPermitted
    }
    coordinate(participant, .user, body)
  }

  private func replay(_ participant: SimulatedParticipant) throws {
    let machine = participant.coordinator
    guard machine.catchingUp == nil else {
      return coordinate(participant, .user) { $0.endReplay(.stopped, at: $1) }
    }
    guard let state = machine.state else { throw CoordinationError.noCurrentItem }
    guard machine.suspensions.isEmpty else { throw CoordinationError.suspended }
    guard CoordinatorMachine.rates.contains(state.rate * 2) else {
      throw CoordinationError.rateOutOfRange(state.rate * 2)
    }
    coordinate(participant, .user) { $0.whatHappened(at: $1) }
  }

  func transition(
    _ participant: SimulatedParticipant, to item: String?, proposing timing: PlaybackTiming? = nil,
    isReady: Bool = true
  ) {
    coordinate(participant, .user) {
      $0.transition(to: item, proposing: timing, isPlayerReady: isReady, at: $1)
    }
  }

  private func perform(_ order: SyncOrder, at participant: SimulatedParticipant) -> Performance {
    switch order {
    case .correct(let reportsEnd, _):
      if reportsEnd, participant.coordinator.copyEnd.named != participant.end {
        let end = participant.end
        coordinate(participant, .player) { $0.setItemEnd(end, at: $1) }
      }
      let error = correctDrift(of: participant)
      return .now(EffectAnswer([.playback(.measured(error: error))]))
    case .goOnAlone:
      participant.lastSyncError = nil
      var place: MediaTime?
      if participant.player.isMoving {
        let here = participant.itemTime(at: now)
        place = here
        coordinate(participant, .player) {
          $0.playerPlays(at: here, now: $1)
          return []
        }
      }
      return .now(EffectAnswer([.playback(.wentOn(to: place))]))
    case .stayHere:
      guard participant.player.pending != nil, participant.player.item != nil else { break }
      let here = participant.itemTime(at: now)
      coordinate(participant, .player) { $0.playerBecameReady(at: $1) }
      try? transport(participant) { $0.coordinateSeek(to: here, resumeImmediately: true, at: $1) }
    case .forget: participant.lastSyncError = nil
    case .noteStall, .noteLatencyOffset: break
    }
    return .now(.done)
  }

  /// An interval has passed.
  func programTick(_ participant: SimulatedParticipant) {
    let host = participant.hostTime(at: now)
    let place = participant.player.itemTime(at: host)
    if participant.player.isAtEnd(at: host), let item = participant.player.item {
      if participant.program!.ended != item {
        participant.program!.ended = item
        post(
          .playback(.reported(.ended(at: place, isEarly: false, item: item))), .player,
          at: participant)
      }
    } else if place < participant.end {
      participant.program!.ended = nil
    }
    sendFacts(to: participant)
    let isAsking = participant.program!.machine.membership.voting.question?.isOwn == true
    participant.program!.isActing = isAsking
    let chain = send(.fact(.tick), to: participant)
    if isAsking, let chain { participant.program!.acts[chain] = (nil, now) }
    participant.program!.isActing = false
    pump(participant)
  }

  /// The player has begun to play. A script of its user's may answer that.
  func programAnswersStart(_ participant: SimulatedParticipant) {
    guard participant.program?.answersStarts == true else { return }
    let host = participant.hostTime(at: now)
    participant.player.stray(by: .seconds(2), at: host)
    post(.playback(.reported(.strayed(at: host))), .player, at: participant)
  }

  /// The coordinator reports an event.
  func programCoordinated(_ event: CoordinatorMachineEvent, at participant: SimulatedParticipant) {
    let passed: CoordinatorEvent =
      switch event {
      case .changed(let change): .changed(change)
      case .settled: .settled
      case .waiting(let waiting):
        .waiting(
          for: waiting?.participants, until: waiting.map { participant.hostTime($0.due) })
      case .suspensionsChanged: .suspensionReasonsChanged
      case .replayEnded(let end): .replayEnded(end)
      case .waitsAtOwnEnd: .waitsAtOwnEnd
      case .participantsChanged: .otherParticipantsChanged
      }
    post(.playback(.coordinated(passed)), .coordinator, at: participant)
  }

  func programStalled(_ isStalled: Bool, _ participant: SimulatedParticipant) {
    if isStalled {
      participant.player.setStalled(true, at: participant.hostTime(at: now))
    } else {
      endStall(of: participant)
    }
    post(.playback(.stalled(isStalled)), .player, at: participant)
  }
}
