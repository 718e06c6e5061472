import GroupSimulation
import Testing

@testable import GroupActivities
@testable import GroupSimulation

/// Groups in which one or two participants break the rules.
@Suite("Groups with hostile guests")
struct HostileGroupTests {
  static let seeds: Range<UInt64> = 0..<200

  @Test("Participants that follow the rules aren't moved, and they agree")
  func seeds() {
    for seed in Self.seeds {
      let trial = Trial.run(Scenario.hostile(seed: seed))
      if trial.breach != nil {
        Issue.record("\(Soak.report(trial))")
        return
      }
    }
  }

  @Test("The scenarios have every habit, one and two at a time")
  func ranges() {
    let scenarios = Self.seeds.map { Scenario.hostile(seed: $0) }
    let relays = Self.seeds.map { Scenario.hostileRelays(seed: $0) }
    let habits = Set((scenarios + relays).flatMap(\.villains).flatMap(\.habits))
    #expect(habits == Set(Villain.Habit.allCases))
    #expect(Set(scenarios.map(\.villains.count)) == [1, 2])
  }

  static let bugs: [PlantedBugTests.Bug] = [
    PlantedBugTests.Bug(name: "an unchecked number") { $0.checksNumbers = false },
    PlantedBugTests.Bug(name: "an unbound proof") { $0.bindsProofs = false },
    PlantedBugTests.Bug(name: "a believed claim") { $0.believesClaims = true },
    PlantedBugTests.Bug(name: "a believed interval") { bug in
      bug.timing = { $0.believedIntervals = 1e6 }
    },
    PlantedBugTests.Bug(name: "an unknown activity that displaces the film") {
      $0.knowsKinds = false
    },
  ]

  @Test("A planted bug is found", arguments: bugs)
  func found(_ bug: PlantedBugTests.Bug) throws {
    var options = Simulation.Options()
    options.mutation = bug.mutation
    let found = Self.seeds.lazy.map { Trial.run(Scenario.hostile(seed: $0), options: options) }
      .first { $0.breach?.invariant == bug.invariant }
    let trial = try #require(found, "nobody noticed \(bug.name)")
    #expect(Trial.run(trial.scenario).breach == nil, "without the bug, seed \(trial.scenario.seed)")
  }
}

extension PlantedBugTests.Bug {
  fileprivate init(name: String, _ plant: (inout Mutation) -> Void) {
    var mutation = Mutation.none
    plant(&mutation)
    self.init(name: name, invariant: HostilityChecker().name, mutation: mutation)
  }
}
