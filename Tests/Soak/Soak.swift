import ArgumentParser
import GroupSimulation

/// Runs simulated groups until it is stopped, or a number of them.
@main
struct SoakCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak", abstract: "Simulate groups from seeds and look for broken invariants.")

  @Option(help: "The first seed.")
  var from: UInt64 = 0

  @Option(help: "How many seeds to run; without it, until stopped.")
  var count: UInt64?

  @Option(help: "Tell one seed's story and stop.")
  var story: UInt64?

  @Option(help: "Run a party of this size instead of seeds, and time it.")
  var size: Int?

  @Option(help: "How long that party lasts, in virtual minutes.")
  var minutes = 60

  @Option(help: "Of how many failures of two hundred seeds to tell the story.")
  var reports = 3

  @Option(help: "How many seeds run at once.")
  var workers = 2

  @Flag(help: "Simulate whole programs instead of mere groups.")
  var programs = false

  @Flag(help: "Simulate groups in which participants are removed.")
  var removals = false

  @Flag(help: "Simulate groups in which some participants follow no rules.")
  var hostile = false

  private func scenario(_ seed: UInt64) -> Scenario {
    if programs { return .program(seed: seed) }
    if hostile { return .hostile(seed: seed) }
    return removals ? .removals(seed: seed) : .random(seed: seed)
  }

  func run() throws {
    if let story { return add(story) }
    if let size { return try time(size: size) }
    try soak()
  }

  private func add(_ seed: UInt64) {
    let scenario = scenario(seed)
    for line in Trial.story(scenario) { print(line) }
    let trial = Trial.run(scenario)
    if trial.breach != nil { print(Soak.report(trial)) }
  }

  private func time(size: Int) throws {
    let scenario = Scenario.random(
      seed: from, size: size, calmAt: .seconds(60 * Int64(minutes)))
    let clock = ContinuousClock()
    let begun = clock.now
    let trial = Trial.run(scenario)
    let took = clock.now - begun
    print(
      "\(size) people, \(minutes) minutes: \(trial.events) events, \(trial.messages) messages in \(took), "
        + (trial.breach.map { "BROKEN: \($0)" } ?? "all invariants held"))
    if trial.breach != nil { throw ExitCode.failure }
  }

  private func soak() throws {
    let clock = ContinuousClock()
    let begun = clock.now
    var total = Soak.Summary()
    var next = from
    let end = count.map { from + $0 } ?? .max
    while next < end {
      let batch = next..<min(end, next + 200)
      total = total + Soak.run(seeds: batch, workers: workers, scenario: scenario)
      next = batch.upperBound
      let seconds = (clock.now - begun) / .seconds(1)
      print(
        "\(total.seeds) seeds, \(Int(Double(total.seeds) / seconds)) a second; "
          + "\(Int(Double(total.events) / seconds)) events a second; \(total.failures.count) failed"
      )
      for failure in total.failures where batch.contains(failure.scenario.seed) {
        print("seed \(failure.scenario.seed): \(failure.breach?.description ?? "nothing")")
      }
      for failure in total.failures.suffix(reports) where batch.contains(failure.scenario.seed) {
        print(Soak.report(failure))
      }
    }
    if !total.failures.isEmpty { throw ExitCode.failure }
  }
}
