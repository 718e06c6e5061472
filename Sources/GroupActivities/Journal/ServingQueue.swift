import DequeModule
import Foundation
import Timekeeping

/// What others asked for, given to them in turn and no faster than the budget for it.
struct ServingQueue: Sendable {
  struct Item: Hashable, Sendable {
    var id: UUID
    var piece: Piece
  }

  private var waiting: [Participant.ID: Deque<Item>] = [:]
  /// Whose turn it is.
  private var turns: Deque<Participant.ID> = []
  private var tokens: Double
  private var refilled: HostTime
  private let perSecond: Double
  private let burst: Double

  /// For each who asks: more than its window.
  private static let limit = 64

  init(timing: JournalTiming, at now: HostTime) {
    perSecond = timing.servedPerSecond
    burst = timing.servedBurst
    tokens = burst
    refilled = now
  }

  /// When ``next(at:)`` has something; nil while nobody waits.
  var dueAt: HostTime? {
    guard !turns.isEmpty else { return nil }
    // A few at once: an alarm for each would cost more than the piece.
    let lacking = max(0, min(4, burst) - tokens)
    return refilled + .nanoseconds(Int64((lacking / perSecond * 1e9).rounded(.up)))
  }

  /// - Returns: false for what waits already, or when too much does.
  mutating func add(_ item: Item, for id: Participant.ID) -> Bool {
    let queue = waiting[id, default: []]
    guard queue.count < Self.limit, !queue.contains(item) else { return false }
    if queue.isEmpty { turns.append(id) }
    waiting[id, default: []].append(item)
    return true
  }

  mutating func forget(_ id: Participant.ID) {
    waiting[id] = nil
    turns.removeAll { $0 == id }
  }

  mutating func removeAll() {
    waiting = [:]
    turns = []
  }

  mutating func next(at now: HostTime) -> (Participant.ID, Item)? {
    tokens = min(burst, tokens + max(0, (now - refilled).inSeconds) * perSecond)
    refilled = now
    guard tokens >= 1, let id = turns.popFirst(), let item = waiting[id]?.popFirst() else {
      return nil
    }
    tokens -= 1
    if waiting[id]?.isEmpty == true { waiting[id] = nil } else { turns.append(id) }
    return (id, item)
  }
}
