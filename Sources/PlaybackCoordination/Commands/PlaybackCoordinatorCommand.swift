import GroupActivities
import Timekeeping

/// What the coordinator asks of the player. Mirrors `AVDelegatingPlaybackCoordinatorPlaybackControlCommand`.
public protocol PlaybackCoordinatorCommand: Hashable, Sendable {
  /// Whose request this is; nil when it was local, or when the group's state is re-applied.
  var originator: Participant.ID? { get }
  /// The item for which the command is meant. A delegate whose current item is another one
  /// completes the command without doing anything: it is stale.
  var expectedCurrentItemIdentifier: String { get }
}

/// Play at `rate` so that `itemTime` is, or was, due at `hostTime`.
///
/// With `hostTime` in the future the player shows `itemTime` until then. With `hostTime` in the past
/// it joins where it should be by now. A player that already plays along this line only changes
/// what differs. A start that can't be made in time begins a `stallRecovery` suspension.
///
/// Mirrors `AVDelegatingPlaybackCoordinatorPlayCommand`.
public struct PlayCommand: PlaybackCoordinatorCommand {
  public let originator: Participant.ID?
  public let expectedCurrentItemIdentifier: String
  /// Never zero.
  public let rate: Double
  public let itemTime: MediaTime
  /// `hostClockTime` in AVFoundation.
  public let hostTime: HostTime

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

  /// Where a player that follows this command stands at `time`; the item time itself before the start.
  public func itemTime(atHostTime time: HostTime) -> MediaTime {
    guard time > hostTime else { return itemTime }
    return itemTime + (time - hostTime) * rate
  }
}

/// Pause at once.
///
/// Mirrors `AVDelegatingPlaybackCoordinatorPauseCommand`.
public struct PauseCommand: PlaybackCoordinatorCommand {
  public let originator: Participant.ID?
  public let expectedCurrentItemIdentifier: String
  /// Whether playback will go on soon, so that the player should fill its buffers. The command then
  /// completes only once the player is ready to start.
  public let shouldBufferInAnticipationOfPlayback: Bool
  /// The rate at which it will go on; zero when ``shouldBufferInAnticipationOfPlayback`` is false.
  public let anticipatedPlaybackRate: Double

  public init(
    originator: Participant.ID?, expectedCurrentItemIdentifier: String,
    shouldBufferInAnticipationOfPlayback: Bool = false, anticipatedPlaybackRate: Double = 0
  ) {
    self.originator = originator
    self.expectedCurrentItemIdentifier = expectedCurrentItemIdentifier
    self.shouldBufferInAnticipationOfPlayback = shouldBufferInAnticipationOfPlayback
    self.anticipatedPlaybackRate = anticipatedPlaybackRate
  }
}

/// Pause if playing, and go to exactly `itemTime`. Never resumes by itself.
///
/// Mirrors `AVDelegatingPlaybackCoordinatorSeekCommand`.
public struct SeekCommand: PlaybackCoordinatorCommand {
  public let originator: Participant.ID?
  public let expectedCurrentItemIdentifier: String
  public let itemTime: MediaTime
  /// Whether the command completes only once the player is ready to start from `itemTime`.
  public let shouldBufferInAnticipationOfPlayback: Bool
  public let anticipatedPlaybackRate: Double
  /// When the others stop waiting; nil when nobody waits.
  public let completionDueDate: HostTime?

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

/// Stay (or become) paused and get ready to start at `anticipatedPlaybackRate`; completes once that
/// is so. The player now waits for coordinated playback.
///
/// Mirrors `AVDelegatingPlaybackCoordinatorBufferingCommand`.
public struct BufferingCommand: PlaybackCoordinatorCommand {
  public let originator: Participant.ID?
  public let expectedCurrentItemIdentifier: String
  public let anticipatedPlaybackRate: Double
  /// When the others stop waiting.
  public let completionDueDate: HostTime

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
