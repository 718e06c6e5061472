import Synchronization
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation
@testable import PlaybackCoordination

/// Whole groups on virtual time whose participants allow direct paths.
@Suite("Groups with direct paths")
struct GroupPathTests {
  @Test(
    "Participants that allow direct paths get them, whatever is lost, and compare their clocks there",
    arguments: UInt64(0)..<100)
  func agrees(seed: UInt64) {
    let trial = Trial.run(.paths(seed: seed), options: Simulation.Options(isEncoding: true))
    #expect(trial.breach == nil, "seed \(seed)")
  }

  private func finds(_ plant: (inout Mutation) -> Void) -> Bool {
    (UInt64(0)..<60).contains { seed in
      var options = Simulation.Options()
      plant(&options.mutation)
      return Trial.run(.paths(seed: seed), options: options).breach?.invariant
        == PathChecker().name
    }
  }

  @Test("An offer that isn't repeated is found")
  func notRepeated() {
    #expect(
      finds {
        let sent = SentOffers()
        $0.partyAction = { action, participant in
          guard case .send(.direct(.pathOffer(let offer)), _, .only(let id)) = action,
            !sent.isFirst(offer, from: participant.id, to: id)
          else { return [action] }
          return []
        }
      })
  }

  @Test("An address that is told to participants who don't allow paths is found")
  func toldToAll() {
    #expect(
      finds {
        $0.partyAction = { action, participant in
          guard case .send(.direct(.pathOffer(var offer)), let number, let to) = action,
            participant.party.paths.isAllowed
          else { return [action] }
          offer.candidates = [PathCandidate(address: [192, 0, 2, 1], port: 9, kind: .host)!]
          return [.send(.direct(.pathOffer(offer)), sequence: number, to: to)]
        }
      })
  }

  @Test("A path to the wrong participant is found")
  func wrongParticipant() {
    #expect(finds { $0.pathTarget = { index, count in (index + 1) % count } })
  }
}

/// The offers that were sent once.
private final class SentOffers: Sendable {
  private struct Key: Hashable {
    var number: UInt64
    var from: Participant.ID
    var to: Participant.ID
  }

  private let known = Mutex<Set<Key>>([])

  func isFirst(_ offer: PathOffer, from: Participant.ID, to: Participant.ID) -> Bool {
    known.withLock {
      $0.insert(Key(number: offer.number, from: from, to: to)).inserted
    }
  }
}
