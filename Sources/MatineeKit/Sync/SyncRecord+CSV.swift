import Foundation
import PlaybackCoordination
import Timekeeping

/// A record as a line of comma-separated values (RFC 4180, but with `\n`). This is an interface: matinee-party(7) lists
/// the columns. It contains no names, titles or addresses, so that it can be published.
extension SyncRecord {
  static let csvHeader =
    "time,host_s,group_s,item_s,error_ms,uncertainty_ms,nudge,round_trip_ms,clock_uncertainty_ms,event\n"

  /// - Parameters:
  ///   - now: the wall clock's time at some moment.
  ///   - hostNow: the host clock's time at the same moment.
  func csvLine(now: Date, hostNow: HostTime) -> String {
    let wallClock = now.addingTimeInterval((hostTime - hostNow).inSeconds)
    let fields: [String] = [
      wallClock.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
      Self.seconds(hostTime.nanoseconds),
      Self.seconds(groupTime?.nanoseconds),
      Self.seconds(itemTime?.nanoseconds),
      Self.milliseconds(measurement?.error),
      Self.milliseconds(measurement?.uncertainty),
      measurement == nil ? "" : String(format: "%.6f", nudge),
      Self.milliseconds(roundTrip),
      Self.milliseconds(clockUncertainty),
      event?.rawValue ?? "",
    ]
    return fields.joined(separator: ",") + "\n"
  }

  private static func seconds(_ nanoseconds: Int64?) -> String {
    nanoseconds.map { String(format: "%.6f", Double($0) / 1e9) } ?? ""
  }

  private static func milliseconds(_ duration: Duration?) -> String {
    duration.map { String(format: "%.3f", $0.inMilliseconds) } ?? ""
  }
}
