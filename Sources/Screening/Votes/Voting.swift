import GroupActivities
import Timekeeping
import VoteTogether

/// The vote that the party holds, and its outcome.
package struct Voting: Hashable, Sendable {
  /// A vote that a participant began.
  package struct Question: Hashable, Sendable {
    package var id: GroupSessionID
    package var vote: Proposal
    /// The item of the film that it is about.
    package var item: String
    package var asker: Participant.ID
    package var isOwn: Bool

    package init(
      id: GroupSessionID, _ vote: VoteTogether, asker: Participant.ID, isOwn: Bool
    ) {
      (self.id, self.vote, item) = (id, vote.proposal, vote.item)
      (self.asker, self.isOwn) = (asker, isOwn)
    }
  }

  package typealias Proposal = VoteTogether.Proposal

  /// The count of a vote.
  struct Count: Hashable, Sendable {
    var yes: Int
    var no: Int
    /// The number of those who may vote.
    var voters: Int

    /// The outcome; nil while the votes that are missing can change it.
    var isAccepted: Bool? {
      if 2 * yes > voters { return true }
      return 2 * no >= voters ? false : nil
    }
  }

  private struct Closing: Hashable, Sendable {
    var id: GroupSessionID
    var due: HostTime
  }

  /// The time after which a vote is over without a majority.
  static let patience = Duration.seconds(30)

  private(set) var question: Question?
  private var votes: [Participant.ID: Bool] = [:]
  private var due: HostTime?
  /// A Boolean value that indicates whether this participant has voted.
  private(set) var hasVoted = false
  /// A vote of this participant's that is decided, and the time of its end: the last votes may be on their way to others.
  private var closing: Closing?
  static let afterglow = Duration.seconds(5)

  mutating func began(_ question: Question, at now: HostTime) {
    ended(self.question?.id)
    (self.question, due) = (question, now + Self.patience)
  }

  /// The vote is decided.
  mutating func decided(at now: HostTime) {
    if let question, question.isOwn {
      closing = Closing(id: question.id, due: now + Self.afterglow)
    }
    ended(question?.id)
  }

  /// Returns the vote to end for everyone; nil if none is due.
  mutating func takeClosing(at now: HostTime) -> GroupSessionID? {
    guard let closing, now >= closing.due else { return nil }
    self.closing = nil
    return closing.id
  }

  mutating func voted() { hasVoted = true }

  mutating func counted(_ votes: [Participant.ID: Bool], in id: GroupSessionID) {
    if question?.id == id { self.votes = votes }
  }

  mutating func ended(_ id: GroupSessionID?) {
    guard question?.id == id else { return }
    (question, votes, due, hasVoted) = (nil, [:], nil, false)
  }

  func isDue(at now: HostTime) -> Bool { due.map { now >= $0 } ?? false }

  /// Returns the count among those who may vote. The others' votes don't count.
  func count(among voters: Set<Participant.ID>) -> Count {
    let votes = votes.filter { voters.contains($0.key) }.values
    return Count(yes: votes.count { $0 }, no: votes.count { !$0 }, voters: voters.count)
  }
}

/// The reason why a vote isn't possible.
enum VoteProblem: Error, Hashable, CustomStringConvertible {
  case running, noIntroduction

  var description: String {
    switch self {
    case .running: "There is a vote already. Answer it first."
    case .noIntroduction:
      "The film isn't in a chapter that is named as an introduction, a recap or an opening."
    }
  }
}
