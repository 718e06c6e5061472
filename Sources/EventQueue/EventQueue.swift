import DequeModule
import Synchronization

/// A bounded queue between a thread that must never wait and one asynchronous consumer.
///
/// A full `AsyncStream` with a bounded policy drops elements of any kind, including the end of a connection. Here an
/// element is either *droppable*, and refused while the queue holds more than its limit, or *essential*, and always
/// accepted: a slow consumer loses messages, but still learns the connection's state.
package final class EventQueue<Element: Sendable>: Sendable {
  private struct State {
    var elements: Deque<(element: Element, cost: Int, isEssential: Bool)> = []
    var cost = 0
    var essentialCount = 0
    var consumer: CheckedContinuation<Element?, Never>?
    var isFinished = false
  }

  private let state = Mutex(State())
  private let costLimit: Int
  private let essentialLimit: Int

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - costLimit: the greatest sum of the costs of waiting droppable elements.
  ///   - essentialLimit: the greatest number of waiting essential elements. One more empties the queue first: only the
  ///     last one helps a consumer that slow.
  package init(costLimit: Int, essentialLimit: Int = 256) {
    self.costLimit = costLimit
    self.essentialLimit = essentialLimit
  }

  /// Queues a droppable element.
  ///
  /// - Parameter cost: in the unit of the limit, for example bytes; 0 or more.
  /// - Returns: false if it was dropped.
  @discardableResult
  package func push(_ element: Element, cost: Int) -> Bool {
    let (consumer, isTaken): (CheckedContinuation<Element?, Never>?, Bool) = state.withLock {
      state in
      guard !state.isFinished else { return (nil, false) }
      if let consumer = state.consumer.take() { return (consumer, true) }
      guard state.cost + cost <= costLimit else { return (nil, false) }
      state.cost += cost
      state.elements.append((element, cost, false))
      return (nil, true)
    }
    consumer?.resume(returning: element)
    return isTaken
  }

  /// Queues an element that is accepted however slow the consumer is. Beyond `essentialLimit` it empties the queue.
  package func pushEssential(_ element: Element) {
    let consumer = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isFinished else { return nil }
      if let consumer = state.consumer.take() { return consumer }
      if state.essentialCount >= essentialLimit {
        state.elements.removeAll()
        state.cost = 0
        state.essentialCount = 0
      }
      state.essentialCount += 1
      state.elements.append((element, 0, true))
      return nil
    }
    consumer?.resume(returning: element)
  }

  /// Ends the queue: waiting elements are still delivered, then nil. Idempotent.
  package func finish() {
    let consumer = state.withLock { state in
      state.isFinished = true
      return state.consumer.take()
    }
    consumer?.resume(returning: nil)
  }

  /// Returns the elements in order, for one consumer. A cancelled consumer ends the queue and empties it.
  package func makeStream() -> AsyncStream<Element> {
    AsyncStream(
      unfolding: { [self] in await next() },
      onCancel: { [self] in
        finish()
        state.withLock { state in
          state.elements.removeAll()
          state.cost = 0
          state.essentialCount = 0
        }
      })
  }

  private func next() async -> Element? {
    await withCheckedContinuation { continuation in
      let ready: Element?? = state.withLock { state in
        if let (element, cost, isEssential) = state.elements.popFirst() {
          state.cost -= cost
          if isEssential { state.essentialCount -= 1 }
          return .some(element)
        }
        if state.isFinished { return .some(nil) }
        precondition(state.consumer == nil, "an event queue has one consumer")
        state.consumer = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
    }
  }
}
