import PlaybackCoordination
import Timekeeping

/// What one look at the player found, or what happened to it between two.
struct SyncRecord: Hashable, Sendable {
  /// What explains a step or a gap in the measurements.
  enum Event: String, Hashable, Sendable {
    case play, pause, seek, rate, stalled
    /// The film's end.
    case ended
    /// The player had strayed too far, and was told everything again.
    case reapplied
    /// The output's latency was set to another value.
    case latencyOffset = "latency-offset"
  }

  var hostTime: HostTime
  /// Nil while in no party.
  var groupTime: GroupTime?
  /// Where the player was found; nil for an event.
  var itemTime: MediaTime?
  /// Nil for an event.
  var measurement: SyncMeasurement?
  /// By what the speed is multiplied beside the rate: 1 for nothing.
  var nudge = 1.0
  /// The best recent round trip to the group's reference clock; nil while in no party.
  var roundTrip: Duration?
  /// How far the group's clock may be off here, either way; nil while in no party.
  var clockUncertainty: Duration?
  var event: Event?
}

extension SyncRecord.Event {
  /// - Returns: nil for what moves nothing here.
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
