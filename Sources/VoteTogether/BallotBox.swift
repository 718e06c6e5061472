import GroupActivities

/// One participant's part of a ``VoteTogether`` session, which sends this participant's vote and counts all.
///
/// Each participant sends its vote to late joiners. The last vote of a participant counts.
public actor BallotBox {
  /// The session that carries the vote.
  public nonisolated let session: GroupSession<VoteTogether>
  /// The votes, after each one: true for a yes. A slow reader misses those in between. Ends with the session. For one
  /// consumer.
  public nonisolated let counts: AsyncStream<[Participant.ID: Bool]>

  private struct Ballot: Codable, Sendable, CustomMessageIdentifiable {
    static let messageIdentifier = "ballot"
    var isYes: Bool
  }

  private let messenger: GroupSessionMessenger
  private let continuation: AsyncStream<[Participant.ID: Bool]>.Continuation
  private var votes: [Participant.ID: Bool] = [:]
  /// This participant's vote; nil before it.
  private var own: Bool?
  private var known: Set<Participant.ID> = []
  private var tasks: [Task<Void, Never>] = []

  /// Creates a box.
  ///
  /// - Parameter session: not joined yet.
  public init(session: GroupSession<VoteTogether>) {
    self.session = session
    messenger = GroupSessionMessenger(session: session)
    (counts, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit { for task in tasks { task.cancel() } }

  /// Joins the session. The others' votes arrive without a request.
  public func join() async {
    guard tasks.isEmpty else { return }
    let messages = messenger.messages(of: Ballot.self)
    let participants = session.activeParticipantsUpdates
    tasks = [
      Task { [weak self] in
        for await (ballot, context) in messages {
          await self?.count(ballot.isYes, of: context.source.id)
        }
        await self?.end()
      },
      Task { [weak self] in
        for await participants in participants { await self?.look(at: participants) }
      },
    ]
    await session.join()
  }

  /// Votes, in place of an earlier vote.
  ///
  /// - Throws: `PartyError` if the session is over, or too much was sent.
  public func vote(_ isYes: Bool, as me: Participant.ID) async throws {
    own = isYes
    count(isYes, of: me)
    try await messenger.send(Ballot(isYes: isYes))
  }

  /// Leaves the session.
  public func leave() async {
    end()
    await session.leave()
  }

  private func count(_ isYes: Bool, of voter: Participant.ID) {
    votes[voter] = isYes
    continuation.yield(votes)
  }

  private func look(at participants: [Participant]) async {
    let newcomers = Set(participants.filter { !known.contains($0.id) })
    known = Set(participants.map(\.id))
    guard let own, !newcomers.isEmpty else { return }
    // One that is gone again needs no vote.
    try? await messenger.send(Ballot(isYes: own), to: .only(newcomers))
  }

  private func end() {
    for task in tasks { task.cancel() }
    continuation.finish()
  }
}
