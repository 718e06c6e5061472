import Foundation
import Timekeeping

/// How long to wait before asking for what is missing, or answering for somebody else, in a group in which
/// all others may want to do the same: the truncated exponential wait of NORM (RFC 5401 §3.2.2). Most wait
/// nearly all of the time, a few are early, and the rest hear them.
enum RepairBackoff {
  /// The longest wait, a few round trips: who is early must be heard by then.
  static let window = Duration.milliseconds(500)

  /// - Parameters:
  ///   - participants: at least 1.
  ///   - dice: 0 to 1.
  static func wait(participants: Int, dice: Double) -> Duration {
    let lambda = log(Double(max(1, participants))) + 1
    let least = 1 / (exp(lambda) - 1)
    let wait = log((dice + least) * (exp(lambda) - 1)) / lambda
    return window * min(max(wait, 0), 1)
  }
}
