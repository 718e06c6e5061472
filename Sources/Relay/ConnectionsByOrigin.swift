import DequeModule

/// Connections that make room for others, by origin: those that haven't proved a key yet, or that have subscribed to
/// nothing.
///
/// If one has to go, it is the oldest of the origin that has most of them: an attacker with many connections ends
/// its own, and the others keep the time that they need.
struct ConnectionsByOrigin: Sendable {
  private var byOrigin: [Origin: Deque<ConnectionID>] = [:]
  private(set) var count = 0

  func count(of origin: Origin) -> Int { byOrigin[origin]?.count ?? 0 }

  mutating func add(_ id: ConnectionID, of origin: Origin) {
    byOrigin[origin, default: []].append(id)
    count += 1
  }

  mutating func remove(_ id: ConnectionID, of origin: Origin) {
    guard let index = byOrigin[origin]?.firstIndex(of: id) else { return }
    byOrigin[origin]!.remove(at: index)
    if byOrigin[origin]!.isEmpty { byOrigin[origin] = nil }
    count -= 1
  }

  /// The oldest connection of one origin.
  func oldest(of origin: Origin) -> ConnectionID? { byOrigin[origin]?.first }

  /// The connection to end first; nil if there is none.
  var dispensable: ConnectionID? {
    // Among origins that have as many, the one that has waited longest.
    byOrigin.values.max {
      ($0.count, $1.first!.number) < ($1.count, $0.first!.number)
    }?.first
  }
}
