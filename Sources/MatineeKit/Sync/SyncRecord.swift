import PlaybackCoordination
import Timekeeping

/// One measurement of the player, or an event between two measurements.
package struct SyncRecord: Hashable, Sendable {
  /// An event that explains a step or a gap in the measurements.
  package enum Event: String, Hashable, Sendable {
    case play, pause, seek, rate, stalled
    /// The film's end.
    case ended
    /// The player had drifted too far from the group, and got the group's whole state again.
    case reapplied
    /// The output's latency was set to another value.
    case latencyOffset = "latency-offset"
  }

  package var hostTime: HostTime
  /// The group's time; nil outside a party.
  var groupTime: GroupTime?
  /// The player's position; nil for an event.
  var itemTime: MediaTime?
  /// The measurement; nil for an event.
  package var measurement: SyncMeasurement?
  /// The factor of the speed beside the rate: 1 for none.
  package var nudge = 1.0
  /// The best recent round trip to the group's reference clock; nil outside a party.
  package var roundTrip: Duration?
  /// The maximum error of the group's clock here, in either direction; nil outside a party.
  package var clockUncertainty: Duration?
  package var event: Event?
}

extension SyncRecord.Event {
  /// - Returns: nil for a change that doesn't move this player.
  init?(_ change: CoordinatedChange.Kind) {
    switch change {
    case .play: self = .play
    case .pause: self = .pause
    case .seek: self = .seek
    case .rate: self = .rate
    case .ended: self = .ended
    case .proposed: return nil
    }
  }
}
