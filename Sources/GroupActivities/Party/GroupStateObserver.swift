import Concurrency

/// An observer of the current party (``Party/current``). Mirrors `GroupActivities.GroupStateObserver`; its publisher is
/// an async sequence here.
public final class GroupStateObserver: Sendable {
  private let current = CurrentParty.here

  /// Creates an observer. All observers of a process see the same party.
  public init() {}

  /// A Boolean value that indicates whether there is a current party, in which an activity can be shared.
  public var isEligibleForGroupSession: Bool { current.party != nil }

  /// The current value of ``isEligibleForGroupSession``, and each change.
  public var eligibilityUpdates: AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let parties = current.parties.values()
    let task = Task {
      var last: Bool?
      for await party in parties where last != (party != nil) {
        last = party != nil
        continuation.yield(party != nil)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
