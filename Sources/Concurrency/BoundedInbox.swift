import Synchronization

/// A bounded queue between producers, on tasks and threads, and one asynchronous consumer.
///
/// A full `AsyncStream` with a bounded policy drops elements of any kind, including the end of a connection. Here each
/// producer says what happens to its element when there is no room: ``put(_:cost:)`` refuses it,
/// ``send(_:cost:)`` and ``sendBlocking(_:)`` wait for room, and ``putEssential(_:)`` accepts it. So a slow consumer
/// loses messages, but still learns a connection's state.
package final class BoundedInbox<Element: Sendable>: Sendable {
  private struct Entry {
    var element: Element
    var cost: Int
    var isEssential: Bool
  }

  private struct Producer {
    var number: Int
    var entry: Entry
    /// Called with true once the entry is queued, or with false at the end of the queue.
    var resume: @Sendable (Bool) -> Void
  }

  private struct State {
    var entries = Line<Entry>()
    var cost = 0
    var essentialCount = 0
    var producers = Line<Producer>()
    var lastProducer = 0
    var consumer: CheckedContinuation<Element?, Never>?
    var isFinished = false

    mutating func append(_ entry: Entry) {
      cost += entry.cost
      if entry.isEssential { essentialCount += 1 }
      entries.append(entry)
    }

    mutating func removeAll() {
      entries = Line()
      cost = 0
      essentialCount = 0
    }
  }

  private let state = Mutex(State())
  private let costLimit: Int
  private let essentialLimit: Int

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - costLimit: the greatest sum of the costs of waiting elements that aren't essential.
  ///   - essentialLimit: the greatest number of waiting essential elements. One more empties the queue first: only the
  ///     last one helps a consumer that slow.
  package init(costLimit: Int, essentialLimit: Int = 256) {
    self.costLimit = costLimit
    self.essentialLimit = essentialLimit
  }

  /// Queues an element if there is room.
  ///
  /// - Parameter cost: in the unit of the limit, for example bytes; 0 or more.
  /// - Returns: false if it was dropped.
  @discardableResult
  package func put(_ element: Element, cost: Int = 1) -> Bool {
    let (consumer, isTaken): (CheckedContinuation<Element?, Never>?, Bool) = state.withLock {
      state in
      guard !state.isFinished else { return (nil, false) }
      if let consumer = state.consumer.take() { return (consumer, true) }
      guard state.producers.isEmpty, state.cost + cost <= costLimit else { return (nil, false) }
      state.append(Entry(element: element, cost: cost, isEssential: false))
      return (nil, true)
    }
    consumer?.resume(returning: element)
    return isTaken
  }

  /// Queues an element that is accepted however slow the consumer is. Beyond `essentialLimit` it empties the queue.
  package func putEssential(_ element: Element) {
    let consumer = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isFinished else { return nil }
      if let consumer = state.consumer.take() { return consumer }
      if state.essentialCount >= essentialLimit { state.removeAll() }
      state.append(Entry(element: element, cost: 0, isEssential: true))
      return nil
    }
    consumer?.resume(returning: element)
  }

  /// Queues an element as soon as there is room. Producers that wait get room in the order of their calls.
  ///
  /// - Returns: false if the queue ended, or the task was cancelled.
  @discardableResult
  package func send(_ element: Element, cost: Int = 1) async -> Bool {
    let room = OneShot<Bool>()
    let number = offer(element, cost: cost) { room.fulfil($0) }
    if let isQueued = await room.value() { return isQueued }
    state.withLock { state in state.producers.removeAll { $0.number == number } }
    return false
  }

  /// Queues an element as soon as there is room, and blocks the calling thread until then.
  ///
  /// - Returns: false if the queue ended.
  package func sendBlocking(_ element: Element) -> Bool {
    let (room, isDecided) = (OneShot<Bool>(), ThreadFlag())
    offer(element, cost: 1) { isQueued in
      room.fulfil(isQueued)
      isDecided.set()
    }
    isDecided.wait()
    return room.current!
  }

  @discardableResult
  private func offer(
    _ element: Element, cost: Int, resume: @escaping @Sendable (Bool) -> Void
  ) -> Int {
    let entry = Entry(element: element, cost: cost, isEssential: false)
    var consumer: CheckedContinuation<Element?, Never>?
    var number = 0
    let isDecided: Bool? = state.withLock { state in
      guard !state.isFinished else { return false }
      if let waiting = state.consumer.take() {
        consumer = waiting
        return true
      }
      if state.producers.isEmpty, hasRoom(for: cost, state) {
        state.append(entry)
        return true
      }
      state.lastProducer += 1
      number = state.lastProducer
      state.producers.append(Producer(number: number, entry: entry, resume: resume))
      return nil
    }
    consumer?.resume(returning: element)
    if let isDecided { resume(isDecided) }
    return number
  }

  /// An element that costs more than the limit alone has room in an empty queue: otherwise its producer would wait
  /// for ever.
  private func hasRoom(for cost: Int, _ state: State) -> Bool {
    state.cost + cost <= costLimit || state.entries.isEmpty
  }

  /// Ends the queue: waiting elements are still delivered, then nil; producers that wait for room are refused.
  /// Idempotent.
  package func finish() {
    let (consumer, producers) = state.withLock { state in
      state.isFinished = true
      defer { state.producers = Line() }
      return (state.consumer.take(), state.producers.all)
    }
    consumer?.resume(returning: nil)
    for producer in producers { producer.resume(false) }
  }

  /// Returns the elements in order, for one consumer. A cancelled consumer ends the queue and empties it.
  package func makeStream() -> AsyncStream<Element> {
    AsyncStream(
      unfolding: { [self] in await next() },
      onCancel: { [self] in
        finish()
        state.withLock { $0.removeAll() }
      })
  }

  private func next() async -> Element? {
    await withCheckedContinuation { continuation in
      var producers: [Producer] = []
      let ready: Element?? = state.withLock { state in
        if let entry = state.entries.popFirst() {
          state.cost -= entry.cost
          if entry.isEssential { state.essentialCount -= 1 }
          while let producer = state.producers.first, hasRoom(for: producer.entry.cost, state) {
            _ = state.producers.popFirst()
            state.append(producer.entry)
            producers.append(producer)
          }
          return .some(entry.element)
        }
        if state.isFinished { return .some(nil) }
        precondition(state.consumer == nil, "an inbox has one consumer")
        state.consumer = continuation
        return nil
      }
      if let ready { continuation.resume(returning: ready) }
      for producer in producers { producer.resume(true) }
    }
  }
}

/// Elements in the order of their arrival. Taking the first costs constant time on average.
private struct Line<Element> {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }
  var all: [Element] { elements[head...].compactMap { $0 } }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer {
      elements[head] = nil
      head += 1
      if head > 32, head * 2 > elements.count {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }

  mutating func removeAll(where isGone: (Element) -> Bool) {
    elements = all.filter { !isGone($0) }
    head = 0
  }
}
