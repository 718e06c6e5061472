import Timekeeping

/// The times of the attempts after a connection was lost: at once except for the jitter, then less and less often.
///
/// Each wait is extended at random by up to half of itself, so that the thousands of clients of a server that comes
/// back don't all connect at the same time.
struct ReconnectSchedule: Sendable {
  private var wait: Duration
  private let configuration: NATSConfiguration
  private var isFirst = true

  static let growth = 1.5

  init(_ configuration: NATSConfiguration) {
    self.configuration = configuration
    wait = configuration.reconnectWait
  }

  /// - Parameters:
  ///   - isRefused: whether the servers answered but refused this client: then there is no hurry.
  ///   - chance: uniformly distributed from 0 to 1.
  mutating func next(isRefused: Bool, chance: Double) -> Duration {
    if isFirst {
      isFirst = false
      return configuration.reconnectJitter * chance
    }
    let longest = configuration.patientReconnectWait
    let due = isRefused ? longest : min(wait, longest)
    wait = min(wait * Self.growth, longest)
    return due * (1 + chance / 2)
  }
}
