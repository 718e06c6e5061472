import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// A planted bug that tests whether the checkers find it: a machine's result, or a message on its
/// way, is changed, lost, or doubled.
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
  var answer: @Sendable (PlayerDirective, CommandResult, SimulatedParticipant) -> [CommandResult] =
    {
      _, result, _ in [result]
    }

  /// Returns a Boolean value that indicates whether a participant may control, as the shells decide
  /// it.
  var mayControl: @Sendable (CoordinatorMachine, Participant.ID) -> Bool = { $0.mayControl($1) }

  var configuration: @Sendable (inout CoordinatorMachine.Configuration) -> Void = { _ in }
  /// Changes a coordinator's machine after each of its events; `before` is its earlier state.
  var machine: (@Sendable (_ before: CoordinatorMachine, inout CoordinatorMachine) -> Void)?
  /// Changes a participant's reading of the clock, unless it is the reference.
  var reading: @Sendable (inout GroupClockReading) -> Void = { _ in }

  /// Changes a participant's reading of its wall clock.
  var wallClock: @Sendable (inout WallClockReading?) -> Void = { _ in }

  /// A Boolean value that indicates whether a state's proof is valid in its session only.
  var bindsProofs = true
  /// A Boolean value that indicates whether a state is checked before any calculation with it.
  var checksNumbers = true
  /// A Boolean value that indicates whether participants believe another one's claim of its
  /// arrival.
  var believesClaims = false

  /// Changes the party's intervals.
  var timing: @Sendable (inout PartyTiming) -> Void = { _ in }
  /// A Boolean value that indicates whether programs say which kinds of activity they take part in.
  var knowsKinds = true

  /// Changes the key that a message is sealed with.
  var key: @Sendable (inout ContentKeyID?, WireMessage, SimulatedParticipant) -> Void = { _, _, _ in
  }
  /// A Boolean value that indicates whether events that lack a key are never sent.
  var forgetsHeldEvents = false
  /// A Boolean value that indicates whether participants look for better relays than theirs.
  var probesRelays = true
  /// A Boolean value that indicates whether participants visit the relays of those that fell silent.
  var visitsRelays = true
  /// A Boolean value that indicates whether participants doubt relays on which all others are silent.
  var doubtsRelays = true
  /// A Boolean value that indicates whether participants try claimed addresses as often as those that they have reached.
  var believesOffers = false
  /// A Boolean value that indicates whether participants announce that their relays continue without them.
  var announcesKeptRelays = true
  /// Changes a participant's machine after a move to another relay.
  var movedRelay: @Sendable (inout PartyMachine) -> Void = { _ in }

  // Bugs of whole programs.
  /// Changes an event before a program's loop handles it.
  var screeningEvent:
    @Sendable (ScreeningMachine.Event, SimulatedParticipant) -> [ScreeningMachine.Event] = {
      event, _ in [event]
    }
  /// Changes an effect before an adapter performs it.
  var screeningEffect:
    @Sendable (ScreeningMachine.Effect, SimulatedParticipant) -> [ScreeningMachine.Effect] = {
      effect, _ in [effect]
    }

  static let none = Mutation()
}
