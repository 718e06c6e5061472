import Synchronization

/// Values in the order in which they came.
package final class Received<Value: Sendable>: Sendable {
  private let state = Mutex<[Value]>([])

  package init() {}

  package var values: [Value] { state.withLock { $0 } }
  package func add(_ value: Value) { state.withLock { $0.append(value) } }
}
