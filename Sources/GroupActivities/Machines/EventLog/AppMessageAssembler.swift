import Foundation

/// Assembles one sender's messages from their parts.
struct AppMessageAssembler: Hashable, Sendable {
  /// Messages with missing parts, oldest first.
  private var unfinished: [Unfinished] = []
  private let limit: Int

  private struct Unfinished: Hashable {
    var first: AppMessage
    var parts: [Int: Data]

    var heldBytes: Int {
      parts.values.reduce(256 + 32 * (first.recipients?.count ?? 0)) { $0 + $1.count }
    }
  }

  /// The memory of all parts, in bytes.
  var heldBytes: Int { unfinished.reduce(0) { $0 + $1.heldBytes } }

  /// Drops the message that was begun first.
  ///
  /// - Returns: false if there is none.
  mutating func dropOldest() -> Bool {
    guard !unfinished.isEmpty else { return false }
    unfinished.removeFirst()
    return true
  }

  /// - Parameter limit: the number of unfinished messages. One more displaces the oldest.
  init(limit: Int) { self.limit = limit }

  /// - Returns: the whole message after its last part; nil before that, and for a part that doesn't match
  ///   those before it.
  mutating func partReceived(_ message: AppMessage) -> AppMessage? {
    guard let part = message.part else { return message }
    guard
      let index = unfinished.firstIndex(where: { $0.first.part?.message == part.message })
    else {
      unfinished.append(Unfinished(first: message, parts: [part.index: message.data]))
      if unfinished.count > limit { unfinished.removeFirst() }
      return nil
    }
    guard unfinished[index].first.part?.count == part.count,
      unfinished[index].first.type == message.type
    else { return nil }
    unfinished[index].parts[part.index] = message.data
    guard unfinished[index].parts.count == part.count else { return nil }
    let finished = unfinished.remove(at: index)
    var whole = finished.first
    whole.part = nil
    whole.data = (0..<part.count).reduce(into: Data()) { $0 += finished.parts[$1] ?? Data() }
    return whole
  }
}
