import Timekeeping

/// A relay that is one of several of its party.
extension BrokerHost {
  /// Stops listening, and announces to clients that this server is about to stop, so that they look for another one.
  func announceDeparture() {
    guard !isShuttingDown else { return }
    stopListening()
    broker.announceShutdown()
    performSoon()
  }

  /// The number of admitted clients with a socket.
  var clientCount: Int {
    let statistics = broker.statistics
    return max(
      0, statistics.connections - statistics.unprovenConnections - attachments.count)
  }

  /// The subjects to which clients with a socket are subscribed, without patterns.
  var clientSubjects: Set<String> {
    var subjects: Set<String> = []
    for id in broker.subscriptions.ids {
      let subscription = broker.subscriptions[id]
      guard attachments[subscription.connection] == nil, subscription.subject.isLiteral else {
        continue
      }
      subjects.insert(subscription.subject.description)
    }
    return subjects
  }
}
