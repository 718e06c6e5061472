import Foundation
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
  package struct Count: Hashable, Sendable {
    package var yes: Int
    var no: Int
    /// The number of those who may vote.
    package var voters: Int

    /// The outcome; nil while the votes that are missing can change it.
    package var isAccepted: Bool? {
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

  package private(set) var question: Question?
  private var votes: [Participant.ID: Bool] = [:]
  private var due: HostTime?
  /// A Boolean value that indicates whether this participant has voted.
  package private(set) var hasVoted = false
  /// A vote of this participant's that is decided, and the time of its end: the last votes may be on their way to others.
  private var closing: Closing?
  static let afterglow = Duration.seconds(5)

  package init() {}

  package mutating func began(_ question: Question, at now: HostTime) {
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

  package mutating func voted() { hasVoted = true }

  package mutating func counted(_ votes: [Participant.ID: Bool], in id: GroupSessionID) {
    if question?.id == id { self.votes = votes }
  }

  package mutating func ended(_ id: GroupSessionID?) {
    guard question?.id == id else { return }
    (question, votes, due, hasVoted) = (nil, [:], nil, false)
  }

  /// Returns the participants who may vote.
  package static func voters(
    among participants: some Collection<Participant>, by rules: PartyRules
  ) -> Set<Participant.ID> {
    Set(participants.map(\.id).filter(rules.mayControl))
  }

  /// Returns the answer that a message of the chat is; nil for other messages.
  package static func answer(_ text: String) -> Bool? {
    switch text.trimmingCharacters(in: .whitespaces).lowercased() {
    case "y", "yes": true
    case "n", "no": false
    default: nil
    }
  }

  package func isDue(at now: HostTime) -> Bool { due.map { now >= $0 } ?? false }

  /// Returns the count among those who may vote. The others' votes don't count.
  package func count(among voters: Set<Participant.ID>) -> Count {
    let votes = votes.filter { voters.contains($0.key) }.values
    return Count(yes: votes.count { $0 }, no: votes.count { !$0 }, voters: voters.count)
  }
}

/// The reason why a vote isn't possible.
enum VoteProblem: Error, Hashable, CustomStringConvertible {
  case running, noIntroduction

  var description: String {
    switch self {
    case .running: "There is a vote already. It ends within 30 s."
    case .noIntroduction:
      "The film isn't in a chapter that is named as an introduction, a recap or an opening."
    }
  }
}
