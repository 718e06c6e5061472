import GroupActivities
import PlaybackCoordination
import Timekeeping
import WatchTogether

/// A person in a room of Syncplay's protocol as a participant of the party: what the person does there is the participant's
/// command here. The person's player follows the room, not this participant's coordinator.
actor RoomGuest: DoorGuest {
  var stay: GuestStay
  private let name: String
  /// Returns the room's position.
  private let position: @Sendable () async -> MediaTime?
  /// Called with the time at which the party starts.
  private let starts: @Sendable (HostTime) async -> Void
  /// Shows the room a vote.
  private let votes: @Sendable (String, _ on: Participant.ID) async -> Void
  private var person = RoomPeople.Person()
  /// The participant's identity in the party.
  nonisolated let id: Participant.ID

  /// The time in which a message through the room's server starts the players there.
  private static let startLatency = Duration.milliseconds(100)

  init(
    _ name: String, _ context: GuestContext,
    position: @escaping @Sendable () async -> MediaTime?,
    starts: @escaping @Sendable (HostTime) async -> Void,
    votes: @escaping @Sendable (String, _ on: Participant.ID) async -> Void
  ) {
    self.starts = starts
    self.votes = votes
    self.name = name
    let identity = ParticipantIdentity()
    (stay, id) = (GuestStay(identity, context), identity.id)
    self.position = position
  }

  var item: String? { person.file == nil ? nil : activity?.item }

  /// A Boolean value that indicates whether the party can be commanded.
  var isReady: Bool { coordinator != nil && item != nil }

  /// Joins the party.
  ///
  /// - Throws: the reason why the party can't be joined.
  func enter(isEncrypted: Bool) async throws(PartyError) {
    let kind: Participant.Door.Kind = isEncrypted ? .encryptedSyncplay : .syncplay
    let me = try await join(as: name, .init(kind, keeper: stay.context.keeper.id))
    guard me != nil else { return }
    stay.known[id] = name
    await coordinator?.reportLatencies(start: Self.startLatency, rateChange: Self.startLatency)
    follow()
  }

  func end() async {
    guard !isOver else { return }
    await leave()
  }

  // MARK: - The party

  func handle(_ event: PartyEvent) async {
    switch event {
    case .sessionEnded(FilmActivity.activityIdentifier, _):
      stay.activity = nil
      await filmChanged()
    case .closed: await end()
    case .joined, .participantJoined, .participantLeft, .renamed, .rulesChanged, .connected, .chat,
      .disconnected, .activityChanged, .sessionEnded, .eventsMissing, .skippedMessage, .notice,
      .foregroundRequested, .misbehaved, .warning:
      break
    }
  }

  func filmChanged() async {
    // The item's name comes from the party, so it isn't too long.
    try? await coordinator?.transitionToItem(withIdentifier: item)
  }

  func wasAsked(by participant: Participant) async {
    if person.isReady != false { await rejoin(.readyCheck) }
  }

  func showVote(_ sentence: String) async { await votes(sentence, id) }

  func pass(_ order: GuestOrder) async {
    if order.action == .play { await starts(order.date) }
    // All go to the frame at which the person paused.
    let isOwnPause = order.action == .pause && order.by == name
    stay.orders.end(order.number, .completed(itemTime: isOwnPause ? await position() : nil))
  }

  // The room shows its people itself what happens there.
  func handle(_ event: CoordinatorEvent) async {}
  func attends(_ session: GroupSession<FilmActivity>) async {}
  func showParty() async {}
  func showLine() async {}
  func said(_ text: String, by me: Participant) async {}
  // A message that the party's limits refuse is lost, as in the room.
  func refuse(_ reason: String) async {}

  // MARK: - The room

  /// The room knows something else about the person.
  func update(_ person: RoomPeople.Person) async {
    let before = self.person
    self.person = person
    if (before.file == nil) != (person.file == nil) { await filmChanged() }
    if person.isReady != false { await rejoin(.readyCheck) }
  }

  /// Makes the person's command the party's.
  func perform(_ order: RoomPlayback.Order) async throws(CoordinationError) {
    guard let coordinator else { return }
    let room = order.room
    switch order.action {
    case .play:
      try await coordinator.coordinatePlayback(
        along: room.position, atHostTime: room.date, as: .play)
    case .seek where !room.isPaused:
      try await coordinator.coordinatePlayback(
        along: room.position, atHostTime: room.date, as: .seek)
    case .pause: try await coordinator.coordinateRateChange(to: 0)
    case .seek: try await coordinator.coordinateSeek(to: room.position)
    }
  }
}
