import DequeModule
import Foundation
import GroupActivities
import Timekeeping

/// The pieces that other participants requested. They are served in turn, within a rate limit.
struct ServingQueue: Sendable {
  struct Item: Hashable, Sendable {
    var id: UUID
    var piece: Piece
  }

  private var waiting: [Participant.ID: Deque<Item>] = [:]
  /// The order in which participants are served.
  private var turns: Deque<Participant.ID> = []
  private var tokens: Double
  private var refilled: HostTime
  private let perSecond: Double
  private let burst: Double

  /// The limit of waiting pieces for each participant: more than its window.
  private static let limit = 64

  init(timing: JournalTiming, at now: HostTime) {
    perSecond = timing.servedPerSecond
    burst = timing.servedBurst
    tokens = burst
    refilled = now
  }

  /// The time at which ``next(at:)`` has a piece; nil while no participant waits.
  var dueAt: HostTime? {
    guard !turns.isEmpty else { return nil }
    // Several pieces are served per timer event, since an event for each would cost more than the piece.
    let lacking = max(0, min(4, burst) - tokens)
    return refilled + .nanoseconds(Int64((lacking / perSecond * 1e9).rounded(.up)))
  }

  /// Adds an item. It is dropped if it already waits or the participant's queue is full.
  ///
  /// - Parameter isUrgent: true to serve it before the participant's other items.
  mutating func add(_ item: Item, for id: Participant.ID, isUrgent: Bool) {
    var queue = waiting.removeValue(forKey: id) ?? []
    if queue.isEmpty { turns.append(id) }
    if isUrgent {
      queue.removeAll { $0 == item }
      if queue.count >= Self.limit { queue.removeLast() }
      queue.prepend(item)
    } else if queue.count < Self.limit, !queue.contains(item) {
      queue.append(item)
    }
    waiting[id] = queue
  }

  /// Removes a participant's items of an attachment.
  mutating func cancel(_ attachment: UUID, for id: Participant.ID) {
    waiting[id]?.removeAll { $0.id == attachment }
    if waiting[id]?.isEmpty == true { forget(id) }
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
