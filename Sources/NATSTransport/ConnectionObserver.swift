import Concurrency
import GroupActivities
import NATSProtocol
import Synchronization
import Timekeeping

/// The receiver of one connection's messages and ends, which turns them into the transport's events.
///
/// The event loop calls it; it only copies and queues.
final class ConnectionObserver: Sendable {
  private let queue: BoundedInbox<TransportEvent>
  private let recent: RecentMessages
  private let turns: AsyncStream<Turn>
  private let turnsContinuation: AsyncStream<Turn>.Continuation
  private let isLeaving = Atomic(false)
  private let lastReport = Mutex<(text: String, time: HostTime)?>(nil)

  /// A change of the connection's state.
  enum Turn: Sendable {
    /// The server announced that it is about to stop; the connection still works.
    case leaving
    /// It is time to leave that server.
    case departure
    /// A better relay of the party answers, over this connection.
    case better(NATSConnection)
    /// The connection ended, for this reason. All later turns are ignored.
    case over(String)
  }

  init(queue: BoundedInbox<TransportEvent>, recent: RecentMessages) {
    self.recent = recent
    self.queue = queue
    // Three turns come once; a better relay is found again only after the supervisor has tried it.
    (turns, turnsContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(16))
  }

  /// Waits for the next turn, for one caller at a time.
  ///
  /// - Returns: nil if the caller was cancelled.
  func turn() async -> Turn? {
    for await turn in turns { return turn }
    return nil
  }

  func received(_ message: ServerMessage, at time: HostTime) {
    let subject = "\(message.subject)"
    let payload = Array(message.payload)
    guard recent.noteReceived(payload, of: subject) else { return }
    let cost = payload.count + 256
    queue.put(
      .received(TransportMessage(subject: subject, payload: payload, receivedAt: time)), cost: cost)
  }

  /// Queues a warning for an error that left the connection open. The same text counts once a second.
  func reported(_ text: String, at time: HostTime = .now()) {
    let isNews = lastReport.withLock { last in
      if let last, last.text == text, time - last.time < .seconds(1) { return false }
      last = (text, time)
      return true
    }
    if isNews { queue.put(.warning(text), cost: text.utf8.count + 256) }
  }

  /// Notes that the server is about to stop. The server repeats this in every later INFO.
  func leaving() {
    if !isLeaving.exchange(true, ordering: .acquiringAndReleasing) {
      turnsContinuation.yield(.leaving)
    }
  }

  /// A better relay answers. It is noted once for each connection.
  func foundBetter(_ next: NATSConnection) { turnsContinuation.yield(.better(next)) }

  func departureIsDue() { turnsContinuation.yield(.departure) }

  /// Ends the connection. The first reason given counts.
  func closed(reason: String) { turnsContinuation.yield(.over(reason)) }
}
