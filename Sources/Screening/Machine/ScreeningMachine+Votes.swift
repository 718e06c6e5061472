import GroupActivities
import Timekeeping
import VoteTogether

/// Votes about the film. The participant that asks carries out what is decided.
extension ScreeningMachine {
  /// Asks the party.
  func propose(_ proposal: Voting.Proposal) throws -> [Effect] {
    guard mayChoose else { throw PartyError.notPermitted }
    guard let film = filmMachine.film, filmMachine.isShown else { throw PlaylistProblem.empty }
    guard membership.voting.question == nil else { throw VoteProblem.running }
    guard !group.isApart else { throw PlaylistProblem.apart }
    switch proposal {
    case .rewind: break
    case .skip: guard introductionEnd != nil else { throw VoteProblem.noIntroduction }
    case .next: guard hasFollowing else { throw PlaylistProblem.noNext }
    }
    return [.party(.propose(VoteTogether(proposal, on: film.item)))]
  }

  mutating func handle(_ event: VoteEvent) -> [Effect] {
    switch event {
    case .asked(let question):
      guard membership.isMember, question.item == filmMachine.film?.item,
        party?.rules.mayControl(question.asker) == true
      else { return [] }
      membership.voting.began(question, at: now)
      return report(question, isAccepted: nil) + (question.isOwn ? vote(true) : [])
    case .counted(let votes, let id):
      membership.voting.counted(votes, in: id)
      return followVote()
    case .ended(let id):
      guard let question = membership.voting.question, question.id == id else { return [] }
      let reports = report(question, isAccepted: false)
      membership.voting.ended(id)
      return reports
    }
  }

  /// Votes on the party's question.
  mutating func vote(_ isYes: Bool) -> [Effect] {
    guard let question = membership.voting.question else { return [] }
    membership.voting.voted()
    // The vote may be over meanwhile.
    return [.attempt([.party(.vote(isYes, in: question.id))], orElse: .nothing)]
  }

  /// Ends a vote that is decided or void, and the session of an earlier one.
  mutating func followVote() -> [Effect] {
    let ends = membership.voting.takeClosing(at: now).map {
      [.attempt([.party(.endVote($0))], orElse: .nothing)] as [Effect]
    }
    return (ends ?? []) + decideVote()
  }

  private mutating func decideVote() -> [Effect] {
    guard let question = membership.voting.question, let party else { return [] }
    let present = Set(party.participants.map(\.id))
    let count = membership.voting.count(among: voters)
    let isVoid =
      question.item != filmMachine.film?.item || !present.contains(question.asker)
      || membership.voting.isDue(at: now) || question.isOwn && group.isApart
    guard let isAccepted = isVoid ? false : count.isAccepted else { return [] }
    let reports = report(question, isAccepted: isAccepted)
    membership.voting.decided(at: now)
    guard question.isOwn, isAccepted, let command = command(for: question.vote) else {
      return reports
    }
    return reports + [.then(.command(command))]
  }

  private func command(for proposal: Voting.Proposal) -> UserCommand? {
    switch proposal {
    case .rewind: .skip(by: .seconds(-30))
    case .skip: introductionEnd.map { .seek(to: $0) }
    case .next: .advance(by: 1)
    }
  }

  /// The end of the introduction that the film is in; nil for none.
  private var introductionEnd: MediaTime? {
    guard let place = player.itemTime else { return nil }
    return player.introductions.first { $0.contains(place) }?.upperBound
  }

  private var voters: Set<Participant.ID> {
    party.map { Voting.voters(among: $0.participants, by: $0.rules) } ?? []
  }

  private func report(_ question: Voting.Question, isAccepted: Bool?) -> [Effect] {
    let count = membership.voting.count(among: voters)
    return [
      .report(
        .vote(
          .init(
            question.vote, by: name(of: question.asker), isAccepted: isAccepted, yes: count.yes,
            of: count.voters)))
    ]
  }
}
