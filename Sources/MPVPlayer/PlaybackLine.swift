import PlaybackCoordination
import Timekeeping

/// Where playback should be at any instant: through `itemTime` at `hostTime`, at `rate`.
public struct PlaybackLine: Hashable, Sendable {
  /// Above zero: mpv can't play backwards along a line.
  public var rate: Double
  public var itemTime: MediaTime
  public var hostTime: HostTime

  /// - Parameter rate: must be above zero.
  public init(rate: Double, itemTime: MediaTime, hostTime: HostTime) {
    precondition(rate > 0, "a line of rate \(rate) leads nowhere")
    self.rate = rate
    self.itemTime = itemTime
    self.hostTime = hostTime
  }

  /// Where the line is at `time`; the line also runs before its anchor.
  public func itemTime(atHostTime time: HostTime) -> MediaTime {
    itemTime + (time - hostTime) * rate
  }

  /// When the line reaches `time`.
  public func hostTime(atItemTime time: MediaTime) -> HostTime {
    hostTime + (time - itemTime) / rate
  }
}
