@testable import GroupActivities
@testable import PlaybackCoordination

/// A bug that is planted to see whether it is found: what a machine returns, or a message on its
/// way, comes out as something else, or not at all, or twice.
struct Mutation: Sendable {
  var coordinatorAction:
    @Sendable (CoordinatorAction, SimulatedParticipant) -> [CoordinatorAction] =
      { action, _ in [action] }
  var partyAction: @Sendable (PartyAction, SimulatedParticipant) -> [PartyAction] = { action, _ in
    [action]
  }
  var message:
    @Sendable (WireMessage, SimulatedParticipant, SimulatedParticipant) -> [WireMessage] = {
      message, _, _ in [message]
    }
  var answer: @Sendable (Directive, CommandResult, SimulatedParticipant) -> [CommandResult] = {
    _, result, _ in [result]
  }

  /// Whether somebody's word counts, as the shells decide it.
  var mayControl: @Sendable (CoordinatorMachine, Participant.ID) -> Bool = { $0.mayControl($1) }

  var configuration: @Sendable (inout CoordinatorMachine.Configuration) -> Void = { _ in }
  /// What a participant makes of the clock, unless it is the reference.
  var reading: @Sendable (inout GroupClockReading) -> Void = { _ in }

  /// Whether a state's proof holds in its session alone.
  var bindsProofs = true
  /// Whether a state is checked before anything is calculated with it.
  var checksNumbers = true
  /// Whether a participant has been here since when it says.
  var believesClaims = false

  static let none = Mutation()
}
