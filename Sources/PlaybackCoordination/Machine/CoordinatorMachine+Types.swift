import GroupActivities
import Timekeeping

/// The urgency of a report to the others.
enum ReportUrgency: Hashable, Sendable {
  /// With the next beacon.
  case digest
  /// At once.
  case news
  /// At once; the user of this machine changed the group's playback.
  case command
}

/// An action for the coordinator's shell to carry out.
enum CoordinatorAction: Hashable, Sendable {
  /// Command the player; a newer command supersedes an older one.
  case issue(PlayerDirective)
  /// Cancel the last command: there is nothing to follow now.
  case cancelCommand
  /// Send the report to the group.
  case publish(ParticipantReport, ReportUrgency)
  case report(CoordinatorMachineEvent)
}

/// A command for the player, in group time.
struct PlayerDirective: Hashable, Sendable {
  /// Comes back with the command's completion.
  var id: UInt64
  var originator: Participant.ID?
  var item: String
  var kind: Kind

  enum Kind: Hashable, Sendable {
    case play(rate: Double, itemTime: MediaTime, groupTime: GroupTime)
    case pause
    /// Get ready to start at the current position.
    case buffer(rate: Double, due: GroupTime)
    case seek(MediaTime)
    case seekAndBuffer(MediaTime, rate: Double, due: GroupTime)
  }
}

/// An event for the shell to pass on.
enum CoordinatorMachineEvent: Hashable, Sendable {
  /// A participant's action changed the group's state for the current item.
  case changed(CoordinatedChange)
  /// The exact frame of the last pause, or the date of the last start, is known now.
  case settled
  /// The participants that the start waits for now; nil when it no longer waits.
  case waiting(WaitingForParticipants?)
  case suspensionsChanged
  case replayEnded(ReplayEnd)
  case waitsAtOwnEnd
  case participantsChanged
}

/// A pending start. It never waits beyond the due date.
struct WaitingForParticipants: Hashable, Sendable {
  var participants: Set<Participant.ID>
  var due: GroupTime
}
