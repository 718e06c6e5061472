/// The result of a scenario.
public struct Trial: Sendable {
  public var scenario: Scenario
  /// The first invariant that was broken; nil if all held.
  public var breach: Breach?
  public var events: Int
  public var messages: Int
  /// The duration in virtual time.
  public var span: Nanoseconds

  public static func run(
    _ scenario: Scenario, options: Simulation.Options = Simulation.Options()
  ) -> Trial {
    let simulation = Simulation(scenario, options: options)
    simulation.run()
    return Trial(
      scenario: scenario, breach: simulation.breach, events: simulation.eventCount,
      messages: simulation.messageCount, span: simulation.now)
  }

  /// Returns the story of a scenario, one line for each occurrence: time, participant, event.
  public static func story(
    _ scenario: Scenario, options: Simulation.Options = Simulation.Options()
  ) -> [String] {
    var options = options
    options.tellsStory = true
    let simulation = Simulation(scenario, options: options)
    simulation.run()
    return simulation.story.lines
  }
}
