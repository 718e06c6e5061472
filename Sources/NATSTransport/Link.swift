import Concurrency
import DequeModule
import GroupActivities
import NATSProtocol
import NIOCore
import Synchronization

/// The part of a connection that its users, on any thread, share with its event loop: the outgoing queue, and the end.
final class Link: Sendable {
  /// A connection that a server admitted.
  struct Opening: Sendable {
    let info: ServerInfo
    /// A Boolean value that indicates whether the server has proved its name, with TLS.
    let isVerified: Bool
  }

  private struct State: Sendable {
    var channel: (any Channel)?
    var handler: NIOLoopBound<ProtocolHandler>?
    var isEnded = false
    var stepLimit: Scheduled<Void>?
    var unsent: Deque<[UInt8]> = []
    /// The messages and bytes that the socket hasn't taken.
    var messages = 0
    var bytes = 0
    /// A Boolean value that indicates whether the event loop is going to empty `unsent`.
    var isScheduled = false
    var clusterAddresses: [String] = []
    /// The server's texts, by the subjects that it refused.
    var refusals: [String: ServerError] = [:]
  }

  /// More than the session layer ever sends in a burst.
  private static let messageLimit = 1024
  private static let byteLimit = 4 << 20
  /// A party's programs subscribe to few subjects.
  private static let refusalLimit = 64

  let observer: ConnectionObserver
  /// The outcome of connecting.
  let opening = OneShot<Result<Opening, NATSError>>()
  private let state = Mutex(State())

  init(observer: ConnectionObserver) { self.observer = observer }

  // MARK: Life

  /// Takes the channel, once it is connected. Closes it if the attempt was given up.
  func attach(_ channel: any Channel) -> Bool {
    let isWanted = state.withLock { state in
      if !state.isEnded { state.channel = channel }
      return !state.isEnded
    }
    if !isWanted { channel.close(promise: nil) }
    return isWanted
  }

  func attach(_ handler: ProtocolHandler, on loop: any EventLoop) {
    let handler = NIOLoopBound(handler, eventLoop: loop)
    state.withLock { if !$0.isEnded { $0.handler = handler } }
  }

  /// Begins the next step of connecting, which may take this long.
  func beginStep(of limit: Duration) {
    let old = state.withLock { state in
      let old = state.stepLimit
      if !state.isEnded {
        state.stepLimit = state.channel?.eventLoop.scheduleTask(in: TimeAmount(limit)) {
          [weak self] in self?.end(.silent)
        }
      }
      return old
    }
    old?.cancel()
  }

  func opened(_ info: ServerInfo, isVerified: Bool) {
    state.withLock { $0.stepLimit.take() }?.cancel()
    opening.fulfil(.success(Opening(info: info, isVerified: isVerified)))
  }

  /// Ends the connection. The first reason counts.
  func end(_ reason: NATSError) {
    let ended = state.withLock { state -> State? in
      guard !state.isEnded else { return nil }
      let last = state
      state = State()
      state.isEnded = true
      state.clusterAddresses = last.clusterAddresses
      return last
    }
    guard let ended else { return }
    ended.stepLimit?.cancel()
    opening.fulfil(.failure(reason))
    if reason != .closed { observer.closed(reason: "\(reason)") }
    ended.channel?.close(promise: nil)
  }

  // MARK: Sending

  /// Queues one operation.
  ///
  /// - Throws: kind `slow` when the queue is full, `notConnected` after the end.
  func send(_ operation: ClientOperation) throws(TransportError) {
    let bytes = operation.bytes
    let handler = try state.withLock { state throws(TransportError) in
      guard !state.isEnded, let handler = state.handler else {
        throw TransportError(.notConnected, "the connection is lost; reconnecting")
      }
      guard state.messages < Self.messageLimit, state.bytes + bytes.count <= Self.byteLimit else {
        throw TransportError(
          .slow,
          "the relay is too slow: \(state.messages) messages (\(state.bytes) bytes) are waiting to be sent"
        )
      }
      state.unsent.append(bytes)
      state.messages += 1
      state.bytes += bytes.count
      defer { state.isScheduled = true }
      return state.isScheduled ? nil : handler
    }
    if let handler { handler.eventLoop.execute { handler.value.drain() } }
  }

  /// Waits until the server has answered everything that was sent before.
  ///
  /// - Returns: false if it didn't within the limit.
  func flush(within limit: Duration) async -> Bool {
    guard let handler = state.withLock({ $0.handler }) else { return false }
    let answer = OneShot<Bool>()
    handler.eventLoop.execute {
      handler.value.drain()
      handler.value.ping(answer)
    }
    return await answer.value(atMost: limit) ?? false
  }

  /// A part of the queue, as it goes to the socket.
  struct Part: Sendable {
    var bytes: [UInt8]
    var messages: Int
  }

  /// Takes the next messages; nil if there are none. The event loop calls it until then.
  func nextPart() -> Part? {
    state.withLock { state in
      guard var bytes = state.unsent.popFirst() else {
        state.isScheduled = false
        return nil
      }
      var messages = 1
      while let next = state.unsent.first, bytes.count + next.count <= 32 << 10 {
        bytes += state.unsent.removeFirst()
        messages += 1
      }
      return Part(bytes: bytes, messages: messages)
    }
  }

  /// The socket has taken a part.
  func sent(_ part: Part) {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.messages -= part.messages
      state.bytes -= part.bytes.count
    }
  }

  // MARK: What the server says

  var clusterAddresses: [String] { state.withLock(\.clusterAddresses) }

  func noteInfo(_ info: ServerInfo) {
    guard let addresses = info.clusterAddresses else { return }
    state.withLock { $0.clusterAddresses = addresses }
  }

  func noteRefusal(_ error: ServerError, of subject: String) {
    state.withLock { state in
      if state.refusals.count < Self.refusalLimit { state.refusals[subject] = error }
    }
  }

  func refusal(ofSubscriptionTo subject: String) -> ServerError? {
    state.withLock { $0.refusals[subject] }
  }
}
