import Timekeeping

/// A connection to a broker that carries opaque bytes under opaque subjects, at most once.
///
/// `GroupActivities` declares it, an edge implements it (a NATS client, or a relay in the same
/// process). Subjects are dot-separated tokens; a subscription may end in `>`, which matches one
/// token or more, as in NATS. Per publisher and connection, messages arrive in the order in which
/// they were published. A publisher never receives its own messages. Nothing is promised across a
/// lost connection: what has to survive one is repaired end to end by the session layer.
public protocol GroupTransport: Sendable {
  /// What happens on the connection, in order, for one consumer. Bounded: when the consumer falls
  /// behind, new messages are dropped. Ends after ``TransportEvent/closed(_:)``.
  var events: AsyncStream<TransportEvent> { get }

  /// Connects for the first time; afterwards the transport reconnects by itself until ``close()``.
  ///
  /// - Throws: ``TransportError`` of kind `unreachable` when no address answers, `refused` when a
  ///   broker answers but does not admit this key.
  func connect() async throws(TransportError)

  /// Subscribes, now and after every reconnection. Returns once the broker has the subscription.
  ///
  /// - Parameter group: a queue group, as in NATS: of all who subscribe in it, one gets each message. Nil for
  ///   all of them.
  func subscribe(to subject: String, group: String?) async throws(TransportError)

  /// Hands one message over for sending. Never blocks: the queue behind it is bounded.
  ///
  /// - Throws: kind `notConnected` while the connection is down (nothing is kept for later),
  ///   `payloadTooLarge` over the broker's limit, `slow` when the queue is full, `closed`.
  func publish(_ payload: [UInt8], to subject: String) throws(TransportError)

  /// When a lost connection is tried again; nil while it isn't lost, or while an attempt is under way.
  var nextAttempt: HostTime? { get }

  /// Sends what is queued, closes the connection and ends ``events``. Idempotent.
  func close() async
}

extension GroupTransport {
  /// For transports whose connection is never lost.
  public var nextAttempt: HostTime? { nil }

  /// Subscribes to all messages to a subject.
  public func subscribe(to subject: String) async throws(TransportError) {
    try await subscribe(to: subject, group: nil)
  }
}

/// One thing that happened on a ``GroupTransport``.
public enum TransportEvent: Hashable, Sendable {
  /// The connection is up, for the first time or again, and all subscriptions are in place.
  case connected(server: String)
  /// The connection was lost; the transport is trying to get it back.
  case disconnected(reason: String)
  case received(TransportMessage)
  /// The broker or the library reported something that did not end the connection.
  case warning(String)
  /// The end: nothing follows. The error is nil after ``GroupTransport/close()``.
  case closed(TransportError?)
}

/// A message as it came from the broker: opaque, and not to be trusted.
public struct TransportMessage: Hashable, Sendable {
  public var subject: String
  public var payload: [UInt8]
  /// When the bytes arrived, read as close to the socket as the transport can: the clock exchange
  /// rests on it.
  public var receivedAt: HostTime

  public init(subject: String, payload: [UInt8], receivedAt: HostTime) {
    self.subject = subject
    self.payload = payload
    self.receivedAt = receivedAt
  }
}

/// A failed transport operation.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    case unreachable, refused, notConnected, payloadTooLarge, slow, closed, invalidSubject
    /// A server that can't prove who it is, or that wants clear text where that isn't allowed.
    case untrusted
  }

  public let kind: Kind
  /// What was tried, and what the broker or library said, for people to read.
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
