import GroupActivities
import Timekeeping

/// How soon the others are to hear of a report.
enum ReportUrgency: Hashable, Sendable {
  /// With the next beacon.
  case brief
  /// At once.
  case news
  /// At once, and it was the user here who did something for everybody.
  case command
}

/// What the coordinator's shell has to do.
enum CoordinatorAction: Hashable, Sendable {
  /// Command the player; a newer command supersedes an older one.
  case issue(Directive)
  /// Take the last command back: there is nothing to follow now.
  case cancelCommand
  /// Tell the group.
  case publish(ParticipantReport, ReportUrgency)
  case report(CoordinatorMachineEvent)
}

/// A command for the player, in group time.
struct Directive: Hashable, Sendable {
  /// Comes back with the command's completion.
  var id: UInt64
  var originator: Participant.ID?
  var item: String
  var kind: Kind

  enum Kind: Hashable, Sendable {
    case play(rate: Double, itemTime: MediaTime, groupTime: GroupTime)
    case pause
    /// Ready to start, where it stands.
    case buffer(rate: Double, due: GroupTime)
    case seek(MediaTime)
    case seekAndBuffer(MediaTime, rate: Double, due: GroupTime)
  }
}

/// What happened, for the shell to pass on.
enum CoordinatorMachineEvent: Hashable, Sendable {
  /// The group's state for the current item changed by what somebody did.
  case changed(CoordinatedChange)
  /// The exact frame of the last pause, or the date of the last start, is known now.
  case settled
  /// For whom the start waits now; nil when it no longer does.
  case waiting(WaitingForParticipants?)
  case suspensionsChanged
  case participantsChanged
}

/// A start that waits. It never does so beyond the due date.
struct WaitingForParticipants: Hashable, Sendable {
  var participants: Set<Participant.ID>
  var due: GroupTime
}
