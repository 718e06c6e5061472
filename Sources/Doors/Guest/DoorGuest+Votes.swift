import GroupActivities
import Screening
import Timekeeping
import VoteTogether

/// A guest's part in the party's votes. A guest without keys for it answers in the chat.
extension DoorGuest {
  /// The party's question that the guest hasn't answered, as a sentence; nil for none.
  var openQuestion: String? {
    stay.voting.hasVoted ? nil : stay.voting.question.map { sentence(for: $0, isAccepted: nil) }
  }

  func attend(_ session: GroupSession<VoteTogether>) async {
    stay.counting?.cancel()
    await stay.ballots?.leave()
    let ballots = BallotBox(session: session)
    stay.ballots = ballots
    stay.voting.ended(stay.voting.question?.id)
    await ballots.join()
    guard let party, stay.ballots === ballots, session.activity.item == activity?.item else {
      return
    }
    let (participants, rules) = (await party.participants, await party.rules)
    guard rules.mayControl(session.initiator), rules.mayControl(stay.identity.id) else { return }
    let question = Voting.Question(
      id: session.id, session.activity, asker: session.initiator, isOwn: false)
    stay.voting.began(question, at: .now())
    stay.asker = participants.first { $0.id == question.asker }?.name ?? "a participant"
    await showVote(sentence(for: question, isAccepted: nil))
    stay.counting = Task { [weak self] in
      for await votes in ballots.counts { await self?.counted(votes, in: session.id) }
      await self?.followVote(session.id)
    }
  }

  /// Votes on the party's question, if there is one.
  func vote(_ isYes: Bool) async {
    guard let ballots = stay.ballots, stay.voting.question?.id == ballots.session.id else { return }
    do {
      try await ballots.vote(isYes, as: stay.identity.id)
      stay.voting.voted()
    } catch {
      await refuse("\(error)")
    }
    await showParty()
  }

  private func counted(_ votes: [Participant.ID: Bool], in id: GroupSessionID) async {
    stay.voting.counted(votes, in: id)
    await followVote()
  }

  /// Ends a vote that is decided or takes too long, and one whose session is over.
  func followVote(_ ended: GroupSessionID? = nil) async {
    guard let party, let question = stay.voting.question else { return }
    let count = stay.voting.count(
      among: Voting.voters(among: await party.participants, by: await party.rules))
    let isOver = question.id == ended || stay.voting.isDue(at: .now())
    guard let isAccepted = count.isAccepted ?? (isOver ? false : nil),
      stay.voting.question?.id == question.id
    else { return }
    stay.voting.ended(question.id)
    await showVote(sentence(for: question, isAccepted: isAccepted, count))
    await showParty()
  }

  private func sentence(
    for question: Voting.Question, isAccepted: Bool?, _ count: Voting.Count? = nil
  ) -> String {
    ScreeningEvent.Vote(
      question.vote, by: stay.asker, isAccepted: isAccepted, yes: count?.yes ?? 0,
      of: count?.voters ?? 0
    ).sentence(answered: "Write yes or no.")
  }
}
