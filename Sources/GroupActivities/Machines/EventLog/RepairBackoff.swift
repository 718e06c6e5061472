import Foundation
import Timekeeping

/// The time to wait before asking for a missing event, or answering for another participant, in a group in
/// which all others may do the same: the truncated exponential wait of NORM (RFC 5401 §3.2.2). Most
/// participants wait nearly the full time, a few are early, and the rest hear them.
enum RepairBackoff {
  /// The longest wait, a few round trips: by then an early participant must have been heard.
  static let window = Duration.milliseconds(500)

  /// - Parameters:
  ///   - participants: the number of participants, at least 1.
  ///   - dice: a random number from 0 to 1.
  static func wait(participants: Int, dice: Double) -> Duration {
    let lambda = log(Double(max(1, participants))) + 1
    let least = 1 / (exp(lambda) - 1)
    let wait = log((dice + least) * (exp(lambda) - 1)) / lambda
    return window * min(max(wait, 0), 1)
  }
}
