import Timekeeping

/// Tells a server that sends too little from one that stumbles: what was waited for it adds up, and fades while it
/// keeps up.
struct StallMeter: Hashable, Sendable {
  private var waited = Duration.zero
  private var last: HostTime?
  private var wasTold = false

  /// So long, all in all, nobody waits without asking why.
  private static let limit = Duration.seconds(8)
  /// What lies between two looks, at most: whoever was stopped meanwhile waited for nothing.
  private static let longestStep = Duration.seconds(1)

  /// - Returns: true once, when it is worth telling.
  mutating func note(isWaiting: Bool, at now: HostTime) -> Bool {
    let step = last.map { min(max(.zero, now - $0), Self.longestStep) } ?? .zero
    last = now
    waited = isWaiting ? waited + step : max(.zero, waited - step / 4)
    guard waited >= Self.limit, !wasTold else { return false }
    wasTold = true
    return true
  }
}
