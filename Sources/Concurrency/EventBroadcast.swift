import Synchronization

/// An event that an ``EventBroadcast`` delivers.
package protocol BroadcastEvent: Sendable {
  associatedtype Kind: Hashable, Sendable

  var kind: Kind { get }
  /// A Boolean value that indicates whether the event replaces a waiting event of its kind: it contains all that the
  /// earlier one did.
  var replacesEarlier: Bool { get }

  /// Returns the event that a slow follower gets instead of events that were dropped.
  static func missed(_ count: Int) -> Self
}

/// Events that any number of tasks follow, each through a bounded queue of its own.
///
/// A sender never waits. Events wait for a slow follower, up to the limit that it chose; then the oldest of them is
/// dropped for each new one, and the follower gets ``BroadcastEvent/missed(_:)`` with their number before the rest. An
/// event that replaces earlier ones of its kind is never dropped: only the newest of each kind waits, beside the limit.
///
/// Unlike ``Broadcast``, a follower gets only the events that are sent after it began to follow.
package final class EventBroadcast<Event: BroadcastEvent>: Sendable {
  private struct State {
    var followers: [Int: Follower<Event>] = [:]
    var lastNumber = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  /// Held while an event is delivered, so that all followers get the events in the same order. It isn't the lock of
  /// ``state``, which a cancelled follower takes; see ``Broadcast``.
  private let delivery = Mutex(())

  package init() {}

  /// Sends an event to all followers. It never waits.
  package func send(_ event: Event) {
    delivery.withLock { _ in
      let followers = state.withLock { Array($0.followers.values) }
      for follower in followers { follower.add(event) }
    }
  }

  /// Returns a Boolean value that indicates whether a follower gets events of this kind.
  package func isFollowed(for kind: Event.Kind) -> Bool {
    state.withLock { state in state.followers.values.contains { $0.wants(kind) } }
  }

  /// Ends the sequences of all followers, after the events that wait for them. Idempotent.
  package func finish() {
    let followers = state.withLock { state in
      state.isFinished = true
      defer { state.followers = [:] }
      return Array(state.followers.values)
    }
    for follower in followers { follower.finish() }
  }

  /// Returns the events from now on, for one task, which ends its part by being cancelled.
  ///
  /// - Parameters:
  ///   - limit: the greatest number of waiting events, beside those that replace earlier ones; at least 1.
  ///   - ignored: the kinds of events that the task doesn't get.
  package func follow(atMost limit: Int, except ignored: Set<Event.Kind> = []) -> AsyncStream<Event>
  {
    let follower = Follower<Event>(limit: limit, ignored: ignored)
    let number: Int? = state.withLock { state in
      guard !state.isFinished else { return nil }
      state.lastNumber += 1
      state.followers[state.lastNumber] = follower
      return state.lastNumber
    }
    if number == nil { follower.finish() }
    return AsyncStream(
      unfolding: { await follower.next() },
      onCancel: { [weak self] in
        if let number { self?.state.withLock { $0.followers[number] = nil } }
        follower.finish()
      })
  }
}

/// The events that wait for one follower.
struct EventBacklog<Event: BroadcastEvent>: Sendable {
  private let limit: Int
  private var events: [Event] = []
  /// The number of waiting events that replace earlier ones.
  private var replacingCount = 0
  private var missed = 0

  init(limit: Int) {
    precondition(limit > 0, "a follower without room for an event")
    self.limit = limit
  }

  mutating func append(_ event: Event) {
    if event.replacesEarlier {
      if replacingCount > 0,
        let earlier = events.firstIndex(where: { $0.replacesEarlier && $0.kind == event.kind })
      {
        events.remove(at: earlier)
        replacingCount -= 1
      }
      replacingCount += 1
    } else if events.count - replacingCount >= limit,
      let oldest = events.firstIndex(where: { !$0.replacesEarlier })
    {
      events.remove(at: oldest)
      missed += 1
    }
    events.append(event)
  }

  mutating func popFirst() -> Event? {
    if missed > 0 {
      defer { missed = 0 }
      return .missed(missed)
    }
    guard !events.isEmpty else { return nil }
    let event = events.removeFirst()
    if event.replacesEarlier { replacingCount -= 1 }
    return event
  }
}

private final class Follower<Event: BroadcastEvent>: Sendable {
  private struct State {
    var backlog: EventBacklog<Event>
    var consumer: CheckedContinuation<Event?, Never>?
    var isFinished = false
  }

  private let state: Mutex<State>
  private let ignored: Set<Event.Kind>

  init(limit: Int, ignored: Set<Event.Kind>) {
    state = Mutex(State(backlog: EventBacklog(limit: limit)))
    self.ignored = ignored
  }

  func wants(_ kind: Event.Kind) -> Bool { !ignored.contains(kind) }

  func add(_ event: Event) {
    guard wants(event.kind) else { return }
    let consumer = state.withLock { state -> CheckedContinuation<Event?, Never>? in
      guard !state.isFinished else { return nil }
      if let consumer = state.consumer.take() { return consumer }
      state.backlog.append(event)
      return nil
    }
    consumer?.resume(returning: event)
  }

  func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: nil)
  }

  func next() async -> Event? {
    await withCheckedContinuation { continuation in
      let ready: Event?? = state.withLock { state in
        if let event = state.backlog.popFirst() { return .some(event) }
        if state.isFinished { return .some(nil) }
        precondition(state.consumer == nil, "a follower is one task")
        state.consumer = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}
