/// Future events, the earliest first. Of two events at one moment, the one that was inserted first
/// comes first.
struct EventHeap<Event> {
  /// The event itself stays in its place, since moving a large one to sort it would take longer than handling it.
  private struct Entry {
    var time: Nanoseconds
    var order: UInt64
    var place: Int
  }

  private var entries: [Entry] = []
  private var events: [Event?] = []
  private var freePlaces: [Int] = []
  private var order: UInt64 = 0

  var nextTime: Nanoseconds? { entries.first?.time }

  mutating func push(_ event: Event, at time: Nanoseconds) {
    order += 1
    let place = freePlaces.popLast() ?? events.count
    if place == events.count { events.append(event) } else { events[place] = event }
    entries.append(Entry(time: time, order: order, place: place))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard isEarlier(child, parent) else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  mutating func pop() -> (time: Nanoseconds, event: Event)? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      sink()
    }
    freePlaces.append(first.place)
    return events[first.place].take().map { (first.time, $0) }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      let left = 2 * parent + 1
      if left < entries.count, isEarlier(left, least) { least = left }
      if left + 1 < entries.count, isEarlier(left + 1, least) { least = left + 1 }
      guard least != parent else { return }
      entries.swapAt(least, parent)
      parent = least
    }
  }

  private func isEarlier(_ a: Int, _ b: Int) -> Bool {
    (entries[a].time, entries[a].order) < (entries[b].time, entries[b].order)
  }
}
