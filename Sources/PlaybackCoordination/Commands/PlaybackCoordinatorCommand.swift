import GroupActivities
import Timekeeping

/// A command from the coordinator to the player. Mirrors `AVDelegatingPlaybackCoordinatorPlaybackControlCommand`.
public protocol PlaybackCoordinatorCommand: Hashable, Sendable {
  /// The participant who asked for the command; nil for a local request, or when the group's state is re-applied.
  var originator: Participant.ID? { get }
  /// The item for which the command is meant. The command is stale if the delegate's current item is another one; the
  /// delegate then completes it without doing anything.
  var expectedCurrentItemIdentifier: String { get }
}

/// Play at `rate` so that `itemTime` is, or was, due at `hostTime`.
///
/// With `hostTime` in the future, the player shows `itemTime` until then. With `hostTime` in the past, it joins at the
/// position that is due by now. A player that already plays along this line changes only what differs. A start that
/// can't be made in time begins a `stallRecovery` suspension.
///
/// Mirrors `AVDelegatingPlaybackCoordinatorPlayCommand`.
public struct PlayCommand: PlaybackCoordinatorCommand {
  /// The participant that asked to play; nil for a local request, or when the group's state is re-applied.
  public let originator: Participant.ID?
  /// The item to play. With another current item the command is stale.
  public let expectedCurrentItemIdentifier: String
  /// Never zero.
  public let rate: Double
  /// The position that is due at ``hostTime``.
  public let itemTime: MediaTime
  /// `hostClockTime` in AVFoundation.
  public let hostTime: HostTime

  /// Creates a command.
  ///
  /// - Parameters:
  ///   - originator: the participant that asked to play; nil for a local request.
  ///   - expectedCurrentItemIdentifier: the item to play.
  ///   - rate: a rate other than zero.
  ///   - itemTime: the position at `hostTime`.
  ///   - hostTime: the time at which playback starts, or should have started.
  public init(
    originator: Participant.ID?, expectedCurrentItemIdentifier: String, rate: Double,
    itemTime: MediaTime, hostTime: HostTime
  ) {
    precondition(rate != 0, "a play command of rate 0 is a pause")
    self.originator = originator
    self.expectedCurrentItemIdentifier = expectedCurrentItemIdentifier
    self.rate = rate
    self.itemTime = itemTime
    self.hostTime = hostTime
  }

  /// Returns the position at `time` of a player that follows this command; before the start, `itemTime` itself.
  public func itemTime(atHostTime time: HostTime) -> MediaTime {
    guard time > hostTime else { return itemTime }
    return itemTime + (time - hostTime) * rate
  }
}

/// Pause at once. If a start follows, a ``BufferingCommand`` announces it.
///
/// Mirrors `AVDelegatingPlaybackCoordinatorPauseCommand`.
public struct PauseCommand: PlaybackCoordinatorCommand {
  /// The participant that asked to pause; nil for a local request, or when the group's state is re-applied.
  public let originator: Participant.ID?
  /// The item to pause. With another current item the command is stale.
  public let expectedCurrentItemIdentifier: String

  /// Creates a command.
  public init(originator: Participant.ID?, expectedCurrentItemIdentifier: String) {
    self.originator = originator
    self.expectedCurrentItemIdentifier = expectedCurrentItemIdentifier
  }
}

/// Pause if playing, and go to exactly `itemTime`. The player doesn't resume without another command.
///
/// Mirrors `AVDelegatingPlaybackCoordinatorSeekCommand`.
public struct SeekCommand: PlaybackCoordinatorCommand {
  /// The participant that asked to seek; nil for a local request, or when the group's state is re-applied.
  public let originator: Participant.ID?
  /// The item to seek in. With another current item the command is stale.
  public let expectedCurrentItemIdentifier: String
  /// The exact position to go to.
  public let itemTime: MediaTime
  /// A Boolean value that indicates whether the command completes only when the player is ready to start from
  /// `itemTime`.
  public let shouldBufferInAnticipationOfPlayback: Bool
  /// The rate at which playback will continue; zero when ``shouldBufferInAnticipationOfPlayback`` is false.
  public let anticipatedPlaybackRate: Double
  /// The time at which the others stop waiting; nil when they don't wait.
  public let completionDueDate: HostTime?

  /// Creates a command.
  public init(
    originator: Participant.ID?, expectedCurrentItemIdentifier: String, itemTime: MediaTime,
    shouldBufferInAnticipationOfPlayback: Bool = false, anticipatedPlaybackRate: Double = 0,
    completionDueDate: HostTime? = nil
  ) {
    self.originator = originator
    self.expectedCurrentItemIdentifier = expectedCurrentItemIdentifier
    self.itemTime = itemTime
    self.shouldBufferInAnticipationOfPlayback = shouldBufferInAnticipationOfPlayback
    self.anticipatedPlaybackRate = anticipatedPlaybackRate
    self.completionDueDate = completionDueDate
  }
}

/// Stay (or become) paused and get ready to start at `anticipatedPlaybackRate`. The command completes when the player
/// is ready; the player then waits for coordinated playback.
///
/// Mirrors `AVDelegatingPlaybackCoordinatorBufferingCommand`.
public struct BufferingCommand: PlaybackCoordinatorCommand {
  /// The participant that asked to play; nil for a local request, or when the group's state is re-applied.
  public let originator: Participant.ID?
  /// The item to buffer. With another current item the command is stale.
  public let expectedCurrentItemIdentifier: String
  /// The rate at which playback will start; never zero.
  public let anticipatedPlaybackRate: Double
  /// The time at which the others stop waiting.
  public let completionDueDate: HostTime

  /// Creates a command.
  public init(
    originator: Participant.ID?, expectedCurrentItemIdentifier: String,
    anticipatedPlaybackRate: Double, completionDueDate: HostTime
  ) {
    self.originator = originator
    self.expectedCurrentItemIdentifier = expectedCurrentItemIdentifier
    self.anticipatedPlaybackRate = anticipatedPlaybackRate
    self.completionDueDate = completionDueDate
  }
}
