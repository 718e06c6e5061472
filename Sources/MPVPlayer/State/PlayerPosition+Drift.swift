import PlaybackCoordination
import Timekeeping

extension DriftController {
  /// The interval at which a player's position should be compared with the group's.
  package static let interval = Duration.milliseconds(250)

  /// Takes the measured position of a player that should be on `line`.
  ///
  /// - Parameters:
  ///   - position: the position while moving, from ``MPVPlayer/position()``: with the time at which it is perceived.
  ///   - clockRate: how much faster the line's time runs than this machine's, in seconds per second.
  ///   - snapshot: a snapshot of the same player, taken before.
  ///   - outputLatency: the output latency of the same player.
  package mutating func measured(
    _ position: PlayerPosition, against line: PlaybackLine, clockRate: Double,
    snapshot: PlayerSnapshot, outputLatency: Duration
  ) -> Correction {
    let error = position.syncError(against: line)
    if line.rate < PlaybackLine.slowRate, error.magnitude <= PlaybackLine.slowTolerance {
      interrupted()
      return .nudge(1)
    }
    return measured(
      error / line.rate, uncertainty: position.uncertainty,
      clockRate: clockRate, responseTime: snapshot.speedChangeLatency,
      at: position.hostTime - outputLatency)
  }
}
