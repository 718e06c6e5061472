import Concurrency
import Foundation
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The shell of whole programs: the work of ``ScreeningShell`` and of the rooms.
extension Simulation {
  typealias Films = SimulatedProgram.Films

  var shelf: FilmShelf { FilmShelf(seed: scenario.seed) }

  // MARK: - The user

  /// Carries out a line that the user types.
  func use(_ line: String, at participant: SimulatedParticipant) {
    let command: UserCommand
    do { command = try UserCommand(line) } catch { fatalError("“\(line)”: \(error)") }
    participant.program!.isActing = true
    defer { participant.program!.isActing = false }
    var problem: String?
    do {
      let facts = reading(participant)
      let directives = try participant.program!.machine.handle(command, in: facts)
      if case .answer(let isAllowed, _) = command { participant.program!.hasDenied = !isAllowed }
      try perform(directives, at: participant)
    } catch {
      problem = "\(error)"
    }
    note(.program(.used(command, error: problem)), at: participant)
  }

  func reading(_ participant: SimulatedParticipant) -> ScreeningReading {
    let machine = participant.coordinator
    let group = participant.groupTime(at: now)
    let status: CoordinatorSnapshot.Status =
      switch machine.state?.phase {
      case nil: .noItem
      case .paused: .paused
      case .playing: .playing
      case .starting(_, let due):
        .waiting(
          for: machine.reported.waiting?.participants ?? [], until: participant.hostTime(due))
      }
    var player = ScreeningReading.Player()
    let host = participant.hostTime(at: now)
    if let item = participant.player.item {
      player.itemTime = participant.player.itemTime(at: host)
      player.duration = MediaTime(nanoseconds: participant.duration(ofItem: item))
      player.isAtEnd = participant.player.itemTime(at: host) >= player.duration!
    }
    var party: ScreeningReading.Party?
    if participant.program!.machine.membership.isMember {
      party = .init(
        me: participant.id, rules: participant.party.rules, participants: [], groupTime: group,
        session: participant.session == nil ? .over : .joined)
    }
    var reading = ScreeningReading(
      coordinator: CoordinatorSnapshot(
        currentItemIdentifier: machine.currentItem, status: status,
        rate: machine.state?.rate ?? 1, itemTime: machine.state?.itemTime(at: group),
        suspensionReasons: machine.visibleReasons, otherParticipants: [],
        groupItemTime: machine.groupState?.itemTime(at: group)),
      mayControl: machine.isApart || machine.mayControl(machine.me), player: player,
      party: party)
    reading.groupItemEnd = machine.groupEnd
    reading.isTrailerPaused = participant.program!.trailerPlayer?.isPaused
    mutation.screeningReading(&reading)
    return reading
  }

  // MARK: - The machine's directives

  func follow(
    _ directives: [SimulatedProgram.Machine.Directive], at participant: SimulatedParticipant
  ) {
    // A failure is reported to the user, and nothing follows from it.
    try? perform(directives, at: participant)
  }

  private func perform(
    _ directives: [SimulatedProgram.Machine.Directive], at participant: SimulatedParticipant
  ) throws {
    for directive in directives {
      for mutated in mutation.screeningDirective(directive, participant) {
        try perform(mutated, at: participant)
      }
    }
  }

  private func perform(
    _ directive: SimulatedProgram.Machine.Directive, at participant: SimulatedParticipant
  ) throws {
    switch directive {
    case .setRate(let rate, let immediately):
      try transport(participant) {
        $0.coordinateRateChange(to: rate, immediately: immediately, at: $1)
      }
    case .setDefaultRate(let rate):
      try transport(participant) { $0.coordinateDefaultRateChange(to: rate, at: $1) }
    case .seek(to: let place):
      try transport(participant) {
        $0.coordinateSeek(to: place, resumeImmediately: false, at: $1)
      }
    case .reportSeek(to: let place):
      try transport(participant) { $0.playerSought(to: place, at: $1) }
    case .reportEnd(at: let place, let item, let isEarly):
      coordinate(participant, .player) { $0.playerReachedEnd(at: place, now: $1) }
      let isOver = !participant.coordinator.isWaitingAtOwnEnd
      let facts = reading(participant)
      let next = participant.program!.machine.endReported(
        item: item, isEarly: isEarly, isOver: isOver, in: facts)
      try perform(next, at: participant)
    case .waitFor(let reasons, upTo: let limit):
      for reason in reasons {
        participant.coordinator.configuration.participantLimits[reason] = limit
      }
      participant.coordinator.configuration.suspensionReasonsThatTriggerWaiting = reasons
      coordinate(participant, .user) { $0.waitedOutReasonsChanged(at: $1) }
    case .reapply: coordinate(participant, .player) { $0.reapply(at: $1) }
    case .whatHappened:
      coordinate(participant, .user) { $0.whatHappened(at: $1) }
    case .endReplay: coordinate(participant, .user) { $0.endReplay(.stopped, at: $1) }
    case .film(let event): handle(event, at: participant)
    case .identify(let location, let purpose):
      let film = FilmShelf.film(location)
      let facts = reading(participant)
      try perform(
        participant.program!.machine.identified(film, purpose, in: facts), at: participant)
    case .rememberCopies(let films):
      participant.program!.copies.formUnion(films.map(\.identifier))
    case .setList(let edit): try setList(edit, at: participant)
    case .beginSession(let film):
      try begin(participant.program!.machine.newList(film), at: participant)
    case .allowServer:
      if let asked = participant.program!.asked { participant.program!.allowed.insert(asked) }
    case .trailer(let order): perform(order, at: participant)
    case .party(let order): try perform(order, at: participant)
    case .then(let command):
      let facts = reading(participant)
      try perform(
        participant.program!.machine.decide(command, in: facts), at: participant)
    case .refuse(let error): throw error
    case .attempt(let directives, orElse: let effect):
      do { try perform(directives, at: participant) } catch {
        if effect == .reapply { coordinate(participant, .player) { $0.reapply(at: $1) } }
      }
    case .report(.ended): note(.program(.toldOfEnd), at: participant)
    case .waitForFile, .reportLoadedPercent, .prepareActivation, .player, .drawing, .library,
      .report,
      .tellState, .reportToParticipants:
      break
    }
  }

  /// Runs a command as ``DelegatingPlaybackCoordinator`` does.
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

  private func perform(_ order: PartyOrder, at participant: SimulatedParticipant) throws {
    switch order {
    case .leave: leaveParty(participant)
    case .leaveEnded(let ending): leaveParty(participant, after: ending)
    case .join, .rejoin, .host:
      try participant.program!.machine.membership.beginEntering()
      guard participant.outages == 0 else {
        return participant.program!.machine.membership.enteringFailed()
      }
      act(participant) { $0.connected(at: $1) }
    case .endSession:
      guard let session = participant.session else { throw PartyError.sessionOver }
      try request(participant) {
        $0.changeSession(session, at: $1) { $0.ended = true }
      }
    case .change(.control(let control)):
      try request(participant) { $0.amend(.control(control), at: $1) }
    case .askWhetherReady:
      for other in running where other !== participant && other.session == participant.session {
        later(.readyCheck, after: .milliseconds(dice.number(5...80)), at: other)
      }
    case .change, .say, .react, .rename, .showNotice, .meet, .rememberRules, .rememberEnding,
      .keepRelay:
      break
    }
  }

  private func request(
    _ participant: SimulatedParticipant,
    _ body: (inout PartyMachine, HostTime) -> [PartyAction]?
  ) throws {
    var isRefused = false
    act(participant) { machine, now in
      guard let actions = body(&machine, now) else {
        isRefused = true
        return []
      }
      return actions
    }
    if isRefused { throw PartyError.notPermitted }
  }

  // MARK: - The party

  func enteredParty(_ participant: SimulatedParticipant) {
    guard participant.program != nil else { return }
    participant.program!.machine.membership.entered(at: participant.hostTime(at: now))
    handle(.enteredParty, at: participant)
    let rules = participant.party.rules
    follow([SimulatedProgram.Machine.waiting(by: rules)], at: participant)
    if participant.index == 0, participant.party.sessions.current.isEmpty,
      let list = participant.program!.machine.ownList
    {
      try? begin(list, at: participant)
    }
  }

  func leaveParty(_ participant: SimulatedParticipant, after ending: PartyEnding? = nil) {
    guard participant.program!.machine.beginLeaving(after: ending) else { return }
    if participant.session != nil { leaveSession(participant) }
    act(participant) { machine, _ in machine.leave() }
    note(.gone, at: participant)
    participant.connection += 1
    participant.party = PartyMachine(
      PartyMachine.Configuration(
        id: participant.id, epoch: participant.party.configuration.epoch + 1,
        party: participant.party.configuration.party, name: participant.label,
        random: .seeded(dice.next())))
    prepareParty(of: participant)
    participant.program!.machine.membership.left()
    handle(.leftParty, at: participant)
  }

  // MARK: - The session's list

  private func begin(_ list: Playlist, at participant: SimulatedParticipant) throws {
    let data = try JSONEncoder().encode(activity(list, of: participant))
    try request(participant) { $0.activate(identifier: "watch", activity: data, at: $1) }
  }

  private func activity(
    _ list: Playlist, of participant: SimulatedParticipant
  ) -> FilmActivity {
    var activity = participant.program!.machine.activity(list)
    if mutation.ownsAllFilms { activity.isOwnFilm = true }
    return activity
  }

  private func setList(_ edit: ListEdit, at participant: SimulatedParticipant) throws {
    do {
      guard let session = participant.session else { throw PartyError.sessionOver }
      let data = try JSONEncoder().encode(activity(edit.playlist, of: participant))
      let before = edit.before.playlist
      let byUser = participant.program!.isActing
      try request(participant) {
        $0.changeSession(session, at: $1) { ($0.activity, $0.isRestated) = (data, false) }
      }
      let added = Set(edit.playlist.entries.map(\.id)).subtracting(before.entries.map(\.id))
      if byUser { participant.program!.added.formUnion(added) }
      note(
        .program(.listSet(before: before, after: edit.playlist, byUser: byUser)),
        at: participant)
    } catch {
      participant.program!.machine.listNotSet(edit)
      throw error
    }
  }

  /// A session's register changed, also by this participant.
  func programSessionChanged(_ register: SessionRegister, at participant: SimulatedParticipant) {
    guard let list = FilmActivity(in: register)?.playlist else {
      preconditionFailure("a list that nobody can read")
    }
    if participant.session == register.id {
      if register.ended { return sessionEnded(participant) }
      return listChanged(list, by: register, at: participant)
    }
    if participant.session != nil { sessionEnded(participant) }
    guard !register.ended, participant.isRunning else { return }
    act(participant) { $0.joinSession(register.id, at: $1) }
    join(register.id, participant)
    participant.program!.machine.sessionBegan(list)
    handle(.sessionBegan, at: participant)
    let isOwn = register.stamp.participant == participant.id && !register.isRestated
    let cause = participant.program!.machine.membership.cause(
      ofSessionAt: participant.hostTime(at: now), isOwn: isOwn)
    handle(
      .adopted(list, by: chooser(in: register, at: participant), cause), at: participant)
  }

  private func chooser(
    in register: SessionRegister, at participant: SimulatedParticipant
  ) -> Chooser {
    let id = register.stamp.participant
    return register.isRestated ? .unknown : .participant(id, isLocal: id == participant.id)
  }

  private func sessionEnded(_ participant: SimulatedParticipant) {
    leaveSession(participant)
    participant.program!.machine.sessionOver()
    let facts = reading(participant)
    let directives = participant.program!.machine.handle(
      .sessionEnded(.ended(by: participant.id)), in: facts, at: participant.hostTime(at: now))
    follow(directives, at: participant)
  }

  private func listChanged(
    _ list: Playlist, by register: SessionRegister, at participant: SimulatedParticipant
  ) {
    let host = participant.hostTime(at: now)
    let mayEdit = participant.party.rules.mayControl(participant.id)
    let action = participant.program!.machine.sessionChanged(
      to: list, groupTime: participant.groupTime(at: now), mayEdit: mayEdit, now: host)
    guard action != .refuse else { return }
    restore(action, at: participant)
    if let deadline = participant.program!.machine.sharedList?.deadline {
      schedule(
        .program(participant.index, .restoring), at: max(now, participant.trueTime(deadline)))
    }
    guard let merged = participant.program!.machine.list else { return }
    let cause: FilmCause = reading(participant).isAtEnd ? .following : .chosen
    handle(
      .adopted(merged, by: chooser(in: register, at: participant), cause), at: participant)
  }

  private func restore(_ action: SharedPlaylist.Action, at participant: SimulatedParticipant) {
    guard case .set(let list) = action, let session = participant.session,
      mutation.restoresLists, let data = try? JSONEncoder().encode(FilmActivity(list))
    else { return }
    try? request(participant) {
      $0.changeSession(session, at: $1) { ($0.activity, $0.isRestated) = (data, true) }
    }
  }

  // MARK: - Events

  func later(
    _ event: SimulatedProgram.Later, after span: Nanoseconds, at participant: SimulatedParticipant
  ) {
    schedule(.program(participant.index, event), at: now + span)
  }

  func programEvent(_ event: SimulatedProgram.Later, at participant: SimulatedParticipant) {
    switch event {
    case .film(let event): handle(event, at: participant)
    case .loaded(let number, let film):
      guard participant.program!.machine.filmMachine.isCurrent(number) else { return }
      guard
        !shelf.fails(
          film.identifier, person: participant.person.number,
          request: participant.program!.requests)
      else {
        return handle(.failed(number, "can't be read"), at: participant)
      }
      let end = participant.duration(ofItem: film.item)
      if let dropped = participant.player.load(film.item, duration: end) {
        answerSuperseded(dropped, at: participant)
      }
      handle(.loaded(number), at: participant)
    case .filmAlarm(let number):
      let host = participant.hostTime(at: now)
      var program = participant.program!
      let actions = program.host.alarmRang(number, for: &program.machine.filmMachine, at: host)
      participant.program = program
      if let actions { perform(actions, at: participant) }
    case .restoring:
      guard participant.session != nil else { return }
      let mayEdit = participant.party.rules.mayControl(participant.id)
      let action = participant.program!.machine.restoringIsDue(
        mayEdit: mayEdit, now: participant.hostTime(at: now))
      restore(action, at: participant)
    case .trailers(let event): takeTrailers(event, at: participant)
    case .trailerOver(let number, let event): trailerIsOver(number, event, at: participant)
    case .readyCheck: handle(.separated(.notReady, for: .readyCheck), at: participant)
    }
  }

  /// The player has reached the end of its film, as it reports once.
  func programReachedEnd(at place: MediaTime, _ participant: SimulatedParticipant) {
    let item = participant.player.item
    guard participant.program!.ended != item else { return }
    participant.program!.ended = item
    let facts = reading(participant)
    let directives = participant.program!.machine.handle(
      .ended(at: place, isEarly: false, item: item), in: facts)
    follow(directives, at: participant)
  }

  /// The player has begun to play. A script of its user's may answer that.
  func programAnswersStart(_ participant: SimulatedParticipant) {
    guard participant.program?.answersStarts == true else { return }
    let host = participant.hostTime(at: now)
    participant.player.stray(by: .seconds(2), at: host)
    let facts = reading(participant)
    let directives = participant.program!.machine.handle(.strayed(at: host), in: facts)
    participant.program!.isStraying = true
    follow(directives, at: participant)
    participant.program?.isStraying = false
  }

  /// The coordinator reports a change of the group's playback.
  func programChanged(_ change: CoordinatedChange, at participant: SimulatedParticipant) {
    let facts = reading(participant)
    let directives = participant.program!.machine.handle(
      .changed(change), in: facts, at: participant.hostTime(at: now))
    follow(directives, at: participant)
  }

  func programStalled(_ isStalled: Bool, _ participant: SimulatedParticipant) {
    if isStalled {
      participant.player.setStalled(true, at: participant.hostTime(at: now))
      guard reading(participant).coordinator.status == .playing,
        participant.program!.machine.membership.isMember
      else { return }
      return handle(.separated(.stalled, for: .stallRecovery), at: participant)
    }
    endStall(of: participant)
    guard participant.program!.machine.filmMachine.separations.contains(.stalled) else { return }
    handle(.rejoined(.stalled, proposing: nil), at: participant)
    coordinate(participant, .player) { $0.reapply(at: $1) }
  }
}
