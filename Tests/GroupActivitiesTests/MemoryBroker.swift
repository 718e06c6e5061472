import GroupActivities
import Synchronization
import Timekeeping

/// A broker in memory, whose links a test can cut.
final class MemoryBroker: Sendable {
  private let transports = Mutex<[MemoryTransport]>([])

  func attach() -> MemoryTransport {
    let transport = MemoryTransport(broker: self)
    transports.withLock { $0.append(transport) }
    return transport
  }

  fileprivate func route(_ payload: [UInt8], to subject: String, from sender: MemoryTransport) {
    for transport in transports.withLock({ $0 }) where transport !== sender {
      transport.take(payload, subject)
    }
  }
}

final class MemoryTransport: GroupTransport {
  let events: AsyncStream<TransportEvent>
  private let continuation: AsyncStream<TransportEvent>.Continuation
  private let broker: MemoryBroker
  private let state = Mutex(State())

  private struct State {
    var subjects: [String] = []
    var isUp = false
    var isClosed = false
  }

  init(broker: MemoryBroker) {
    self.broker = broker
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16384))
  }

  func connect() async throws(TransportError) { mend() }

  func subscribe(to subject: String) async throws(TransportError) {
    state.withLock { $0.subjects.append(subject) }
  }

  func publish(_ payload: [UInt8], to subject: String) throws(TransportError) {
    guard state.withLock({ $0.isUp }) else { throw TransportError(.notConnected, "cut") }
    guard payload.count <= 65536 else { throw TransportError(.payloadTooLarge, "over 64 KiB") }
    broker.route(payload, to: subject, from: self)
  }

  func close() async {
    let isFirst = state.withLock { state in
      defer { (state.isClosed, state.isUp) = (true, false) }
      return !state.isClosed
    }
    guard isFirst else { return }
    continuation.yield(.closed(nil))
    continuation.finish()
  }

  func cut() {
    state.withLock { $0.isUp = false }
    continuation.yield(.disconnected(reason: "cut"))
  }

  func mend() {
    state.withLock { $0.isUp = true }
    continuation.yield(.connected(server: "memory"))
  }

  fileprivate func take(_ payload: [UInt8], _ subject: String) {
    let isWanted = state.withLock { $0.isUp && $0.subjects.contains(subject) }
    guard isWanted else { return }
    continuation.yield(
      .received(TransportMessage(subject: subject, payload: payload, receivedAt: .now())))
  }
}
