@testable import GroupActivities
@testable import PlaybackCoordination

/// A check of one invariant, from outside: it sees the occurrences and the machines' state, and
/// believes no claim of the machines about themselves.
protocol Checker {
  /// The invariant, as a sentence.
  var name: String { get }

  /// - Returns: a description of the fault, if this occurrence breaks the invariant.
  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String?

  /// Called once, when the group has had time to recover.
  mutating func checkHealed(_ simulation: Simulation) -> String?
}

extension Checker {
  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? { nil }

  mutating func checkHealed(_ simulation: Simulation) -> String? { nil }
}

/// Returns the checkers that also hold if some participants follow no rules: the effects on those
/// participants don't count.
func hostileCheckers() -> [any Checker] {
  [
    RelayChecker(), CommandChecker(), ItemChecker(), RoleChecker(), EpochChecker(),
    HostilityChecker(), ConvergenceChecker(),
  ]
}

/// Returns one checker for each invariant.
func allCheckers() -> [any Checker] {
  [
    RelayChecker(), CommandChecker(), ItemChecker(), SuspensionChecker(),
    StartChecker(), UndoneCommandChecker(),
    WaitChecker(), PatienceChecker(), PauseChecker(), MessageChecker(), RoleChecker(),
    EpochChecker(), ConvergenceChecker(), ReplayChecker(), LinkChecker(), ClockChecker(),
    HoldChecker(), JumpChecker(),
  ]
}
