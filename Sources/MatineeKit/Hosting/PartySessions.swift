import Concurrency
import Foundation
import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping
import WatchTogether

/// The party's sessions of watching films, one after another: their list of films, ready checks
/// and reactions.
@ScreeningActor
final class PartySessions {
  private let runner: LoopRunner
  private let coordinator: DelegatingPlaybackCoordinator
  private let events: EventBroadcast<ScreeningEvent>
  private var party: Party?
  private var isHosting = false
  private(set) var session: GroupSession<FilmActivity>?
  /// Fulfilled when the coordinator has entered the next session, and the machine knows of it.
  private var nextEntry = OneShot<Void>()
  private var tasks: [Task<Void, Never>] = []
  let votes: VoteDesk

  init(
    runner: LoopRunner, coordinator: DelegatingPlaybackCoordinator,
    events: EventBroadcast<ScreeningEvent>
  ) {
    self.runner = runner
    self.coordinator = coordinator
    self.events = events
    votes = VoteDesk(runner: runner)
  }

  /// Prepares for the sessions of a party that this participant enters.
  ///
  /// - Parameter isHosting: a Boolean value that indicates whether this program opened the party.
  func enter(_ party: Party, isHosting: Bool) { (self.party, self.isHosting) = (party, isHosting) }

  /// Joins each session of the party, because the user entered the party for them.
  func attend() {
    guard let party else { return }
    votes.attend(party)
    tasks = [
      Task { [weak self] in
        for await session in await FilmActivity.sessions(in: party) {
          await self?.join(session, in: party)
        }
      }
    ]
  }

  /// Returns what the party reports now; nil outside a party.
  func facts() async -> PartyFacts? {
    guard let party else { return nil }
    let rules = await party.rules
    let participants = await party.participants
    let state: PartyFacts.SessionState =
      switch session?.state {
      case .joined: .joined
      case .waiting: .waiting
      case .invalidated, nil: .over
      }
    var facts = PartyFacts(
      me: party.localID, rules: rules, participants: participants, clock: party.clock.reading,
      session: state)
    facts.isHosting = isHosting
    return facts
  }

  /// Leaves the sessions, because the party is being left.
  func detach() {
    for task in tasks { task.cancel() }
    tasks = []
    votes.detach()
    session = nil
    party = nil
  }

  /// Starts a session and returns once the coordinator has entered it: the next command is then the group's.
  func begin(_ activity: FilmActivity, in party: Party) async throws {
    let entry = nextEntry
    try await activity.activate(in: party)
    await entry.value(atMost: .seconds(3))
  }

  func end() async throws { try await current().end() }

  /// Forgets the session if it is over for everyone. The next one may have begun already.
  func forgetEnded() {
    if case .invalidated = session?.state { session = nil }
  }

  /// Makes an activity that of the session.
  func set(_ activity: FilmActivity) async throws { try await current().setActivity(activity) }

  /// Sets the session's list again to what was merged.
  func restore(_ list: Playlist) async throws {
    try await current().setActivity(FilmActivity(list), restating: true)
  }

  private func current() throws(PartyError) -> GroupSession<FilmActivity> {
    guard let session else { throw .sessionOver }
    return session
  }

  private func join(
    _ session: GroupSession<FilmActivity>, in party: Party
  ) async {
    guard self.party === party else { return }
    self.session = session
    await session.join()
    do {
      try await coordinator.coordinateWithSession(session)
    } catch {
      events.send(.failed("\(error)"))
    }
    let decision = session.decision
    let arrival = await party.arrival
    let now = await facts()
    let entry = nextEntry
    nextEntry = OneShot()
    // The party may have been left meanwhile, and the machine is in no session then.
    guard self.session === session else { return entry.fulfil(()) }
    runner.send(.fact(.party(now)))
    // The command that began the session resumes after this task has told the machine of it.
    entry.fulfil(())
    await runner.handle(
      .party(
        .sessionBegan(
          SessionStart(
            list: decision.activity.playlist, chooser: decision.by,
            isOwnFilm: decision.activity.isOwnFilm,
            precedesJoining: arrival.map { decision.at <= $0 } ?? false))))
    tasks += [
      follow(ReadyCheckMessage.self, in: session) { .readyCheck(by: $1) },
      follow(CountdownMessage.self, in: session) { .countdown($0.seconds, by: $1) },
      follow(ReactionMessage.self, .unreliable, in: session) { .reacted($1, $0.reaction) },
      follow(EarlierChat.self, in: session) { .earlierChat($0.lines, by: $1) },
      follow(EarlierChatQuestion.self, in: session) { .earlierChatWanted(by: $1) },
      Task { [weak self] in
        // The first change may repeat the current activity, or be a newer one.
        for await change in session.activityChanges {
          guard let self, self.session === session else { continue }
          runner.send(.fact(.party(await facts())))
          await runner.handle(
            .party(.listChanged(change.activity.playlist, by: change.originator)))
        }
      },
    ]
  }

  /// Gives the machine each message of a type.
  private func follow<Message: Codable & Sendable>(
    _ type: Message.Type, _ mode: GroupSessionMessenger.DeliveryMode = .reliable,
    in session: GroupSession<FilmActivity>,
    as change: @escaping @Sendable (Message, Participant) -> ScreeningMachine.PartyChange
  ) -> Task<Void, Never> {
    Task { [weak self] in
      let messages = GroupSessionMessenger(session: session, deliveryMode: mode).messages(of: type)
      for await (message, context) in messages {
        await self?.runner.handle(.party(change(message, context.source)))
      }
    }
  }

  // MARK: - Earlier chat

  func askForEarlierChat(_ id: Participant.ID) async throws {
    try await send(EarlierChatQuestion(), to: id)
  }

  func sendEarlierChat(_ lines: [EarlierLine], to id: Participant.ID) async throws {
    try await send(EarlierChat(lines: lines), to: id)
  }

  private func send(_ message: some Codable & Sendable, to id: Participant.ID) async throws {
    let session = try current()
    guard let receiver = await party?.participants.first(where: { $0.id == id }) else { return }
    try await GroupSessionMessenger(session: session).send(message, to: .only(receiver))
  }

  // MARK: - Ready checks and reactions

  /// Asks all other participants whether they are ready. A start waits for those who haven't confirmed it.
  func askWhetherReady() async throws {
    try await GroupSessionMessenger(session: current()).send(ReadyCheckMessage())
  }

  func countDown(_ seconds: Int) async throws {
    try await GroupSessionMessenger(session: current()).send(CountdownMessage(seconds: seconds))
  }

  /// Asks the faces to get the user's attention, because a film of the session waits for an answer.
  func requestForeground() async { await session?.requestForegroundPresentation() }

  /// Shows the others a notice of this user's action.
  func showNotice(_ action: GroupSessionEvent.Action) async throws {
    guard let session, let party else { throw PartyError.sessionOver }
    try await session.showNotice(
      GroupSessionEvent(originator: await party.localParticipant, action: action))
  }

  /// - Returns: this participant.
  func react(_ reaction: Reaction) async throws -> Participant {
    guard let session, let party else { throw PartyError.sessionOver }
    try await GroupSessionMessenger(session: session, deliveryMode: .unreliable)
      .send(ReactionMessage(reaction: reaction))
    return await party.localParticipant
  }
}

/// The question to a participant what was said before its sender came back.
private struct EarlierChatQuestion: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "earlier-chat-question"
}

private struct EarlierChat: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "earlier-chat"

  var lines: [EarlierLine]
}
