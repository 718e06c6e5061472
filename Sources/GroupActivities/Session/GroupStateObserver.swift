import Synchronization

/// Whether there is a party to share something in. Mirrors `GroupActivities.GroupStateObserver`; its
/// publisher is an async sequence here.
public final class GroupStateObserver: Sendable {
  private static let parties = Mutex(0)
  private static let eligibility = Broadcast(false)

  public init() {}

  /// Whether this process is in a party.
  public var isEligibleForGroupSession: Bool { Self.eligibility.value! }

  /// Whether this process is in a party now, and each change.
  public var eligibilityUpdates: AsyncStream<Bool> { Self.eligibility.values() }

  static func partyBegan() { change(by: 1) }
  static func partyEnded() { change(by: -1) }

  private static func change(by step: Int) {
    // Told under the lock, so that what is told last is true.
    parties.withLock { count in
      count += step
      if eligibility.value != (count > 0) { eligibility.send(count > 0) }
    }
  }
}
