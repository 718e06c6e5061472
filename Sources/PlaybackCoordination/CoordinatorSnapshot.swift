import GroupActivities
import Timekeeping

/// Another participant, as its coordinator reports it. Mirrors `AVCoordinatedPlaybackParticipant`.
public struct CoordinatedPlaybackParticipant: Hashable, Sendable, Identifiable {
  public let id: Participant.ID
  /// A Boolean value that indicates whether the participant is ready for the pending start; true when no start is
  /// pending.
  public let isReadyToPlay: Bool
  public let suspensionReasons: [CoordinatedPlaybackSuspension.Reason]
  /// The item in the participant's player; nil for none.
  public let currentItemIdentifier: String?
  /// The distance by which the participant's player is ahead of its expected position, as it measured; nil when it
  /// isn't playing.
  public let syncError: Duration?
  /// The uncertainty of ``syncError``, in either direction: that of measuring the player plus that of knowing the
  /// group's clock. Nil if the participant didn't report it.
  public let syncUncertainty: Duration?
  /// The part of the data that the participant's player waits for which has arrived, in percent, 0...100; nil while the
  /// player doesn't wait for data.
  public let loadedPercent: Int?
}

/// The coordinator's knowledge at one moment, for drawing and reporting.
public struct CoordinatorSnapshot: Hashable, Sendable {
  public enum Status: Hashable, Sendable {
    case noItem
    case paused
    /// Waiting for coordinated playback: for these participants, until then at the latest.
    case waiting(for: Set<Participant.ID>, until: HostTime)
    case playing
  }

  public let currentItemIdentifier: String?
  public let status: Status
  /// The rate at which the item plays or will play.
  public let rate: Double
  /// The position at which this participant should be now: its own one while it is suspended, otherwise the group's.
  public let itemTime: MediaTime?
  /// This participant's reasons for being suspended, innermost last; empty while it follows the group.
  public let suspensionReasons: [CoordinatedPlaybackSuspension.Reason]
  public let otherParticipants: [CoordinatedPlaybackParticipant]
  /// The group's position now. A suspended participant may be elsewhere.
  public var groupItemTime: MediaTime?
}

/// An event in coordinated playback, for the program to show.
public enum CoordinatorEvent: Hashable, Sendable {
  /// A participant, perhaps this one, changed the group's playback.
  case changed(CoordinatedChange)
  /// The exact frame of the last pause, or the date of the last start, is known now. The snapshot's position has
  /// changed accordingly.
  case settled
  /// The start waits for these participants, until then at the latest; nil when it no longer waits.
  case waiting(for: Set<Participant.ID>?, until: HostTime?)
  case suspensionReasonsChanged
  /// A replay that ``DelegatingPlaybackCoordinator/whatHappened()`` began is over.
  case replayEnded(ReplayEnd)
  case otherParticipantsChanged
  /// The session is over for this participant; it controls its playback alone again.
  case sessionEnded(InvalidationReason)
}

/// The reason why a replay ended.
public enum ReplayEnd: String, Hashable, Sendable, CaseIterable {
  /// The replay reached the group's position.
  case caughtUp
  /// The user ended it.
  case stopped
  /// The group went to another position, or got as fast as the replay.
  case groupMoved
  case filmChanged
  case filmEnded
  /// This participant entered or left a session.
  case sessionChanged
}
