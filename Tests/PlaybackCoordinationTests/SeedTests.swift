import GroupSimulation
import Testing

@Suite("Groups from seeds")
struct SeedTests {
  /// `make soak` runs more of them.
  @Test("In two thousand groups every invariant holds")
  func seeds() {
    let clock = ContinuousClock()
    let begun = clock.now
    let summary = Soak.run(seeds: 0..<2000, workers: 2)
    let seconds = (clock.now - begun) / .seconds(1)
    print(
      "\(summary.seeds) groups, \(summary.events) events, \(summary.messages) messages, "
        + "\(summary.span / 3_600_000_000_000) hours of virtual time in \(Int(seconds)) s")
    #expect(summary.seeds == 2000)
    for failure in summary.failures.prefix(3) { Issue.record("\(Soak.report(failure))") }
  }

  /// The runs of these seeds must not change, so that they reproduce the original failures: they don't replace the
  /// others.
  @Test(
    "In groups that once broke an invariant all invariants hold", arguments: [UInt64(1342), 20219])
  func recovered(seed: UInt64) {
    for failure in Soak.run(seeds: seed..<seed + 1, workers: 1).failures {
      Issue.record("\(Soak.report(failure))")
    }
  }

  @Test("One seed makes one scenario, and one scenario one story", arguments: UInt64(0)..<4)
  func repeatable(seed: UInt64) {
    let scenario = Scenario.random(seed: seed)
    #expect(scenario == Scenario.random(seed: seed))
    let story = Trial.story(scenario)
    #expect(story.count > 10)
    #expect(story == Trial.story(scenario))
  }

  @Test("Random values reach their intended limits")
  func ranges() {
    let scenarios = (UInt64(0)..<2000).map { Scenario.random(seed: $0) }
    let people = scenarios.flatMap(\.people)
    #expect(scenarios.contains { $0.people.count == 1 })
    #expect(scenarios.contains { $0.people.count >= 45 })
    #expect(people.contains { abs($0.drift) > 190e-6 })
    #expect(people.contains { $0.delayUp + $0.delayDown >= .milliseconds(350) })
    #expect(people.contains { $0.delayUp + $0.delayDown <= .milliseconds(2) })
    #expect(people.contains { $0.delayUp != $0.delayDown })
    #expect(Set(people.map(\.frame)).count == 5)
    let faults = Set(scenarios.flatMap(\.faults).map { "\($0.kind)".prefix { $0 != "(" } })
    #expect(faults.count == 11, "\(faults)")
    let deeds = Set(scenarios.flatMap(\.deeds).map { "\($0.what)".prefix { $0 != "(" } })
    #expect(deeds.count == 16, "\(deeds)")
  }
}
