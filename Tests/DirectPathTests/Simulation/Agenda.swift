/// Future events. Of two events at one moment, the one that was added first comes first.
struct Agenda<Event> {
  private var groups: [Nanoseconds: [Event]] = [:]
  /// The times of the groups, the latest first.
  private var times: [Nanoseconds] = []

  mutating func add(_ event: Event, at time: Nanoseconds) {
    if groups[time] == nil {
      // Most events are near, and so at the end.
      var index = times.count
      while index > 0, times[index - 1] < time { index -= 1 }
      times.insert(time, at: index)
    }
    groups[time, default: []].append(event)
  }

  /// Takes all events of the next moment.
  mutating func next() -> (time: Nanoseconds, events: [Event])? {
    guard let time = times.popLast(), let events = groups.removeValue(forKey: time) else {
      return nil
    }
    return (time, events)
  }
}
