/// A relay in the middle and a line to every participant: which messages arrive, how often, and
/// when.
///
/// A line keeps its order, as a connection does. Messages of different senders overtake each other.
struct SimulatedNetwork {
  private let people: [Person]
  private var lanes: [Dice]
  private var lastArrival: [Nanoseconds]
  /// The current faults.
  private var active: [Fault] = []
  private var loss = 0.0
  private var duplication = 0.0
  private var jitter = Self.usualJitter
  /// The Boolean values that indicate whether one participant reaches the other, by lane.
  private var isOpen: [Bool]

  /// The jitter of a network without faults.
  static let usualJitter = Nanoseconds.milliseconds(2)

  init(_ people: [Person], seed: UInt64) {
    self.people = people
    lanes = people.flatMap { from in
      people.map { to in Dice(seed: seed, 5, UInt64(from.number), UInt64(to.number)) }
    }
    lastArrival = Array(repeating: 0, count: lanes.count)
    isOpen = Array(repeating: true, count: lanes.count)
  }

  mutating func begin(_ fault: Fault) {
    active.append(fault)
    update()
  }

  mutating func end(_ fault: Fault) {
    if let index = active.firstIndex(of: fault) { active.remove(at: index) }
    update()
  }

  private mutating func update() {
    loss = 0
    duplication = 0
    jitter = Self.usualJitter
    isOpen = Array(repeating: true, count: lanes.count)
    for fault in active {
      switch fault.kind {
      case .loss(let share): loss = max(loss, share)
      case .duplication(let share): duplication = max(duplication, share)
      case .jitter(let most): jitter = max(jitter, most)
      case .islands(let islands):
        close { from, to in !islands.contains { $0.contains(from) && $0.contains(to) } }
      case .mute(let mute):
        close { from, _ in mute.contains(from) }
      case .relayRestart, .disconnection, .frozen, .slowSeeks, .stall, .failure: break
      }
    }
  }

  private mutating func close(where isClosed: (_ from: Int, _ to: Int) -> Bool) {
    for (from, sender) in people.enumerated() {
      for (to, receiver) in people.enumerated() where isClosed(sender.number, receiver.number) {
        isOpen[from * people.count + to] = false
      }
    }
  }

  /// Returns whether two participants' machines reach each other, both ways.
  func isOpen(between a: Int, _ b: Int) -> Bool {
    isOpen[a * people.count + b] && isOpen[b * people.count + a]
  }

  /// Returns the delay from one participant to another on a free line.
  func delay(from: Int, to: Int) -> Nanoseconds { people[from].delayUp + people[to].delayDown }

  /// - Returns: the times when a message arrives, one for each copy.
  mutating func arrivals(from: Int, to: Int, at now: Nanoseconds) -> (Nanoseconds?, Nanoseconds?) {
    let lane = from * people.count + to
    guard isOpen[lane], loss == 0 || !lanes[lane].chance(loss) else { return (nil, nil) }
    let first = arrival(lane, from, to, at: now)
    guard duplication > 0, lanes[lane].chance(duplication) else { return (first, nil) }
    return (first, arrival(lane, from, to, at: now))
  }

  private mutating func arrival(
    _ lane: Int, _ from: Int, _ to: Int, at now: Nanoseconds
  ) -> Nanoseconds {
    let wait = lanes[lane].number(0...jitter)
    let arrival = max(now + delay(from: from, to: to) + wait, lastArrival[lane])
    lastArrival[lane] = arrival
    return arrival
  }
}
