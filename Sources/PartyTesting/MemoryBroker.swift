import GroupActivities
import Synchronization
import Timekeeping

/// A broker in memory, of the worst kind for its users: it keeps everything that it ever carried.
///
/// It is for tests of one process. Nothing bounds ``traffic``.
public final class MemoryBroker: Sendable {
  private struct State: Sendable {
    var members: [Int: Member] = [:]
    var nextID = 0
    var traffic: [TransportMessage] = []
  }

  private struct Member: Sendable {
    var subjects: Set<String> = []
    /// The subjects of a group subscription, of which one member gets each message.
    var shared: Set<String> = []
    var isUp = false
    var inbox: AsyncStream<TransportEvent>.Continuation
  }

  private let state = Mutex(State())

  /// All messages that were ever published, in order.
  public var traffic: [TransportMessage] { state.withLock { $0.traffic } }

  /// Creates a broker without participants.
  public init() {}

  /// Returns a new participant's connection, which isn't connected yet.
  public func transport() -> MemoryTransport {
    let (events, inbox) = AsyncStream.makeStream(
      of: TransportEvent.self, bufferingPolicy: .bufferingOldest(1 << 16))
    let id = state.withLock { state in
      state.nextID += 1
      state.members[state.nextID] = Member(inbox: inbox)
      return state.nextID
    }
    return MemoryTransport(broker: self, id: id, events: events)
  }

  fileprivate func setUp(_ id: Int, _ isUp: Bool) {
    state.withLock { state in
      state.members[id]?.isUp = isUp
      let event: TransportEvent =
        isUp ? .connected(server: "memory") : .disconnected(reason: "cut")
      state.members[id]?.inbox.yield(event)
    }
  }

  fileprivate func subscribe(_ id: Int, to subject: String, group: String?) {
    state.withLock { state in
      if group == nil {
        _ = state.members[id]?.subjects.insert(subject)
      } else {
        _ = state.members[id]?.shared.insert(subject)
      }
    }
  }

  fileprivate func unsubscribe(_ id: Int, from subject: String) {
    state.withLock { _ = $0.members[id]?.subjects.remove(subject) }
  }

  fileprivate func publish(
    _ payload: [UInt8], to subject: String, from id: Int
  ) throws(TransportError) {
    guard payload.count <= 65536 else { throw TransportError(.payloadTooLarge, "over 64 KiB") }
    let message = TransportMessage(subject: subject, payload: payload, receivedAt: .now())
    let isSent = state.withLock { state in
      guard state.members[id]?.isUp == true else { return false }
      state.traffic.append(message)
      for (other, member) in state.members
      where other != id && member.isUp && member.subjects.contains(subject) {
        member.inbox.yield(.received(message))
      }
      state.members.filter { $0.key != id && $0.value.isUp && $0.value.shared.contains(subject) }
        .randomElement()?.value.inbox.yield(.received(message))
      return true
    }
    if !isSent { throw TransportError(.notConnected, "the link is cut") }
  }

  fileprivate func close(_ id: Int) {
    let member = state.withLock { $0.members.removeValue(forKey: id) }
    member?.inbox.yield(.closed(nil))
    member?.inbox.finish()
  }
}

/// One connection to a ``MemoryBroker``.
public final class MemoryTransport: GroupTransport {
  private let broker: MemoryBroker
  private let id: Int
  /// The connection's events, at most 65,536 unread ones.
  public let events: AsyncStream<TransportEvent>

  fileprivate init(broker: MemoryBroker, id: Int, events: AsyncStream<TransportEvent>) {
    self.broker = broker
    self.id = id
    self.events = events
  }

  /// Connects at once.
  public func connect() async throws(TransportError) { broker.setUp(id, true) }

  /// Subscribes to exactly this subject.
  public func subscribe(to subject: String, group: String?) async throws(TransportError) {
    broker.subscribe(id, to: subject, group: group)
  }

  /// Ends a subscription.
  public func unsubscribe(from subject: String) { broker.unsubscribe(id, from: subject) }

  /// Delivers a message to all other connections that subscribed to the subject.
  ///
  /// - Throws: kind `payloadTooLarge` over 64 KiB, `notConnected` after ``cut()``.
  public func publish(_ payload: [UInt8], to subject: String) throws(TransportError) {
    try broker.publish(payload, to: subject, from: id)
  }

  /// Ends the connection.
  public func close() async { broker.close(id) }

  /// Cuts the connection. What is published meanwhile is lost.
  public func cut() { broker.setUp(id, false) }

  /// Restores the connection after ``cut()``.
  public func restore() { broker.setUp(id, true) }
}
