import Concurrency
import GroupActivities
import Screening
import VoteTogether

/// The party's votes, of which the newest counts.
@ScreeningActor
final class VoteDesk {
  private let runner: LoopRunner
  private var party: Party?
  private var box: BallotBox?
  private var following: Task<Void, Never>?
  private var counting: Task<Void, Never>?

  init(runner: LoopRunner) { self.runner = runner }

  /// Takes part in each vote of a party.
  func attend(_ party: Party) {
    self.party = party
    following = Task { [weak self] in
      for await session in await VoteTogether.sessions(in: party) { await self?.join(session) }
    }
  }

  func detach() {
    following?.cancel()
    counting?.cancel()
    (party, box) = (nil, nil)
  }

  func propose(_ vote: VoteTogether) async throws {
    guard let party else { throw PartyError.notJoined }
    try await vote.activate(in: party)
  }

  func vote(_ isYes: Bool, in id: GroupSessionID) async throws {
    guard let party, let box, box.session.id == id else { throw PartyError.sessionOver }
    try await box.vote(isYes, as: party.localID)
  }

  /// Ends a vote for everyone.
  func end(_ id: GroupSessionID) async throws {
    guard let box, box.session.id == id else { return }
    try await box.session.end()
  }

  private func leave(_ box: BallotBox) async {
    guard box.session.isLocallyInitiated else { return await box.leave() }
    // A participant who comes now isn't asked about what is over.
    try? await box.session.end()
  }

  private func join(_ session: GroupSession<VoteTogether>) async {
    guard party != nil, !Task.isCancelled else { return }
    counting?.cancel()
    if let box { await leave(box) }
    let box = BallotBox(session: session)
    self.box = box
    await box.join()
    await runner.handle(
      .vote(
        .asked(
          .init(
            id: session.id, session.activity, asker: session.initiator,
            isOwn: session.isLocallyInitiated))))
    counting = Task { [runner] in
      for await votes in box.counts {
        await runner.handle(.vote(.counted(votes, in: session.id)))
      }
      await runner.handle(.vote(.ended(session.id)))
    }
  }
}
