import Timekeeping

/// A connection to a broker that carries opaque bytes under opaque subjects, at most once.
///
/// `GroupActivities` declares it; a NATS client or a relay in the same process implements it. Subjects are
/// dot-separated tokens; a subscription may end in `>`, which matches one token or more, as in NATS. Per
/// publisher and connection, messages arrive in the order in which they were published. A publisher never
/// receives its own messages. Delivery across a lost connection isn't guaranteed: the session layer repairs
/// losses end to end.
public protocol GroupTransport: Sendable {
  /// The connection's events, in order, for one consumer. The stream is bounded: when the consumer falls
  /// behind, new messages are dropped. Ends after ``TransportEvent/closed(_:)``.
  var events: AsyncStream<TransportEvent> { get }

  /// Connects for the first time. Afterwards the transport reconnects automatically until ``close()``.
  ///
  /// - Throws: ``TransportError`` of kind `unreachable` when no address answers, `refused` when a broker
  ///   answers but does not admit this key.
  func connect() async throws(TransportError)

  /// Subscribes, now and after every reconnection. Returns once the broker has the subscription.
  ///
  /// - Parameters:
  ///   - subject: the subject of the messages.
  ///   - group: a queue group, as in NATS: one of its subscribers gets each message. Nil if every subscriber gets each
  ///     message.
  func subscribe(to subject: String, group: String?) async throws(TransportError)

  /// Ends a subscription without a group. Messages that are on their way may still arrive.
  func unsubscribe(from subject: String)

  /// Queues one message for sending. Never blocks: the queue is bounded.
  ///
  /// - Throws: kind `notConnected` while the connection is down (messages are not stored for later),
  ///   `payloadTooLarge` over the broker's limit, `slow` when the queue is full, `closed`.
  func publish(_ payload: [UInt8], to subject: String) throws(TransportError)

  /// The time of the next attempt to reconnect; nil while the connection is up or an attempt is in progress.
  var nextAttempt: HostTime? { get }

  /// Replaces the party's relays, best first. The transport uses the first that answers: it moves to a better one as soon
  /// as that answers, and to the next one when the relay in use is gone.
  func setRelays(_ relays: [RelayRoute])

  /// Sends the queued messages, closes the connection and ends ``events``. Idempotent.
  func close() async
}

extension GroupTransport {
  /// Nil, for transports whose connection is never lost.
  public var nextAttempt: HostTime? { nil }

  /// Does nothing, for transports whose subscriptions end with the connection.
  public func unsubscribe(from subject: String) {}

  /// Does nothing, for transports that use one relay only.
  public func setRelays(_ relays: [RelayRoute]) {}

  /// Subscribes to all messages to a subject.
  public func subscribe(to subject: String) async throws(TransportError) {
    try await subscribe(to: subject, group: nil)
  }
}

/// An event on a ``GroupTransport``.
public enum TransportEvent: Hashable, Sendable {
  /// The connection is up, for the first time or again, and all subscriptions are in place.
  case connected(server: String)
  /// The connection was lost; the transport is reconnecting.
  case disconnected(reason: String)
  /// A message arrived for one of the subscriptions.
  case received(TransportMessage)
  /// The broker or the library reported something that did not end the connection.
  case warning(String)
  /// The last event. The error is nil after ``GroupTransport/close()``.
  case closed(TransportError?)
}

/// A message as it came from the broker: opaque and untrusted.
public struct TransportMessage: Hashable, Sendable {
  /// The subject to which the message was published.
  public var subject: String
  /// The message's content.
  public var payload: [UInt8]
  /// The arrival time of the bytes, read as close to the socket as the transport can. The clock exchange
  /// depends on it.
  public var receivedAt: HostTime

  /// Creates a message.
  public init(subject: String, payload: [UInt8], receivedAt: HostTime) {
    self.subject = subject
    self.payload = payload
    self.receivedAt = receivedAt
  }
}

/// A failed transport operation.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason for which an operation failed.
  public enum Kind: Hashable, Sendable {
    /// No address answers, or the broker has stopped.
    case unreachable
    /// The broker doesn't admit the key, or doesn't permit the subscription.
    case refused
    /// There is no connection now; the message isn't kept for later.
    case notConnected
    /// The message exceeds the broker's limit.
    case payloadTooLarge
    /// Too many messages wait to be sent: send this one later.
    case slow
    /// The transport was closed, or can't be connected twice.
    case closed
    /// The subject isn't one, or a message was published to a pattern.
    case invalidSubject
    /// The server can't prove its identity, or requires clear text where that isn't allowed.
    case untrusted
  }

  /// The reason, for a program to decide on; ``description`` is for users.
  public let kind: Kind
  /// The attempted operation and the broker's or library's message, for users.
  public let description: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - kind: the kind, by which a program decides what to do.
  ///   - description: the attempted operation and the broker's or library's message, for users.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
