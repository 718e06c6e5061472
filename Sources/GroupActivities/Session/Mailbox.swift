import Foundation
import Synchronization

/// A session's incoming messages by type: delivered to readers, or kept for future ones.
final class Mailbox: Sendable {
  struct Reader: Sendable {
    /// The newest version of the type that it understands.
    var version: Int
    /// Reads a message; returns whether it could. It is called under the mailbox's lock for deliveries, which keeps the
    /// order.
    var read: @Sendable (Data, Participant) -> Bool
    var finish: @Sendable () -> Void

    fileprivate func deliver(_ message: UnreadMessages.Message) -> Bool {
      message.version <= version && read(message.data, message.source)
    }
  }

  private struct State {
    var isClosed = false
    var nextID = 0
    var readers: [String: [Int: Reader]] = [:]
    var kept = UnreadMessages()
  }

  private let state = Mutex(State())
  /// Held while messages are delivered, so that each reader gets them in order. It isn't the lock of ``state``:
  /// delivering a message locks the record of the task that waits for it, and cancelling that task holds the record
  /// while it removes the reader.
  private let delivery = Mutex(())

  /// - Returns: false if a reader could not read the message, or there was no room to keep it.
  func deliver(
    _ data: Data, type: String, version: Int, from source: Participant
  ) -> Bool {
    let message = UnreadMessages.Message(type: type, version: version, data: data, source: source)
    return delivery.withLock { _ in
      let (readers, isKept) = state.withLock { state -> ([Reader], Bool) in
        guard !state.isClosed else { return ([], true) }
        if let readers = state.readers[type], !readers.isEmpty {
          return (Array(readers.values), true)
        }
        return ([], state.kept.keep(message))
      }
      return readers.reduce(isKept) { $1.deliver(message) && $0 }
    }
  }

  /// - Returns: nil when the session is over; the reader has been finished then.
  func add(_ reader: Reader, for type: String) -> Int? {
    let id: Int? = delivery.withLock { _ in
      let (id, kept) = state.withLock { state -> (Int?, [UnreadMessages.Message]) in
        guard !state.isClosed else { return (nil, []) }
        state.nextID += 1
        state.readers[type, default: [:]][state.nextID] = reader
        return (state.nextID, state.kept.take(type))
      }
      for message in kept { _ = reader.deliver(message) }
      return id
    }
    if id == nil { reader.finish() }
    return id
  }

  func remove(_ id: Int, for type: String) {
    state.withLock { $0.readers[type]?[id] = nil }
  }

  func close() {
    let readers = state.withLock { state in
      state.isClosed = true
      defer {
        state.readers = [:]
        state.kept = UnreadMessages()
      }
      return state.readers.values.flatMap(\.values)
    }
    for reader in readers { reader.finish() }
  }
}
