import GroupActivities
import Timekeeping

/// A player as a coordinator sees it.
///
/// Returning from a method completes the command. A newer command supersedes an older one of any
/// kind: the older one's task is cancelled, and its method returns soon without doing more. A
/// delegate that can't do what is asked returns ``CommandResult/failed(_:)``; the coordinator then
/// begins a suspension for it, so that the group goes on without this player.
///
/// Mirrors `AVPlaybackCoordinatorPlaybackControlDelegate`; its completion handlers are `async` here.
public protocol PlaybackControlDelegate: AnyObject, Sendable {
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
  ) async -> CommandResult

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
  ) async -> CommandResult

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult

  /// The player waits for coordinated playback.
  ///
  /// - Parameters:
  ///   - participants: for whom; empty when the wait is over.
  ///   - dueDate: when the wait ends at the latest; nil when it is over.
  nonisolated func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, isWaitingFor participants: Set<Participant.ID>,
    until dueDate: HostTime?)
}

extension PlaybackControlDelegate {
  public nonisolated func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, isWaitingFor participants: Set<Participant.ID>,
    until dueDate: HostTime?
  ) {}
}

/// How a command ended.
public enum CommandResult: Hashable, Sendable {
  /// Done. `itemTime` is the exact time of the frame on which a pausing or seeking player stands
  /// (mpv's `time-pos` while paused), nil where there is none; pausing snaps everybody to it.
  case completed(itemTime: MediaTime?)
  /// A newer command took over, or the command was for another item.
  case superseded
  /// The player can't: the reason that its suspension will have.
  case failed(CoordinatedPlaybackSuspension.Reason)
}
