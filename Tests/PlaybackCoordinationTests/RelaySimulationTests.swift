import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation
@testable import PlaybackCoordination

/// Whole groups on virtual time whose relays end, and which are split.
@Suite("Groups with standby relays")
struct RelaySimulationTests {
  @Test(
    "A group whose relay ends, or that is split, meets at one relay with nothing lost or doubled",
    arguments: UInt64(0)..<120)
  func heals(seed: UInt64) {
    let trial = Trial.run(.relays(seed: seed), options: Simulation.Options(isEncoding: true))
    #expect(trial.breach == nil, "seed \(seed)")
  }

  @Test(
    "A group whose last relay is left behind meets there again, with nothing lost or doubled",
    arguments: UInt64(0)..<30)
  func keptRelay(seed: UInt64) {
    let trial = Trial.run(.keptRelays(seed: seed), options: Simulation.Options(isEncoding: true))
    #expect(trial.breach == nil, "seed \(seed)")
  }

  @Test(
    "A group whose participants can't all reach each other's relays, and that is split, meets at one relay",
    arguments: UInt64(0)..<120)
  func unequalRelays(seed: UInt64) {
    let trial = Trial.run(.unequalRelays(seed: seed), options: Simulation.Options(isEncoding: true))
    #expect(trial.breach == nil, "seed \(seed)")
  }

  @Test(
    "A group that is split in the moment in which its relays are offered, and loses its creator, meets at one relay",
    arguments: UInt64(0)..<60)
  func splitsAtArrival(seed: UInt64) {
    let trial = Trial.run(
      .splitsAtArrival(seed: seed), options: Simulation.Options(isEncoding: true))
    #expect(trial.breach == nil, "seed \(seed)")
  }

  @Test(
    "A group whose best relay passes nothing on meets at another one, and rarely tries addresses of strangers",
    arguments: UInt64(0)..<120)
  func hostileRelays(seed: UInt64) {
    let trial = Trial.run(.hostileRelays(seed: seed), options: Simulation.Options(isEncoding: true))
    #expect(trial.breach == nil, "seed \(seed)")
  }

  private func finds(
    _ invariant: String, in scenario: (UInt64) -> Scenario = Scenario.relays(seed:),
    _ plant: (inout Mutation) -> Void
  ) -> Bool {
    var options = Simulation.Options()
    plant(&options.mutation)
    return (UInt64(0)..<60).contains { seed in
      Trial.run(scenario(seed), options: options).breach?.invariant == invariant
    }
  }

  @Test("A relay that is left behind without a word is found")
  func silentKeptRelay() {
    #expect(
      finds(RelayChecker().name, in: Scenario.keptRelays(seed:)) {
        $0.announcesKeptRelays = false
      })
  }

  @Test("Two relays for ever are found")
  func twoRelays() {
    #expect(finds(RelayChecker().name) { $0.probesRelays = false })
  }

  @Test("Two relays of which each side has its own first are found")
  func ownRelayFirst() {
    #expect(
      finds(RelayChecker().name, in: Scenario.splitsAtArrival(seed:)) { $0.visitsRelays = false })
  }

  @Test("Staying at a relay that passes nothing on is found")
  func undoubtedRelay() {
    #expect(
      finds(RelayChecker().name, in: Scenario.hostileRelays(seed:)) { $0.doubtsRelays = false })
  }

  @Test("Trying claimed addresses again and again is found")
  func believedOffers() {
    #expect(
      finds(RelayChecker().name, in: Scenario.hostileRelays(seed:)) { $0.believesOffers = true })
  }

  @Test("A message that is lost in a move is found")
  func lostInMove() {
    #expect(
      finds(MessageChecker().name) {
        $0.movedRelay = { machine in
          for id in machine.roster.ids {
            let next = machine.roster[id]?.streams.inbound?.next ?? 1
            let heard = machine.roster[id]?.beacon?.lastEvent ?? 0
            for number in next...max(next, heard + 1) + 1 {
              _ = machine.roster.eventReceived(
                nil, sequence: number, from: id, patience: .zero, at: machine.latest)
            }
          }
        }
      })
  }
}
