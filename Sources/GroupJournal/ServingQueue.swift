import DequeModule
import Foundation
import GroupActivities
import Timekeeping

/// The pieces that other participants requested. They are served in turn, within a rate limit.
///
/// A piece that several participants request, or will request soon, is sent once to all that listen to the attachment's
/// topic.
struct ServingQueue: Sendable {
  struct Item: Hashable, Sendable {
    var id: UUID
    var piece: Piece
  }

  /// A piece to send now.
  struct Portion: Hashable, Sendable {
    var item: Item
    /// The participants that wait for it.
    var askers: [Participant.ID]
    /// A Boolean value that indicates whether it goes to all that listen.
    var isShared: Bool
  }

  /// A participant that hears the messages to an attachment's topic.
  private struct Listener: Sendable {
    /// The last chunk that it requested.
    var front: Int
    var requestedAt: HostTime
  }

  private var waiting: [Participant.ID: Deque<Item>] = [:]
  /// The order in which participants are served.
  private var turns: Deque<Participant.ID> = []
  private var listeners: [UUID: [Participant.ID: Listener]] = [:]
  /// The pieces that were sent to all listeners a moment ago, with those whose request for it has been answered.
  private var shared: [Item: (at: HostTime, answered: Set<Participant.ID>)] = [:]
  private var tokens: Double
  private var refilled: HostTime
  private let perSecond: Double
  private let burst: Double

  /// The limit of waiting pieces for each participant: more than its window.
  private static let limit = 64
  /// The distances at which a listener lags behind: 1 MiB, and at which it is elsewhere: 16 MiB.
  private static let lag = 32
  private static let farness = 512
  /// The time for which a listener's request counts.
  private static let attention = Duration.seconds(2)
  /// The time in which a listener's request may have crossed the piece.
  private static let crossing = Duration.milliseconds(500)

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

  /// Notes whether a participant listens, and its position.
  mutating func requested(
    _ request: JournalMessage.Request, by id: Participant.ID, at now: HostTime
  ) {
    if request.isReplacing { cancel(request.id, for: id) }
    guard request.isListening else {
      listeners[request.id]?[id] = nil
      return
    }
    let front = request.level == 0 ? request.indices.last : nil
    let before = listeners[request.id]?[id]?.front
    listeners[request.id, default: [:]][id] = Listener(
      front: front ?? before ?? 0, requestedAt: now)
  }

  /// Adds an item. It is dropped if it already waits, was just sent to all listeners, or the participant's queue is full.
  ///
  /// - Parameter isUrgent: true to serve it before the participant's other items.
  mutating func add(_ item: Item, for id: Participant.ID, isUrgent: Bool, at now: HostTime) {
    if listeners[item.id]?[id] != nil, let sent = shared[item], now < sent.at + Self.crossing,
      shared[item]?.answered.insert(id).inserted == true
    {
      return
    }
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

  private mutating func cancel(_ attachment: UUID, for id: Participant.ID) {
    remove(for: id) { $0.id == attachment }
  }

  private mutating func remove(for id: Participant.ID, where isMeant: (Item) -> Bool) {
    waiting[id]?.removeAll(where: isMeant)
    guard waiting[id]?.isEmpty == true else { return }
    waiting[id] = nil
    turns.removeAll { $0 == id }
  }

  mutating func forget(_ id: Participant.ID) {
    remove(for: id) { _ in true }
    for attachment in listeners.keys { listeners[attachment]?[id] = nil }
  }

  mutating func removeAll() {
    waiting = [:]
    turns = []
    listeners = [:]
    shared = [:]
  }

  mutating func next(at now: HostTime) -> Portion? {
    tokens = min(burst, tokens + max(0, (now - refilled).inSeconds) * perSecond)
    refilled = now
    guard tokens >= 1, let id = turns.popFirst(), let item = waiting[id]?.popFirst() else {
      return nil
    }
    tokens -= 1
    if waiting[id]?.isEmpty == true { waiting[id] = nil } else { turns.append(id) }
    var portion = Portion(item: item, askers: [id], isShared: false)
    let listeners = (listeners[item.id] ?? [:]).filter {
      now < $0.value.requestedAt + Self.attention
    }
    // A listener whose link is slower than the others' would be flooded. It catches up, or stops listening soon.
    guard listeners[id] != nil, !listeners.values.contains(where: { lags($0, behind: item.piece) })
    else { return portion }
    for other in turns where other != id && listeners[other] != nil {
      guard waiting[other]?.contains(item) == true else { continue }
      portion.askers.append(other)
    }
    for other in portion.askers { remove(for: other) { $0 == item } }
    portion.isShared =
      portion.askers.count > 1
      || listeners.contains { $0.key != id && isSoonNeeded(item.piece, by: $0.value) }
    if portion.isShared {
      shared = shared.filter { now < $0.value.at + Self.crossing }
      shared[item] = (now, Set(portion.askers))
    }
    return portion
  }

  private func lags(_ listener: Listener, behind piece: Piece) -> Bool {
    piece.level == 0
      && (listener.front + Self.lag...listener.front + Self.farness).contains(piece.index)
  }

  private func isSoonNeeded(_ piece: Piece, by listener: Listener) -> Bool {
    piece.level == 0
      && (listener.front + 1..<listener.front + Self.lag).contains(piece.index)
  }
}
