import Timekeeping

/// Distinguishes a server that is too slow from one with short interruptions: the time of stalls accumulates, and
/// decreases while the server keeps up.
struct StallMeter: Hashable, Sendable {
  private var waited = Duration.zero
  private var last: HostTime?
  private var wasTold = false

  /// The accumulated stall time after which the user is informed.
  private static let limit = Duration.seconds(8)
  /// The maximum time that counts between two calls: a process that was suspended in between didn't wait for the
  /// server.
  private static let longestStep = Duration.seconds(1)

  /// - Returns: true once, when the user is to be informed.
  mutating func note(isWaiting: Bool, at now: HostTime) -> Bool {
    let step = last.map { min(max(.zero, now - $0), Self.longestStep) } ?? .zero
    last = now
    waited = isWaiting ? waited + step : max(.zero, waited - step / 4)
    guard waited >= Self.limit, !wasTold else { return false }
    wasTold = true
    return true
  }
}
