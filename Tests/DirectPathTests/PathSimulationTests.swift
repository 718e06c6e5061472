import Testing

@testable import DirectPath

/// Machines behind simulated routers, on virtual time.
@Suite("Direct paths from seeds") struct PathSimulationTests {
  private static let pairs = SimulatedRouter.Kind.allCases.flatMap { one in
    SimulatedRouter.Kind.allCases.map { (one, $0) }
  }

  @Test(
    "Each pair of routers opens within two seconds, except symmetric with a strict one",
    arguments: pairs)
  func routers(_ one: SimulatedRouter.Kind, _ two: SimulatedRouter.Kind) {
    let scenario = PathScenario.pair(one, two)
    let simulation = PathSimulation(scenario)
    simulation.run()
    #expect(simulation.breach == nil)
    let strict: Set<SimulatedRouter.Kind> = [.symmetric, .portRestricted]
    let cannot =
      one == .symmetric && strict.contains(two) || two == .symmetric && strict.contains(one)
    #expect(simulation.openedAt.isEmpty == cannot)
  }

  @Test("In hundreds of random networks every invariant holds")
  func seeds() {
    let clock = ContinuousClock()
    let begun = clock.now
    var packets = 0
    var breaches: [UInt64: PathSimulation.Breach] = [:]
    for seed in UInt64(0)..<400 {
      let simulation = PathSimulation(.random(seed: seed))
      simulation.run()
      packets += simulation.packetCount
      breaches[seed] = simulation.breach
    }
    print("400 networks, \(packets) packets in \((clock.now - begun) / .seconds(1)) s")
    for (seed, breach) in breaches.sorted(by: { $0.key < $1.key }).prefix(5) {
      Issue.record(
        "seed \(seed): \(breach.invariant): \(breach.text), at \(breach.at / 1_000_000) ms")
    }
    #expect(breaches.keys.sorted() == [])
  }

  /// The controlling end returned to the higher rank of a path that had just ceased to work, again and again.
  @Test("A path that was left because it didn't answer isn't taken again for its rank")
  func deadPath() {
    let simulation = PathSimulation(.random(seed: 67))
    simulation.run()
    #expect(simulation.breach == nil)
  }

  @Test("The random networks contain what they are for")
  func ranges() {
    let scenarios = (UInt64(0)..<400).map { PathScenario.random(seed: $0) }
    #expect(Set(scenarios.map(\.people.count)) == [2, 3, 4, 5])
    #expect(scenarios.contains { $0.hasAttacker && $0.liar == nil })
    #expect(scenarios.contains { $0.liar != nil })
    #expect(scenarios.contains { $0.routers.contains { $0.outer != nil } })
    #expect(scenarios.contains { !$0.faults.isEmpty })
    #expect(scenarios.contains { $0.loss > 0.1 })
  }

  // MARK: - Planted bugs

  struct Bug: Sendable, CustomTestStringConvertible {
    var name: String
    var invariant: String
    var mutation: PathMutation
    var testDescription: String { name }

    init(_ name: String, _ invariant: String, _ plant: (inout PathMutation) -> Void) {
      self.name = name
      self.invariant = invariant
      mutation = .none
      plant(&mutation)
    }
  }

  static let bugs = [
    Bug("a path to the wrong participant", PathOwnerChecker().name) { $0.sharesKey = true },
    Bug("a nomination by an answer that is sent again", PathOwnerChecker().name) {
      $0.believesEachAnswer = true
    },
    Bug("an open path that isn't checked", SilentPathChecker().name) {
      $0.answersOwnChecks = true
    },
    Bug("checks without a limit", VictimChecker().name) {
      $0.machine = { machine, now in machine.allowance = CheckAllowance(at: now) }
    },
  ]

  @Test("Each planted bug is found", arguments: bugs)
  func found(_ bug: Bug) throws {
    var found: UInt64?
    for seed in UInt64(0)..<600 where found == nil {
      let simulation = PathSimulation(.random(seed: seed), mutation: bug.mutation)
      simulation.run()
      if simulation.breach?.invariant == bug.invariant { found = seed }
    }
    let seed = try #require(found, "the checkers missed \(bug.name)")
    let simulation = PathSimulation(.random(seed: seed))
    simulation.run()
    #expect(simulation.breach == nil, "without the bug, seed \(seed)")
  }
}
