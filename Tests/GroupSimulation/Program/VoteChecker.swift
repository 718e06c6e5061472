@testable import GroupActivities
@testable import Screening

/// A vote is accepted by a majority of those who may vote, and ends.
struct VoteChecker: Checker {
  let name = "votes are as they were given"

  private var questions: [Int: GroupSessionID] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    switch occurrence {
    case .program(.event(.vote(.asked(let question)))):
      let current = participant.program!.machine.membership.voting.question?.id
      if current == nil || current == question.id { questions[participant.index] = question.id }
      return nil
    case .program(.effect(.report(.vote(let vote)))):
      guard vote.accepted == true else { return nil }
      guard 2 * vote.yes > vote.of else { return "\(participant.label) accepts without a majority" }
      let given = questions[participant.index].flatMap { simulation.votes[$0] } ?? [:]
      return given.values.count { $0 } < vote.yes
        ? "\(participant.label) counts votes that nobody gave" : nil
    default: return nil
    }
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      let machine = participant.program!.machine
      guard machine.membership.voting.isDue(at: participant.hostTime(at: simulation.now)) else {
        continue
      }
      return "\(participant.label)'s vote never ends"
    }
    return nil
  }
}
