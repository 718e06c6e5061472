import GroupActivities
import NIOCore
import Synchronization
import Timekeeping

/// The host's own way into its relay: the same subjects and the same order as over a socket, without
/// one.
final class LoopbackTransport: GroupTransport {
  let events: AsyncStream<TransportEvent>
  private let continuation: AsyncStream<TransportEvent>.Continuation
  private let core: RelayCore
  private let prefix: String
  private let state = Mutex(State())

  private struct State {
    var id: Broker.ConnectionID?
    var isClosed = false
    /// Handed to the loop and not yet taken by it.
    var queued = 0
    var subscriptions = 0
  }

  private static let queueLimit = 4096

  init(core: RelayCore, prefix: String) {
    self.core = core
    self.prefix = prefix
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(8192))
  }

  func connect() async throws(TransportError) {
    let continuation = continuation
    let id = await onLoop { core, prefix in
      core.attach(prefix: prefix) { message in continuation.yield(.received(message)) }
    }
    guard let id else { throw TransportError(.unreachable, "the relay has ended") }
    state.withLock { $0.id = id }
    continuation.yield(.connected(server: "this process"))
  }

  func subscribe(to subject: String) async throws(TransportError) {
    guard Subject.isValid(subject), Subject.isWithin(subject, prefix: prefix) else {
      throw TransportError(.invalidSubject, "“\(subject)” is not one of this party's subjects")
    }
    let (id, number) = state.withLock { state in
      state.subscriptions += 1
      return (state.id, state.subscriptions)
    }
    guard let id else { throw TransportError(.notConnected, "not connected yet") }
    let isDone: Void? = await onLoop { core, _ in
      core.handle(.subscribe(subject: subject, queue: nil, sid: "\(number)"), from: id)
    }
    guard isDone != nil else { throw TransportError(.closed, "the relay has ended") }
  }

  func publish(_ payload: [UInt8], to subject: String) throws(TransportError) {
    guard payload.count <= core.configuration.payloadLimit else {
      throw TransportError(.payloadTooLarge, "\(payload.count) bytes are more than the relay takes")
    }
    guard Subject.isLiteral(subject), Subject.isWithin(subject, prefix: prefix) else {
      throw TransportError(.invalidSubject, "“\(subject)” is not one of this party's subjects")
    }
    let outcome = state.withLock { state -> Result<Broker.ConnectionID, TransportError> in
      if state.isClosed { return .failure(TransportError(.closed, "the connection is closed")) }
      guard let id = state.id else {
        return .failure(TransportError(.notConnected, "not connected yet"))
      }
      guard state.queued < Self.queueLimit else {
        return .failure(TransportError(.slow, "the relay takes messages too slowly"))
      }
      state.queued += 1
      return .success(id)
    }
    let id = try outcome.get()
    core.eventLoop.execute { [self] in
      state.withLock { $0.queued -= 1 }
      core.handle(
        .publish(
          subject: subject, reply: nil, headerLength: nil, payload: ByteBuffer(bytes: payload)),
        from: id)
      core.flush()
    }
  }

  func close() async {
    let id = state.withLock { state -> Broker.ConnectionID? in
      defer {
        state.isClosed = true
        state.id = nil
      }
      return state.id
    }
    if let id { _ = await onLoop { core, _ in core.closed(id) } }
    continuation.yield(.closed(nil))
    continuation.finish()
  }

  /// - Returns: nil when the loop has ended.
  private func onLoop<T: Sendable>(
    _ body: @escaping @Sendable (RelayCore, String) -> T
  ) async -> T? {
    let (core, prefix) = (core, prefix)
    return try? await core.eventLoop.submit { body(core, prefix) }.get()
  }
}
