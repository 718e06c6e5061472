import Concurrency
import DequeModule
import Timekeeping

/// An item that the transport delivered.
enum InboundItem: Sendable {
  case message(OpenedMessage)
  /// A message whose key isn't on the ring, perhaps because an earlier message that waits contains it.
  case sealed(SealedMessage)
  /// A message that couldn't be decrypted, or that arrived twice.
  case refused(EnvelopeError, count: Int = 1)
  case event(TransportEvent)
}

/// A decrypted message. Its heading is a claim: the signature isn't verified yet.
struct OpenedMessage: Sendable {
  /// The precedence of a message among all that wait.
  enum Lane: Hashable, Sendable {
    /// Chat, commands and changes of the party.
    case urgent
    case ordinary
    /// Pieces of files.
    case bulk
  }

  var heading: Envelope.Heading
  var lane: Lane
  var original: [UInt8]
  var subject: String
  var receivedAt: HostTime
  /// The length of the sealed message, in bytes.
  var size: Int
}

/// The messages that wait for this participant, in the order in which it processes them.
///
/// Verifying and processing a message costs many times as much as decrypting it. On a machine that is too slow for a
/// moment, messages that a person waits for therefore go first, and files go last. The messages of one sender keep
/// their order, except files, and no message overtakes a change of the connection. Every eighth turn belongs to
/// ordinary messages and another to files, so that a flood of urgent messages delays the rest but doesn't stop it.
struct InboundLanes: Sendable {
  /// The item whose turn it is.
  struct Turn: Sendable {
    var item: InboundItem
    /// The arrival of the oldest message that waited until now, this one included.
    var waitingSince: HostTime?
  }

  fileprivate struct Entry {
    var item: InboundItem
    var number: UInt64
    var lane: OpenedMessage.Lane
    var cost: Int
    var receivedAt: HostTime?
  }

  /// A message in the queue of its sender.
  fileprivate struct Ticket {
    var sender: Participant.ID?
    var number: UInt64
  }

  /// The messages between two changes of the connection.
  fileprivate struct Segment {
    /// Urgent and ordinary messages, in the order of their arrival. Items without a sender share a queue.
    var bySender: [Participant.ID?: Deque<Entry>] = [:]
    var urgent: Deque<Ticket> = []
    var ordered: Deque<Ticket> = []
    var bulk: Deque<Entry> = []
    var count = 0
    /// Messages without a sender, which are only counted: a flood of them takes no room.
    var refused: Deque<(error: EnvelopeError, count: Int)> = []
    /// The change of the connection that follows.
    var end: TransportEvent?
  }

  /// The bytes that may wait: of files, and separately of everything else.
  static let costLimit = 4 << 20
  /// The bytes of urgent messages that may wait beyond that.
  static let urgentReserve = 1 << 20
  private static let cycle: UInt64 = 8

  private var segments: Deque<Segment> = [Segment()]
  private var next: UInt64 = 0
  private var turns: UInt64 = 0
  private var cost = 0
  private var bulkCost = 0

  var isEmpty: Bool {
    segments.count == 1 && segments[0].count == 0 && segments[0].refused.isEmpty
  }

  /// - Returns: false if there was no room. The transport doesn't guarantee delivery either.
  @discardableResult
  mutating func put(_ item: InboundItem) -> Bool {
    var entry = Entry(item: item, number: next, lane: .ordinary, cost: 256)
    var sender: Participant.ID?
    switch item {
    case .event(let event) where event.changesConnection:
      segments[segments.count - 1].end = event
      segments.append(Segment())
      return true
    case .refused(let error, let count):
      segments[segments.count - 1].refuse(error, count)
      return true
    case .message(let message):
      sender = message.heading.sender
      entry.lane = message.lane
      entry.cost += message.original.count
      entry.receivedAt = message.receivedAt
    case .sealed(let message):
      entry.cost += message.payload.count
      entry.receivedAt = message.receivedAt
    case .event: break
    }
    switch entry.lane {
    case .bulk:
      guard bulkCost + entry.cost <= Self.costLimit else { return false }
      bulkCost += entry.cost
    case .ordinary:
      guard cost + entry.cost <= Self.costLimit else { return false }
      cost += entry.cost
    case .urgent:
      guard cost + entry.cost <= Self.costLimit + Self.urgentReserve else { return false }
      cost += entry.cost
    }
    next += 1
    segments[segments.count - 1].add(entry, of: sender)
    return true
  }

  /// - Returns: nil if nothing waits.
  mutating func take() -> Turn? {
    if let refused = segments[0].refused.popFirst() {
      return Turn(item: .refused(refused.error, count: refused.count), waitingSince: nil)
    }
    while segments.count > 1, segments[0].count == 0, segments[0].refused.isEmpty {
      let ended = segments.removeFirst()
      if let event = ended.end { return Turn(item: .event(event), waitingSince: nil) }
    }
    guard segments[0].count > 0 else { return nil }
    turns += 1
    let entry: Entry
    switch turns % Self.cycle {
    case 0: entry = segments[0].take(first: .ordinary)
    case 4: entry = segments[0].take(first: .bulk)
    default: entry = segments[0].take(first: .urgent)
    }
    if entry.lane == .bulk { bulkCost -= entry.cost } else { cost -= entry.cost }
    var oldest = entry.receivedAt
    oldest.bringForward(to: segments[0].oldest)
    return Turn(item: entry.item, waitingSince: oldest)
  }
}

extension InboundLanes.Segment {
  fileprivate mutating func add(_ entry: InboundLanes.Entry, of sender: Participant.ID?) {
    count += 1
    guard entry.lane != .bulk else { return bulk.append(entry) }
    let ticket = InboundLanes.Ticket(sender: sender, number: entry.number)
    bySender[sender, default: []].append(entry)
    ordered.append(ticket)
    if entry.lane == .urgent { urgent.append(ticket) }
    // Removes the tickets of messages that were taken by another ticket; the rest keep their order.
    if ordered.count > 2 * count + 64 { ordered = Deque(ordered.filter(isWaiting)) }
  }

  fileprivate mutating func refuse(_ error: EnvelopeError, _ count: Int) {
    if let index = refused.firstIndex(where: { $0.error == error }) {
      refused[index].count += count
    } else {
      refused.append((error, count))
    }
  }

  /// Takes the next entry, of the preferred lane if it has one. At least one entry must wait.
  fileprivate mutating func take(
    first preferred: OpenedMessage.Lane
  ) -> InboundLanes.Entry {
    while let ticket = ordered.first, !isWaiting(ticket) { ordered.removeFirst() }
    while let ticket = urgent.first, !isWaiting(ticket) { urgent.removeFirst() }
    count -= 1
    let sender: Participant.ID?
    switch preferred {
    case .bulk where !bulk.isEmpty: return bulk.removeFirst()
    case .urgent where !urgent.isEmpty, .bulk where !urgent.isEmpty: sender = urgent[0].sender
    case .urgent, .ordinary, .bulk:
      guard let ticket = ordered.first else { return bulk.removeFirst() }
      sender = ticket.sender
    }
    // The sender's oldest message, which may have to go before the urgent one.
    let entry = bySender[sender]!.removeFirst()
    if bySender[sender]!.isEmpty { bySender[sender] = nil }
    return entry
  }

  /// The arrival of the oldest message, besides pieces of files.
  fileprivate var oldest: HostTime? {
    ordered.first { isWaiting($0) }.flatMap { bySender[$0.sender]?.first?.receivedAt }
  }

  private func isWaiting(_ ticket: InboundLanes.Ticket) -> Bool {
    guard let first = bySender[ticket.sender]?.first else { return false }
    return first.number <= ticket.number
  }
}

extension TransportEvent {
  /// A Boolean value that indicates whether messages from before and after it must not change places.
  fileprivate var changesConnection: Bool {
    switch self {
    case .connected, .disconnected, .closed: true
    case .received, .warning: false
    }
  }
}
