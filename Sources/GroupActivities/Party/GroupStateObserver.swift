import Concurrency
import Synchronization

/// An observer of this process's membership in parties. Mirrors `GroupActivities.GroupStateObserver`; its
/// publisher is an async sequence here.
public final class GroupStateObserver: Sendable {
  private static let parties = Mutex(0)
  private static let eligibility = Broadcast(false)

  /// Creates an observer. All observers of a process see the same parties.
  public init() {}

  /// A Boolean value that indicates whether this process is in a party.
  public var isEligibleForGroupSession: Bool { Self.eligibility.value! }

  /// The current value of ``isEligibleForGroupSession``, and each change.
  public var eligibilityUpdates: AsyncStream<Bool> { Self.eligibility.values() }

  static func partyBegan() { change(by: 1) }
  static func partyEnded() { change(by: -1) }

  private static func change(by step: Int) {
    // Sends under the lock, so that the last value sent is the current one.
    parties.withLock { count in
      count += step
      if eligibility.value != (count > 0) { eligibility.send(count > 0) }
    }
  }
}
