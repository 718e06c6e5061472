import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// An occurrence at one participant, for the checkers and the story.
enum Occurrence {
  /// The coordinator's machine was called; `before` is its earlier state.
  case coordinated(Cause, before: Standing)
  /// The coordinator commands the player.
  case issued(PlayerDirective, Cause, before: Standing)
  /// The player begins a command: it has loaded the command's item.
  case applied(PlayerDirective)
  case answered(PlayerDirective, CommandResult)
  /// A play command takes effect: `hostTime` is the time when its line passes its item time, by the
  /// participant's clock at the command's arrival.
  case started(PlayStart, at: HostTime, itemTime: MediaTime)
  /// Playback jumped by itself, over a gap in the item's time stamps.
  case jumped
  case published(ParticipantReport)
  case waiting(WaitingForParticipants?)
  case changed(CoordinatedChange)
  case chatSent(Int)
  case chatHeard(from: Participant.ID, number: Int)
  case eventsMissing(from: Participant.ID, count: UInt64)
  /// The participant, which knows of a removal, sends a message under a key.
  case sealed(WireMessage, under: ContentKeyID)
  case arrived
  case met(Participant.ID)
  case lost(Participant.ID)
  case rulesChanged(PartyRules)
  /// The participant adopts a session that this stamp's participant decided on.
  case sessionTaken(Stamp)
  /// The user asked for a forbidden action, and was informed.
  case refused
  case gone
  /// Something that concerns a whole program.
  case program(ProgramOccurrence)
  /// Occurs twice a second.
  case tick
}

/// The reason for a call of a coordinator's machine.
enum Cause: Hashable {
  case user
  case player
  case timer
  /// A participant's report.
  case heard(from: Participant.ID)
  /// The session or its members changed.
  case membership
  /// The set of participants that may control changed.
  case rules
}

/// A coordinator's state before an occurrence.
struct Standing {
  var isSuspended: Bool
  var ownState: ItemState?
  /// The position at which its player is ready for the awaited start.
  var readyAt: MediaTime?
  var stamps: [String: Stamp]

  init(_ machine: CoordinatorMachine) {
    isSuspended = machine.isApart
    ownState = machine.ownState
    if case .preparing(let stamp, let place) = machine.commanded, machine.readyFor == stamp {
      readyAt = place
    }
    stamps = [:]
    for (item, state) in machine.states { stamps[item] = state.stamp }
  }
}

/// A play command on its way to taking effect.
struct PlayStart {
  var directive: PlayerDirective
  var hostTime: HostTime
  var issuedAt: HostTime
  /// The session in whose time it was given.
  var session: GroupSessionID?
  /// A Boolean value that indicates whether it starts a player that was ready for exactly this
  /// start.
  var isStartOfReady: Bool
  /// The time that the start took to reach the participant, from when it was made.
  var transit: Nanoseconds
}
