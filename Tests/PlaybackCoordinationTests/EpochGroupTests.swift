import Testing

@testable import GroupActivities
@testable import GroupSimulation

/// Groups in which participants are removed while all talk and the network fails.
@Suite("Groups with removals")
struct EpochGroupTests {
  static let seeds: Range<UInt64> = 0..<200

  @Test("A removed participant reads nothing more, and the others lose nothing")
  func seeds() {
    let summary = Soak.run(seeds: Self.seeds, workers: 2, scenario: Scenario.removals)
    guard let failure = summary.failures.first else { return }
    Issue.record("\(Soak.report(failure))")
  }

  @Test("The scenarios have removals at once, closings, openings, and removers that vanish")
  func ranges() {
    let deeds = Self.seeds.map { Scenario.removals(seed: $0).deeds }
    func has(_ what: Deed.What) -> Bool { deeds.joined().contains { $0.what == what } }
    #expect(has(.amend(.close)) && has(.amend(.open)) && has(.crash))
    let pairs = deeds.filter { deeds in
      let removals = deeds.filter { if case .amend(.remove) = $0.what { true } else { false } }
      return Set(removals.map(\.by)).count == 2
    }
    #expect(pairs.count > 20)
  }

  static let bugs: [PlantedBugTests.Bug] = [
    PlantedBugTests.Bug(
      name: "a removed participant reads: the old key stays in use",
      invariant: EpochChecker().name
    ) {
      $0.key = { key, message, _ in if message.confidentiality == .epoch { key = .invite } }
    },
    PlantedBugTests.Bug(
      name: "a removed participant reads: the new secret is sealed for it too",
      invariant: EpochChecker().name
    ) {
      $0.partyAction = { action, participant in
        guard case .send(.direct(.keyShares(var shares)), let number, let to) = action else {
          return [action]
        }
        let secrets = participant.party.policy.keys.openable.filter { $0.epoch == shares.epoch }
        for removed in participant.party.rules.removed {
          let exchange = KeyExchange.trusting(removed)
          shares.shares += secrets.compactMap { exchange.seal($0.bytes, exchange.publicKey, []) }
            .map { KeyShares.Share(recipient: removed, sealed: $0) }
        }
        return [.send(.keyShares(shares), sequence: number, to: to)]
      }
    },
    PlantedBugTests.Bug(
      name: "an epoch change loses a message", invariant: MessageChecker().name
    ) {
      $0.forgetsHeldEvents = true
    },
    PlantedBugTests.Bug(
      name: "nobody passes a secret on", invariant: EpochChecker().name
    ) {
      $0.partyAction = { action, participant in
        if case .send(.direct(.keyShares(let shares)), _, _) = action,
          shares.author != participant.id
        {
          []
        } else {
          [action]
        }
      }
    },
  ]

  @Test("A planted bug is found", arguments: bugs)
  func found(_ bug: PlantedBugTests.Bug) throws {
    var options = Simulation.Options()
    options.mutation = bug.mutation
    let found = Self.seeds.lazy.map { Trial.run(Scenario.removals(seed: $0), options: options) }
      .first { $0.breach?.invariant == bug.invariant }
    let trial = try #require(found, "nobody noticed \(bug.name)")
    #expect(Trial.run(trial.scenario).breach == nil, "without the bug, seed \(trial.scenario.seed)")
  }
}
