import BrokerTesting
import GroupActivities
import Synchronization

/// A recorder of a transport's events as they come, so that a test can wait for one.
final class EventRecorder: Sendable {
  private struct State: Sendable {
    var events: [TransportEvent] = []
    /// The number of events that were examined.
    var seen = 0
    var isFinished = false
    var waiter: CheckedContinuation<Void, Never>?
    var isOverdue = false
  }

  private let state = Mutex(State())
  private let reader: Mutex<Task<Void, Never>?> = Mutex(nil)

  init(_ transport: any GroupTransport) {
    let events = transport.events
    reader.withLock {
      $0 = Task { [weak self] in
        for await event in events { self?.record(event) }
        self?.finish()
      }
    }
  }

  deinit { reader.withLock { $0?.cancel() } }

  /// All events so far.
  var events: [TransportEvent] { state.withLock { $0.events } }

  /// Waits for an event of a kind among those not examined yet; the events before it count as
  /// examined.
  ///
  /// - Throws: if the stream ends before, or it takes too long.
  @discardableResult
  func next<Value>(
    _ what: String, within deadline: Duration = .seconds(60),
    _ match: (TransportEvent) -> Value?
  ) async throws -> Value {
    let timer = Task {
      try await Task.sleep(for: deadline)
      wake { $0.isOverdue = true }
    }
    defer {
      timer.cancel()
      state.withLock { $0.isOverdue = false }
    }
    while true {
      let (found, isOver): (Value?, Bool) = state.withLock { state in
        while state.seen < state.events.count {
          state.seen += 1
          if let value = match(state.events[state.seen - 1]) { return (value, false) }
        }
        return (nil, state.isFinished || state.isOverdue)
      }
      if let found { return found }
      if isOver { throw TestFailure("never came: \(what). Came: \(events.suffix(10))") }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.seen < state.events.count || state.isFinished || state.isOverdue { return true }
          state.waiter = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  func message(within deadline: Duration = .seconds(60)) async throws -> TransportMessage {
    try await next("a message", within: deadline) { event in
      if case .received(let message) = event { message } else { nil }
    }
  }

  func text() async throws -> String {
    String(decoding: try await message().payload, as: UTF8.self)
  }

  @discardableResult
  func connected() async throws -> String {
    try await next("connected") { event in
      if case .connected(let server) = event { server } else { nil }
    }
  }

  @discardableResult
  func disconnected() async throws -> String {
    try await next("disconnected") { event in
      if case .disconnected(let reason) = event { reason } else { nil }
    }
  }

  func warning() async throws -> String {
    try await next("a warning") { event in
      if case .warning(let text) = event { text } else { nil }
    }
  }

  /// Returns the error of the last event, after which no other came.
  func closed() async throws -> TransportError? {
    let error = try await next("closed") { event -> TransportError?? in
      if case .closed(let error) = event { .some(error) } else { nil }
    }
    while !state.withLock({ $0.isFinished }) { await Task.yield() }
    guard case .closed = events.last else { throw TestFailure("something came after closed") }
    return error
  }

  private func record(_ event: TransportEvent) { wake { $0.events.append(event) } }

  private func finish() { wake { $0.isFinished = true } }

  private func wake(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      return state.waiter.take()
    }
    waiter?.resume()
  }
}
