import GroupActivities
import Timekeeping

/// A player that a coordinator commands.
///
/// A method completes its command when it returns. A newer command supersedes an older one of any kind: the coordinator
/// cancels the older command's task, and its method returns soon without doing more. A delegate that can't carry out a
/// command returns ``CommandResult/failed(_:)``; the coordinator then begins a suspension for it, so that the group
/// continues without this player.
///
/// Mirrors `AVPlaybackCoordinatorPlaybackControlDelegate`; its completion handlers are `async` here.
public protocol PlaybackControlDelegate: AnyObject, Sendable {
  /// Plays along the command's line. Completes once the player moves on it, or is scheduled to.
  ///
  /// Mirrors `playbackCoordinator(_:didIssue:completionHandler:)` for each kind of command.
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
  ) async -> CommandResult

  /// Pauses at once, and completes with the frame at which the player is paused.
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
  ) async -> CommandResult

  /// Pauses, and goes to the command's position. Completes at the frame, and once the player can start if the
  /// command asks for that.
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult

  /// Stays paused, and completes once the player can start at the anticipated rate.
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult

  /// The player waits for coordinated playback.
  ///
  /// - Parameters:
  ///   - coordinator: the coordinator of this player.
  ///   - participants: the participants that the start waits for; empty when the wait is over.
  ///   - dueDate: the time at which the wait ends at the latest; nil when it is over.
  nonisolated func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, isWaitingFor participants: Set<Participant.ID>,
    until dueDate: HostTime?)
}

extension PlaybackControlDelegate {
  /// Does nothing: for a player that doesn't show waits.
  public nonisolated func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, isWaitingFor participants: Set<Participant.ID>,
    until dueDate: HostTime?
  ) {}
}

/// The outcome of a command.
public enum CommandResult: Hashable, Sendable {
  /// The player carried out the command. `itemTime` is the exact time of the frame at which a pausing or seeking player
  /// is paused (mpv's `time-pos` while paused), or nil if there is none. On a pause all participants go to that frame.
  case completed(itemTime: MediaTime?)
  /// A newer command superseded this one, or the command was for another item.
  case superseded
  /// The player can't carry out the command. The value is the reason of its suspension.
  case failed(CoordinatedPlaybackSuspension.Reason)
}
