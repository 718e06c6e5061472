import Timekeeping

/// The latest lines of the chat, which show over the picture while the chat isn't visible.
struct FreshChat: Hashable, Sendable {
  private static let life = Duration.seconds(8)
  static let maximumCount = 3

  private struct Arrival: Hashable, Sendable {
    var id: ChatEntry.ID
    var until: HostTime
  }

  private var arrivals: [Arrival] = []

  var nextChange: HostTime? { arrivals.first?.until }

  mutating func add(_ entries: some Sequence<ChatEntry>, at now: HostTime) {
    for entry in entries { arrivals.append(Arrival(id: entry.id, until: now + Self.life)) }
    arrivals = arrivals.suffix(Self.maximumCount)
  }

  mutating func advance(to now: HostTime) { arrivals.removeAll { now >= $0.until } }

  func entries(of chat: [ChatEntry]) -> [ChatEntry] {
    guard let first = arrivals.first else { return [] }
    return chat.suffix(Self.maximumCount).filter { $0.id >= first.id }
  }
}
