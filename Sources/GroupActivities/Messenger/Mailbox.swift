import DequeModule
import Foundation
import Synchronization

/// A session's incoming messages by type: to those who read them, or kept for those who will.
final class Mailbox: Sendable {
  struct Reader: Sendable {
    /// The newest version of the type that it understands.
    var version: Int
    /// Whether it could take the message. Called under the mailbox's lock, which keeps the order.
    var read: @Sendable (Data, Participant) -> Bool
    var finish: @Sendable () -> Void

    fileprivate func take(_ letter: Letter) -> Bool {
      letter.version <= version && read(letter.data, letter.source)
    }
  }

  fileprivate struct Letter {
    var version: Int
    var data: Data
    var source: Participant
  }

  private struct State {
    var isClosed = false
    var nextID = 0
    var readers: [String: [Int: Reader]] = [:]
    var kept: [String: Deque<Letter>] = [:]
  }

  /// What is kept without a reader, for each type, and of types.
  private static let keptLimit = 64
  private static let typeLimit = 32

  private let state = Mutex(State())

  /// - Returns: false when somebody lost it: nobody could read it, or there was no room to keep it.
  func deliver(
    _ data: Data, type: String, version: Int, from source: Participant
  ) -> Bool {
    let letter = Letter(version: version, data: data, source: source)
    return state.withLock { state in
      guard !state.isClosed else { return true }
      if let readers = state.readers[type], !readers.isEmpty {
        return readers.values.reduce(true) { $1.take(letter) && $0 }
      }
      guard state.kept[type] != nil || state.kept.count < Self.typeLimit,
        state.kept[type]?.count ?? 0 < Self.keptLimit
      else { return false }
      state.kept[type, default: []].append(letter)
      return true
    }
  }

  /// - Returns: nil when the session is over; the reader has been told then.
  func add(_ reader: Reader, for type: String) -> Int? {
    let id: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.nextID += 1
      state.readers[type, default: [:]][state.nextID] = reader
      for letter in state.kept.removeValue(forKey: type) ?? [] { _ = reader.take(letter) }
      return state.nextID
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
        state.kept = [:]
      }
      return state.readers.values.flatMap(\.values)
    }
    for reader in readers { reader.finish() }
  }
}
