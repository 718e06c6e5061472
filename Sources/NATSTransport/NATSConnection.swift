import GroupActivities
import NATSProtocol
import Synchronization

/// One connection to one server, from its start to its end: it never reconnects.
final class NATSConnection: Sendable {
  let server: ServerAddress
  /// A Boolean value that indicates whether the server has proved its name, with TLS.
  let isVerified: Bool
  /// The broker's limit for one message, in bytes.
  let maximumPayload: Int
  /// The server's id, a new one at each of its starts.
  let serverID: String
  /// A Boolean value that indicates whether the server serves the page for browsers.
  let servesPage: Bool
  private let link: Link
  /// The numbers of the subscriptions on this connection.
  private let numbers = Mutex<(last: Int, of: [NATSSubscription: Int])>((0, [:]))

  var observer: ConnectionObserver { link.observer }

  /// Connects. Cancelling the task gives up at once.
  static func open(_ attempt: ConnectionAttempt) async throws(NATSError) -> NATSConnection {
    let link = attempt.link
    let result = await withTaskCancellationHandler {
      attempt.begin()
      return await link.opening.certainValue()
    } onCancel: {
      link.end(.closed)
    }
    return NATSConnection(to: attempt.server, link, try result.get())
  }

  private init(to server: ServerAddress, _ link: Link, _ opening: Link.Opening) {
    self.server = server
    self.link = link
    isVerified = opening.isVerified
    maximumPayload = opening.info.maximumPayload ?? ServerOperationParser.usualMessageLimit
    serverID = opening.info.identifier ?? ""
    servesPage = opening.info.servesPage
  }

  deinit { link.end(.closed) }

  /// Queues a message for sending, without waiting.
  ///
  /// - Throws: kind `slow` when the queue is full, `notConnected` after the end.
  func publish(_ payload: [UInt8], to subject: Subject) throws(TransportError) {
    try link.send(.publish(ClientMessage(subject: subject, payload: payload[...])))
  }

  /// Sends subscriptions, and waits until the server has them.
  ///
  /// - Returns: false if they may not have reached it.
  func place(_ subscriptions: [NATSSubscription]) async -> Bool {
    do throws(TransportError) {
      for subscription in subscriptions {
        let number = numbers.withLock { numbers in
          numbers.last += 1
          numbers.of[subscription] = numbers.last
          return numbers.last
        }
        try link.send(
          .subscribe(
            Subject(subscription.subject), group: subscription.group.map { Array($0.utf8) },
            sid: Array("\(number)".utf8)))
      }
    } catch {
      return false
    }
    return await flush(within: .seconds(5))
  }

  /// Ends a subscription. Messages that are on their way still arrive.
  func remove(_ subscription: NATSSubscription) {
    guard let number = numbers.withLock({ $0.of.removeValue(forKey: subscription) }) else { return }
    // A connection that has ended has no subscriptions.
    try? link.send(.unsubscribe(sid: Array("\(number)".utf8)))
  }

  /// Waits until the server has answered everything that was sent before. All messages that it had sent by then are in
  /// the transport's queue.
  ///
  /// - Returns: false if it didn't within the limit.
  @discardableResult
  func flush(within limit: Duration) async -> Bool { await link.flush(within: limit) }

  /// Returns the server's text if it refused a subscription to `subject`, otherwise nil.
  func refusal(ofSubscriptionTo subject: String) -> String? {
    link.refusal(ofSubscriptionTo: subject).map {
      PartyText.clean($0.text, limit: NATSError.textLimit)
    }
  }

  /// Returns the servers of the cluster that this one announced.
  func discoveredServers() -> [ServerAddress] {
    link.clusterAddresses.compactMap { server.member($0, isVerified: isVerified) }
  }

  /// Ends the connection. Idempotent.
  func close() { link.end(.closed) }
}

/// A subject to subscribe to, with an optional queue group.
struct NATSSubscription: Hashable, Sendable {
  var subject: String
  /// The queue group, in which one member gets each message; nil for none.
  var group: String?
}
