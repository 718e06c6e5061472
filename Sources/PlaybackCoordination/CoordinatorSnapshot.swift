import GroupActivities
import Timekeeping

/// Another participant, as its coordinator reports it. Mirrors `AVCoordinatedPlaybackParticipant`.
public struct CoordinatedPlaybackParticipant: Hashable, Sendable, Identifiable {
  public let id: Participant.ID
  /// Whether it is ready for the start that is being waited for; true when none is.
  public let isReadyToPlay: Bool
  public let suspensionReasons: [CoordinatedPlaybackSuspension.Reason]
  /// The item that its player has; nil for none.
  public let currentItemIdentifier: String?
  /// How far its player is ahead of where it should be, as it measured; nil when it isn't playing.
  public let syncError: Duration?
  /// ``syncError`` may be off by so much either way: what measuring its player and knowing the group's clock leave
  /// open. Nil if it didn't say.
  public let syncUncertainty: Duration?
  /// The part of the data that its player waits for which has arrived, in percent, 0...100; nil while its player
  /// doesn't wait for data.
  public let loadedPercent: Int?
}

/// What a coordinator knows at one moment, for drawing and reporting.
public struct CoordinatorSnapshot: Hashable, Sendable {
  public enum Status: Hashable, Sendable {
    case noItem
    case paused
    /// Waiting for coordinated playback: for whom, and until when at most.
    case waiting(for: Set<Participant.ID>, until: HostTime)
    case playing
  }

  public let currentItemIdentifier: String?
  public let status: Status
  /// The rate at which the item plays or will play.
  public let rate: Double
  /// Where this participant should be now.
  public let itemTime: MediaTime?
  /// This participant's reasons, innermost last; empty while it follows the group.
  public let suspensionReasons: [CoordinatedPlaybackSuspension.Reason]
  public let otherParticipants: [CoordinatedPlaybackParticipant]
  /// The group's position now, from which a suspended participant is apart.
  public var groupItemTime: MediaTime?
}

/// What happens to coordinated playback, for the program to show.
public enum CoordinatorEvent: Hashable, Sendable {
  /// Somebody, perhaps this participant, did something to everybody's playback.
  case changed(CoordinatedChange)
  /// The exact frame of the last pause, or the date of the last start, is known now. The snapshot's position is a
  /// different one.
  case settled
  /// The start waits for these participants, until then at most; nil when it no longer waits.
  case waiting(for: Set<Participant.ID>?, until: HostTime?)
  case suspensionReasonsChanged
  case otherParticipantsChanged
  /// The session is over for this participant: playback is this program's own again.
  case sessionEnded(InvalidationReason)
}
