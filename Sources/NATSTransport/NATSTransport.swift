import CNATS
import Dispatch
import GroupActivities
import Logging
import NKeys
import Synchronization
import Timekeeping

/// A ``GroupTransport`` over any NATS server, through libnats.
///
/// libnats reconnects by itself and subscribes again. Nothing is kept while the connection is down
/// (`natsOptions_SetReconnectBufSize`): what it would replay afterwards is stale, and what has to
/// arrive is repaired by the session layer.
public final class NATSTransport: GroupTransport {
  public let events: AsyncStream<TransportEvent>

  private let configuration: NATSConfiguration
  private let inbox: NATSInbox
  private let logger: Logger
  /// libnats's calls may block on the network: they are made here, one after another.
  private let queue = DispatchQueue(label: "matinee.nats")
  private let state = Mutex(State())

  private struct State {
    var connection: NATSConnection?
    var isClosed = false
    /// Messages handed to the queue and not yet to libnats.
    var queued = 0
  }

  private static let queueLimit = 4096

  /// - Parameters:
  ///   - admission: signs the server's challenge, if it has one.
  public init(configuration: NATSConfiguration, admission: AdmissionKey, logger: Logger) {
    self.configuration = configuration
    self.logger = logger
    let (stream, continuation) = AsyncStream.makeStream(
      of: TransportEvent.self, bufferingPolicy: .bufferingOldest(8192))
    events = stream
    inbox = NATSInbox(continuation: continuation, admission: admission)
  }

  public func connect() async throws(TransportError) {
    let result = await onQueue { () -> Result<Void, TransportError> in
      Result { () throws(TransportError) in
        let connection = try self.open()
        let isClosed = self.state.withLock { state in
          if !state.isClosed { state.connection = connection }
          return state.isClosed
        }
        if isClosed {
          connection.close()
          throw TransportError(.closed, "the connection was closed while it was being made")
        }
      }
    }
    try result.get()
  }

  public func subscribe(to subject: String) async throws(TransportError) {
    let result = await onQueue { () -> Result<Void, TransportError> in
      guard let connection = self.state.withLock({ $0.connection }) else {
        return .failure(TransportError(.notConnected, "not connected yet"))
      }
      return Result { () throws(TransportError) in try connection.subscribe(to: subject) }
    }
    try result.get()
  }

  public func publish(_ payload: [UInt8], to subject: String) throws(TransportError) {
    let problem: TransportError? = state.withLock { state in
      if state.isClosed { return TransportError(.closed, "the connection is closed") }
      guard let connection = state.connection, inbox.isConnected else {
        return TransportError(.notConnected, "the connection is down")
      }
      if payload.count > connection.payloadLimit {
        return TransportError(
          .payloadTooLarge,
          "\(payload.count) bytes are more than the server takes (\(connection.payloadLimit))")
      }
      guard state.queued < Self.queueLimit else {
        return TransportError(.slow, "the server takes messages too slowly")
      }
      state.queued += 1
      return nil
    }
    if let problem { throw problem }
    queue.async { [self] in
      let connection = state.withLock { state in
        state.queued -= 1
        return state.connection
      }
      guard let status = connection?.publish(payload, to: subject), status != NATS_OK else {
        return
      }
      // The connection went down between here and there: the caller's repair deals with that.
      logger.debug("publish: \(NATSConnection.text(status))")
    }
  }

  public func close() async {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    await onQueue {
      let connection = self.state.withLock { state in
        defer { state.connection = nil }
        return state.connection
      }
      connection?.close()
    }
    inbox.finish(nil)
  }

  private func onQueue<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }

  private func open() throws(TransportError) -> NATSConnection {
    while true {
      do {
        return try NATSConnection(
          urls: configuration.servers.map(\.url),
          addresses: configuration.servers.map(\.address).joined(separator: ", "),
          timeout: configuration.connectTimeout, inbox: inbox)
      } catch {
        guard inbox.wantsAnotherChallenge else { throw error }
      }
    }
  }
}
