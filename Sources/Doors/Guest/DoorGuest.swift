import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping
import VoteTogether
import WatchTogether

/// A guest of a door: an ordinary participant with a coordinator of its own, whose player is at another machine.
protocol DoorGuest: Actor, PlaybackControlDelegate {
  var stay: GuestStay { get set }
  /// The item in the guest's player; nil for none.
  var item: String? { get }

  func handle(_ event: PartyEvent) async
  func handle(_ event: CoordinatorEvent) async
  /// The guest takes part in a session.
  func attends(_ session: GroupSession<FilmActivity>) async
  /// The session has another film, or ended.
  func filmChanged() async
  /// Shows the guest the party as it is now.
  func showParty() async
  /// Shows the guest the positions of the party.
  func showLine() async
  /// A participant asks whether everyone is ready.
  func wasAsked(by participant: Participant) async
  /// Shows the question of a vote, or its outcome.
  func showVote(_ sentence: String) async
  /// Shows that something can't be done.
  func refuse(_ reason: String) async
  /// Shows that a command can't be carried out, and takes it back.
  func takeBack(_ error: any Error) async
  /// Shows a message that the guest sent to the chat.
  func said(_ text: String, by me: Participant) async
  /// Passes an order to the guest's player.
  func pass(_ order: GuestOrder) async
}

/// The stay of a guest in the party.
struct GuestStay: Sendable {
  let context: GuestContext
  let identity: ParticipantIdentity
  var party: Party?
  var coordinator: DelegatingPlaybackCoordinator?
  var activity: FilmActivity?
  /// The names of everyone who was in the party.
  var known: [Participant.ID: String] = [:]
  var orders = GuestOrders()
  var suspensions: [CoordinatedPlaybackSuspension.Reason: CoordinatedPlaybackSuspension] = [:]
  // The vote.
  var voting = Voting()
  var asker = ""
  var ballots: BallotBox?
  var counting: Task<Void, Never>?
  var isOver = false
  var tasks: [Task<Void, Never>] = []

  /// The time that a guest's player needs to start, once it has the order.
  static let startLatency = Duration.milliseconds(300)
  /// The interval of reports of the group's line, which drifts against this machine's clock.
  static let lineInterval = Duration.seconds(1)

  init(_ identity: ParticipantIdentity, _ context: GuestContext) {
    (self.identity, self.context) = (identity, context)
  }
}

extension DoorGuest {
  var party: Party? { stay.party }
  var coordinator: DelegatingPlaybackCoordinator? { stay.coordinator }
  var activity: FilmActivity? { stay.activity }
  var known: [Participant.ID: String] { stay.known }
  var isOver: Bool { stay.isOver }

  // MARK: - In and out

  /// Joins the party, and attends its sessions.
  ///
  /// - Returns: the guest's participant; nil if the stay has ended meanwhile.
  func join(as name: String, _ door: Participant.Door) async throws(PartyError) -> Participant? {
    let party = try await stay.context.join(stay.identity, name, door)
    guard !isOver else {
      await party.leave()
      return nil
    }
    let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: self)
    (stay.party, stay.coordinator) = (party, coordinator)
    await coordinator.reportLatencies(
      start: GuestStay.startLatency, rateChange: GuestStay.startLatency)
    return await party.localParticipant
  }

  /// Begins to follow the party.
  func follow() {
    guard let party, let coordinator, !isOver else { return }
    let (partyEvents, coordinatorEvents) = (party.events, coordinator.events)
    stay.tasks = [
      Task { [weak self] in for await event in partyEvents { await self?.handle(event) } },
      Task { [weak self] in for await event in coordinatorEvents { await self?.handle(event) } },
      Task { [weak self] in
        for await session in await FilmActivity.sessions(in: party) {
          await self?.attend(session, coordinator)
        }
      },
      Task { [weak self] in
        for await session in await VoteTogether.sessions(in: party) { await self?.attend(session) }
      },
      Task { [weak self] in
        while (try? await Task.sleep(for: GuestStay.lineInterval)) != nil {
          await self?.showLine()
          await self?.followVote()
        }
      },
    ]
  }

  /// Leaves the party.
  func leave() async {
    stay.isOver = true
    for task in stay.tasks { task.cancel() }
    stay.counting?.cancel()
    stay.orders.endAll(.superseded)
    await party?.leave()
    await stay.context.ended()
  }

  // MARK: - The session

  private func attend(
    _ session: GroupSession<FilmActivity>, _ coordinator: DelegatingPlaybackCoordinator
  ) async {
    await session.join()
    do {
      try await coordinator.coordinateWithSession(session)
    } catch {
      await refuse("\(error)")
    }
    follow(ReadyCheckMessage.self, in: session) { guest, _, source in
      guard await guest.party?.rules.mayControl(source.id) == true,
        await guest.separate(.readyCheck)
      else { return }
      await guest.wasAsked(by: source)
    }
    await attends(session)
    stay.tasks.append(
      Task { [weak self] in
        for await activity in session.activities { await self?.watch(activity) }
      })
  }

  func follow<Message: Codable & Sendable>(
    _ type: Message.Type, _ mode: GroupSessionMessenger.DeliveryMode = .reliable,
    in session: GroupSession<FilmActivity>,
    _ body: @escaping @Sendable (Self, Message, Participant) async -> Void
  ) {
    stay.tasks.append(
      Task { [weak self] in
        let messenger = GroupSessionMessenger(session: session, deliveryMode: mode)
        for await (message, context) in messenger.messages(of: type) {
          guard let self else { return }
          await body(self, message, context.source)
        }
      })
  }

  private func watch(_ activity: FilmActivity) async {
    let isOther = activity.item != self.activity?.item
    stay.activity = activity
    if isOther { await filmChanged() }
    await showParty()
  }

  // MARK: - The guest's commands

  func command(_ body: (DelegatingPlaybackCoordinator) async throws -> Void) async {
    guard let coordinator else { return }
    do {
      try await body(coordinator)
    } catch {
      await takeBack(error)
    }
  }

  func takeBack(_ error: any Error) async { await refuse("\(error)") }

  func say(_ text: String) async {
    guard let party else { return }
    if let isYes = Voting.answer(text) { await vote(isYes) }
    do throws(PartyError) {
      try await party.sendChat(text)
      await said(PartyText.chat(text) ?? "", by: party.localParticipant)
    } catch {
      await refuse("\(error)")
    }
  }

  /// - Returns: false if the guest is apart for that reason already.
  @discardableResult
  func separate(_ reason: CoordinatedPlaybackSuspension.Reason) async -> Bool {
    guard let coordinator, stay.suspensions[reason] == nil else { return false }
    stay.suspensions[reason] = try? await coordinator.beginSuspension(for: reason)
    await showParty()
    return true
  }

  func rejoin(_ reason: CoordinatedPlaybackSuspension.Reason) async {
    guard let coordinator, let suspension = stay.suspensions.removeValue(forKey: reason) else {
      return
    }
    await coordinator.end(suspension)
    await showParty()
  }
}

// MARK: - The guest as a player

extension DoorGuest {
  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, didIssue play: PlayCommand
  ) async -> CommandResult {
    await perform(play, .play, rate: play.rate, at: play.itemTime, on: play.hostTime)
  }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue pause: PauseCommand
  ) async -> CommandResult {
    await perform(pause, .pause, at: await coordinator.ownItemTime(atHostTime: .now()))
  }

  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, didIssue seek: SeekCommand
  ) async -> CommandResult {
    await perform(seek, .seek, rate: seek.anticipatedPlaybackRate, at: seek.itemTime)
  }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue ready: BufferingCommand
  ) async -> CommandResult {
    await perform(
      ready, .ready, rate: ready.anticipatedPlaybackRate,
      at: await coordinator.ownItemTime(atHostTime: .now()))
  }

  private func perform(
    _ command: some PlaybackCoordinatorCommand, _ action: GuestOrder.Action, rate: Double = 1,
    at position: MediaTime?, on date: HostTime = .now()
  ) async -> CommandResult {
    guard command.expectedCurrentItemIdentifier == item, !isOver else { return .superseded }
    let (number, answer) = stay.orders.begin()
    await pass(
      GuestOrder(
        number: number, action: action, position: position ?? .zero, date: date,
        rate: rate > 0 ? rate : 1, by: command.originator.flatMap { known[$0] }))
    return await stay.orders.wait(for: answer)
  }
}
