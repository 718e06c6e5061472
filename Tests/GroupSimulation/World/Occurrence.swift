import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// What happens at one participant, for those who watch: checkers, and the story.
enum Occurrence {
  /// The coordinator's machine was called; `before` is how it stood.
  case coordinated(Cause, before: Standing)
  /// The coordinator commands the player.
  case issued(Directive, Cause, before: Standing)
  /// The player takes a command up: it is loaded with what the command is for.
  case applied(Directive)
  case answered(Directive, CommandResult)
  /// A play command takes effect: `hostTime` is when its line passes its item time, as the
  /// participant's clock stood when the command came.
  case started(PlayStart, at: HostTime, itemTime: MediaTime)
  case published(ParticipantReport)
  case waiting(WaitingForParticipants?)
  case changed(CoordinatedChange)
  case chatSent(Int)
  case chatHeard(from: Participant.ID, number: Int)
  case eventsMissing(from: Participant.ID, count: UInt64)
  case arrived
  case met(Participant.ID)
  case lost(Participant.ID)
  case rulesChanged(PartyRules)
  /// It goes by a session that this one decided on.
  case sessionTaken(Stamp)
  /// The user asked for something that it may not do, and was told so.
  case refused
  case gone
  /// Twice a second.
  case tick
}

/// Why a coordinator's machine was called.
enum Cause: Hashable {
  case user
  case player
  case timer
  /// Somebody's report.
  case heard(from: Participant.ID)
  /// Who is in the session changed, or the session itself.
  case membership
  /// Who may control changed.
  case rules
}

/// What a coordinator held before something happened.
struct Standing {
  var isSuspended: Bool
  var ownState: ItemState?
  /// Where its player stands ready for the start that is being waited for.
  var readyAt: MediaTime?
  var stamps: [String: Stamp]

  init(_ machine: CoordinatorMachine) {
    isSuspended = !machine.suspensions.isEmpty
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
  var directive: Directive
  var hostTime: HostTime
  var issuedAt: HostTime
  /// In whose time it was given.
  var session: GroupSessionID?
  /// Whether it starts a player that was ready for exactly this start.
  var isStartOfReady: Bool
  /// What the participant knew the start by: when it was made, and how long it took to get here.
  var transit: Nanoseconds
}
