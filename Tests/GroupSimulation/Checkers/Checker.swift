@testable import GroupActivities
@testable import PlaybackCoordination

/// Watches one invariant, from outside: it sees what happens and what the machines hold, and believes
/// nothing that they say about themselves.
protocol Checker {
  /// What it holds to be true always.
  var name: String { get }

  /// - Returns: what is wrong, if this breaks the invariant.
  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String?

  /// Called once, when the group has had time to heal.
  mutating func checkHealed(_ simulation: Simulation) -> String?
}

extension Checker {
  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? { nil }

  mutating func checkHealed(_ simulation: Simulation) -> String? { nil }
}

/// Those that hold too where some follow no rules: what these do to themselves is their affair.
func hostileCheckers() -> [any Checker] {
  [CommandChecker(), ItemChecker(), RoleChecker(), HostilityChecker(), ConvergenceChecker()]
}

/// One for each invariant.
func allCheckers() -> [any Checker] {
  [
    CommandChecker(), ItemChecker(), SuspensionChecker(), StartChecker(), WaitChecker(),
    PatienceChecker(), PauseChecker(), MessageChecker(), RoleChecker(), ConvergenceChecker(),
  ]
}
