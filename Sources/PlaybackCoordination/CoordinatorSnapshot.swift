import GroupActivities
import Timekeeping

/// Another participant, as its coordinator reports it. Mirrors `AVCoordinatedPlaybackParticipant`.
public struct CoordinatedPlaybackParticipant: Hashable, Sendable, Identifiable {
  /// The participant's identifier in the party.
  public let id: Participant.ID
  /// A Boolean value that indicates whether the participant is ready for the pending start; true when no start is
  /// pending.
  public let isReadyToPlay: Bool
  /// The participant's reasons for being apart from the group, innermost last; empty while it follows the group.
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
  /// A Boolean value that indicates whether the participant's player has another copy of its item, such as another
  /// encoding of the film.
  public let hasOtherCopy: Bool
}

/// The coordinator's knowledge at one moment, for drawing and reporting.
public struct CoordinatorSnapshot: Hashable, Sendable {
  /// The state of this participant's playback.
  public enum Status: Hashable, Sendable {
    /// The player has no item.
    case noItem
    /// The item is paused.
    case paused
    /// Waiting for coordinated playback: for these participants, until then at the latest.
    case waiting(for: Set<Participant.ID>, until: HostTime)
    /// The item plays, or is about to at a scheduled time.
    case playing
  }

  /// The identifier of the item in this participant's player; nil for none.
  public let currentItemIdentifier: String?
  /// The state of this participant's playback: its own one while it is suspended, otherwise the group's.
  public let status: Status
  /// The rate at which the item plays or will play.
  public let rate: Double
  /// The position at which this participant should be now: its own one while it is suspended, otherwise the group's.
  public let itemTime: MediaTime?
  /// This participant's reasons for being suspended, innermost last; empty while it follows the group.
  public let suspensionReasons: [CoordinatedPlaybackSuspension.Reason]
  /// The other participants that have reported to the coordinator, ordered by identifier; empty outside a group.
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
  /// A suspension of this participant began or ended: ``CoordinatorSnapshot/suspensionReasons`` is different now.
  case suspensionReasonsChanged
  /// A replay that ``DelegatingPlaybackCoordinator/whatHappened()`` began is over.
  case replayEnded(ReplayEnd)
  /// This participant's copy of the item has ended, and the others' goes on: the player waits at its end. Reported a
  /// second after the end.
  case waitsAtOwnEnd
  /// A participant was heard for the first time, left, or reported another item, copy, readiness or suspension: see
  /// ``CoordinatorSnapshot/otherParticipants``.
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
  /// This participant's player went to another item, or to none.
  case filmChanged
  /// The group, or the replay itself, reached the end of the item.
  case filmEnded
  /// This participant entered or left a session.
  case sessionChanged
}

/// A player's measured distance from its expected position.
public struct SyncMeasurement: Hashable, Sendable {
  /// The distance in media time: above zero when the player is ahead.
  public var error: Duration
  /// The half-width of the interval around ``error`` that contains the true error, never negative: the sum of the
  /// uncertainties of measuring the player and of knowing the group's clock.
  public var uncertainty: Duration

  /// Creates a measurement.
  public init(error: Duration, uncertainty: Duration) {
    self.error = error
    self.uncertainty = uncertainty
  }
}
