import PlaybackCoordination
import Timekeeping

extension DriftController {
  /// How often a player's place is to be compared with the group's.
  public static let interval = Duration.milliseconds(250)

  /// Tells where a player was found that should be on `line`.
  ///
  /// - Parameters:
  ///   - position: while it moves, as ``MPVPlayer/position()`` says it: when it is perceived.
  ///   - clockRate: by how much the line's time runs faster than this machine's, in seconds a second.
  ///   - snapshot: of the same player, taken before.
  ///   - outputLatency: of the same player.
  public mutating func measured(
    _ position: PlayerPosition, against line: PlaybackLine, clockRate: Double,
    snapshot: PlayerSnapshot, outputLatency: Duration
  ) -> Correction {
    measured(
      position.syncError(against: line) / line.rate, uncertainty: position.uncertainty,
      clockRate: clockRate, responseTime: snapshot.speedChangeLatency,
      at: position.hostTime - outputLatency)
  }
}
