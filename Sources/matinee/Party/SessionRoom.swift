import Concurrency
import Foundation
import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// The party's sessions of watching films, one after another: their list of films, ready checks and reactions.
@ScreeningActor
final class SessionRoom {
  /// The parts of the program that sessions concern.
  struct Links {
    /// Gives the film machine an event, and returns once its directives are performed.
    var film: @ScreeningActor (FilmDecisions.Event) async -> Void
    /// A Boolean value that indicates whether the film on the screen is over.
    var isAtEnd: @ScreeningActor () async -> Bool
    /// Prepares the first film of a party that this participant has just joined.
    var arrive: @ScreeningActor (GroupSession<FilmActivity>.Decision, Party) async -> Void
  }

  private let core: ScreeningCore<OriginRefusal>
  private let events: EventBroadcast<ScreeningEvent>
  private let coordinator: DelegatingPlaybackCoordinator
  private let links: Links
  private var party: Party?
  private(set) var session: GroupSession<FilmActivity>?
  /// Fulfilled when the coordinator has entered the next session.
  private var nextEntry = OneShot<Void>()
  /// The task that restores missing edits of the list at its deadline.
  private var restoring: Task<Void, Never>?
  private var tasks: [Task<Void, Never>] = []

  init(
    core: ScreeningCore<OriginRefusal>, events: EventBroadcast<ScreeningEvent>,
    coordinator: DelegatingPlaybackCoordinator, links: Links
  ) {
    self.core = core
    self.events = events
    self.coordinator = coordinator
    self.links = links
  }

  /// Joins each session of the party, because the user entered the party for them.
  func attend(_ party: Party) {
    self.party = party
    tasks = [
      Task { [weak self] in
        for await session in await FilmActivity.sessions(in: party) { await self?.join(session) }
      }
    ]
  }

  /// Leaves the sessions, because the party is being left.
  func detach() {
    for task in tasks { task.cancel() }
    tasks = []
    restoring?.cancel()
    session = nil
    party = nil
  }

  /// Starts a session and returns once the coordinator has entered it: the next command is then the group's.
  func begin(_ list: Playlist, in party: Party) async throws {
    let entry = nextEntry
    try await core.machine.activity(list).activate(in: party)
    await entry.value(atMost: .seconds(3))
  }

  func end() async throws {
    guard let session else { throw PartyError.sessionOver }
    try await session.end()
  }

  /// Handles the end of a session for everyone. The next one may have begun already.
  func sessionEnded() {
    guard case .invalidated = session?.state else { return }
    session = nil
    core.machine.sessionOver()
  }

  private func join(_ session: GroupSession<FilmActivity>) async {
    guard let party else { return }
    self.session = session
    await session.join()
    do {
      try await coordinator.coordinateWithSession(session)
    } catch {
      events.send(.failed("\(error)"))
    }
    nextEntry.fulfil(())
    nextEntry = OneShot()
    let isFirst = !core.machine.membership.hasTakenPart
    let decision = session.decision
    restoring?.cancel()
    core.machine.sessionBegan(decision.activity.playlist)
    if isFirst { await links.arrive(decision, party) }
    await links.film(.sessionBegan)
    let isOwn = decision.by == party.localID
    await adopt(
      decision.activity.playlist, by: decision.by,
      core.machine.membership.cause(ofSessionAt: .now(), isOwn: isOwn))
    tasks += [
      Task { [weak self] in await self?.followReadyChecks(in: session) },
      Task { [weak self] in await self?.followReactions(in: session) },
      Task { [weak self] in
        // The first change may repeat the current activity, or be a newer one.
        for await change in session.activityChanges { await self?.handle(change, in: session) }
      },
    ]
  }

  // MARK: - The list of films

  /// Makes a list that of the session.
  func setList(_ edit: ListEdit) async throws {
    do {
      guard let session else { throw PartyError.sessionOver }
      try await session.setActivity(core.machine.activity(edit.playlist))
    } catch {
      core.machine.listNotSet(edit)
      throw error
    }
  }

  private func adopt(_ list: Playlist, by id: Participant.ID?, _ cause: FilmCause) async {
    let chooser = id.map { Chooser.participant($0, isLocal: $0 == party?.localID) } ?? .unknown
    await links.film(.adopted(list, by: chooser, cause))
  }

  /// Handles a new list in the session, also this participant's own.
  private func handle(
    _ change: GroupActivityChange<FilmActivity>, in session: GroupSession<FilmActivity>
  ) async {
    guard let party, self.session === session else { return }
    let mayEdit = await party.rules.mayControl(party.localID)
    let now = HostTime.now()
    guard self.session === session else { return }
    let action = core.machine.sessionChanged(
      to: change.activity.playlist, groupTime: party.clock.reading?.groupTime(at: now),
      mayEdit: mayEdit, now: now)
    if case .refuse = action {
      let name = core.machine.name(of: change.originator)
      return events.send(.warning("\(name) sent a playlist of the future. It was ignored."))
    }
    await perform(action, in: session)
    watchRestoring(in: session)
    guard let list = core.machine.list else { return }
    await adopt(list, by: change.originator, await links.isAtEnd() ? .following : .chosen)
  }

  private func watchRestoring(in session: GroupSession<FilmActivity>) {
    restoring?.cancel()
    guard let deadline = core.machine.sharedList?.deadline else { return }
    restoring = Task { [weak self] in
      try? await Task.sleep(for: max(Duration.zero, deadline - .now()), clock: .suspending)
      guard !Task.isCancelled else { return }
      await self?.restore(in: session)
    }
  }

  private func restore(in session: GroupSession<FilmActivity>) async {
    guard let party, self.session === session else { return }
    let mayEdit = await party.rules.mayControl(party.localID)
    guard self.session === session else { return }
    await perform(core.machine.restoringIsDue(mayEdit: mayEdit, now: .now()), in: session)
  }

  private func perform(
    _ action: SharedPlaylist.Action, in session: GroupSession<FilmActivity>
  ) async {
    switch action {
    case .none, .refuse: break
    case .set(let playlist):
      do {
        try await session.setActivity(FilmActivity(playlist), restating: true)
      } catch {
        events.send(.warning("The playlist couldn't be shared: \(error)"))
      }
    }
  }

  // MARK: - Ready checks and reactions

  /// Asks all other participants whether they are ready. A start waits for those who haven't confirmed it.
  func askWhetherReady() async throws {
    guard let session else { throw PartyError.sessionOver }
    try await GroupSessionMessenger(session: session).send(ReadyCheck())
  }

  private func followReadyChecks(in session: GroupSession<FilmActivity>) async {
    let questions = GroupSessionMessenger(session: session).messages(of: ReadyCheck.self)
    for await (_, context) in questions {
      // The question of a participant who may not control playback is ignored.
      guard let party, await party.rules.mayControl(context.source.id) else { continue }
      await links.film(.separated(.notReady, for: .readyCheck))
      events.send(.readyCheck(by: context.source.name))
      await session.requestForegroundPresentation()
    }
  }

  /// Asks the faces to get the user's attention, because a film of the session waits for an answer.
  func requestForeground() async { await session?.requestForegroundPresentation() }

  /// Shows the others a notice of this user's action.
  func showNotice(_ action: GroupSessionEvent.Action) async throws {
    guard let session, let party else { throw PartyError.sessionOver }
    try await session.showNotice(
      GroupSessionEvent(originator: await party.localParticipant, action: action))
  }

  func react(_ reaction: Reaction) async throws {
    guard let session, let party else { throw PartyError.sessionOver }
    try await GroupSessionMessenger(session: session, deliveryMode: .unreliable)
      .send(ReactionMessage(reaction: reaction))
    events.send(.reaction(.init(await party.localParticipant), reaction))
  }

  private func followReactions(in session: GroupSession<FilmActivity>) async {
    let messages = GroupSessionMessenger(session: session, deliveryMode: .unreliable)
      .messages(of: ReactionMessage.self)
    for await (message, context) in messages {
      events.send(.reaction(.init(context.source), message.reaction))
    }
  }
}

/// The question to all participants whether they are ready.
private struct ReadyCheck: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "ready-check"
}

/// The message of a reaction. It is delivered at once or not at all, since a late one would be confusing.
private struct ReactionMessage: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "reaction"

  var reaction: Reaction
}
