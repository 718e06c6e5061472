import Dispatch
import Synchronization

/// Trials with many seeds, on all cores.
public enum Soak {
  public struct Summary: Sendable {
    public var seeds = 0
    public var events = 0
    public var messages = 0
    /// The virtual time of all trials.
    public var span: Nanoseconds = 0
    /// The trials that broke an invariant.
    public var failures: [Trial] = []

    public init() {}

    mutating func add(_ trial: Trial) {
      seeds += 1
      events += trial.events
      messages += trial.messages
      span += trial.span
      if trial.breach != nil { failures.append(trial) }
    }

    public static func + (a: Summary, b: Summary) -> Summary {
      var sum = a
      sum.seeds += b.seeds
      sum.events += b.events
      sum.messages += b.messages
      sum.span += b.span
      sum.failures += b.failures
      return sum
    }
  }

  /// - Parameter workers: the number of trials that run at once.
  public static func run(
    seeds: Range<UInt64>, workers: Int, options: Simulation.Options = Simulation.Options(),
    scenario: @escaping @Sendable (UInt64) -> Scenario = { Scenario.random(seed: $0) }
  ) -> Summary {
    let total = Mutex(Summary())
    let next = Mutex(seeds.lowerBound)
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
      while let seed = next.withLock({ next -> UInt64? in
        guard next < seeds.upperBound else { return nil }
        defer { next += 1 }
        return next
      }) {
        let trial = Trial.run(scenario(seed), options: options)
        total.withLock { $0.add(trial) }
      }
    }
    var summary = total.withLock { $0 }
    summary.failures.sort { $0.scenario.seed < $1.scenario.seed }
    return summary
  }

  /// Returns a report for a developer: the broken invariant, the smallest scenario found that
  /// breaks it, and its story.
  public static func report(_ failure: Trial, options: Simulation.Options = Simulation.Options())
    -> String
  {
    let small = failure.shrunk(options: options)
    let scenario = small.scenario
    var lines = [
      "seed \(failure.scenario.seed) breaks: \(failure.breach?.description ?? "nothing")"
    ]
    lines.append(
      "made smaller: \(scenario.people.count) people, \(scenario.deeds.count) deeds, "
        + "\(scenario.faults.count) faults")
    lines.append(scenario.source)
    let story = Trial.story(scenario, options: options)
    let hidden = max(0, story.count - Self.storyLimit)
    if hidden > 0 { lines.append("(the first \(hidden) lines of the story are left out)") }
    lines += story.suffix(Self.storyLimit)
    return lines.joined(separator: "\n")
  }

  /// The limit of a story's lines; a longer story is not readable.
  private static let storyLimit = 400
}
