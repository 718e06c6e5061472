import Foundation
import GroupActivities
import Timekeeping

@testable import Doors

/// A room of Syncplay's protocol as its own server keeps it, with one of its clients, Kim, and a member, Ana, over a slow
/// network. Time is an argument.
struct ModelRoom {
  /// A change of the member for the worse, which a checker has to find.
  struct Bug: Sendable {
    var name: String
    /// Changes a message of the member; nil loses it.
    var message: @Sendable (JSONValue) -> JSONValue? = { $0 }
    /// Returns whether the party carries out an order.
    var obeys: @Sendable (RoomPlayback.Order) -> Bool = { _ in true }
  }

  /// A person's view of the server's connection to it, and the person's last report.
  struct Seat {
    var serverCount = 0
    var clientCount = 0
    var position = MediaTime.zero
    var reportedAt = HostTime(nanoseconds: 0)
    var nextState = HostTime(nanoseconds: 0)
  }

  enum Person: String, CaseIterable { case kim = "Kim", ana = "Ana" }

  /// A message on its way.
  private struct Letter {
    var arrival: HostTime
    var to: Person?
    var by: Person
    var message: JSONValue
  }

  private(set) var now = HostTime(nanoseconds: 1_000_000_000)
  private var random: SeededGenerator
  private let bug: Bug
  private var letters: [Letter] = []

  // The server.
  private var isPaused = true
  private var position = MediaTime.zero
  private var updatedAt = HostTime(nanoseconds: 1_000_000_000)
  private var setBy: Person?
  private var seats: [Person: Seat] = [.kim: Seat(), .ana: Seat()]

  // Kim's client.
  private(set) var kim = SyncplayLine(date: HostTime(nanoseconds: 1_000_000_000))
  private var kimsCount = 0
  private var kimsServerCount: Double?

  // Ana's party.
  private(set) var ana = SyncplayLine(date: HostTime(nanoseconds: 1_000_000_000))
  private var start: HostTime?
  private var member: SyncplayMember
  /// The times of the orders that the room gave the party.
  private(set) var orders: [HostTime] = []

  init(seed: UInt64, with bug: Bug? = nil) {
    random = SeededGenerator(seed: seed)
    self.bug = bug ?? Bug(name: "none")
    let address = try! RoomAddress("syncplay://example.org/den")
    member = SyncplayMember(address, name: "Ana", requiresTLS: false, at: now)
    _ = member.begin(password: nil, at: now)
    _ = member.connected(at: now)
    for line in [
      #"{"TLS":{"startTLS":"false"}}"#, #"{"Hello":{"username":"Ana"}}"#,
      #"{"List":{"den":{"Kim":{"file":{"name":"f","duration":6000,"size":1}}}}}"#,
    ] {
      _ = member.received(Array(line.utf8), at: now)
    }
    _ = member.opened(SyncplayFile(name: "f", duration: 6000, size: "1"), at: now)
  }

  // MARK: - People

  enum Deed: CaseIterable { case play, pause, seek }

  /// A person does something at its player.
  ///
  /// - Returns: the position to which a jump goes.
  @discardableResult
  mutating func act(_ deed: Deed, by person: Person) -> MediaTime {
    let target = MediaTime(seconds: Double.random(in: 0...3000, using: &random))
    switch person {
    case .kim:
      let before = kim
      kim = SyncplayLine(
        position: deed == .seek ? target : kim.position(at: now), date: now,
        rate: deed == .seek ? kim.rate : deed == .play ? 1 : 0)
      guard kim.isPaused != before.isPaused || deed == .seek else { break }
      kimsCount += 1
      kimSays(seeks: deed == .seek)
    case .ana:
      let before = ana
      ana = SyncplayLine(
        position: deed == .seek ? target : ana.position(at: now), date: now,
        rate: deed == .seek ? ana.rate : deed == .play ? 1 : 0)
      guard ana.isPaused != before.isPaused || deed == .seek else { break }
      // A party starts a little later.
      if !ana.isPaused { begin(from: ana.position, after: .milliseconds(300)) }
      look()
      carryOut(member.changed(deed == .play ? .play : deed == .pause ? .pause : .seek, at: now))
    }
    return target
  }

  private mutating func begin(from position: MediaTime, after delay: Duration) {
    let date = now + delay
    (ana, start) = (SyncplayLine(position: position, date: date, rate: 1), date)
    look()
    carryOut(member.starts(at: date, now: now))
  }

  private mutating func look() {
    if let start, start <= now { self.start = nil }
    // Until its start a line's position doesn't move.
    let position = start == nil ? ana.position(at: now) : ana.position
    carryOut(
      member.moved(
        SyncplayLine(position: position, date: now, rate: ana.rate), isWaiting: start != nil,
        isLinked: true, at: now))
  }

  private mutating func carryOut(_ effects: [SyncplayMember.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let bytes):
        if let message = JSONValue(bytes.dropLast(2)).flatMap(bug.message) {
          post(message, by: .ana, to: nil)
        }
      case .order(let order):
        orders.append(now)
        guard bug.obeys(order) else { continue }
        let position = order.room.position(at: now)
        switch order.action {
        case .pause: (ana, start) = (SyncplayLine(position: position, date: now), nil)
        case .seek where order.room.isPaused:
          ana = SyncplayLine(position: position, date: now, rate: ana.rate)
        case .play, .seek:
          begin(from: order.room.position(at: now + .milliseconds(120)), after: .milliseconds(120))
        }
      case .connect, .disconnect, .secure, .entered, .refused, .peopleChanged, .said, .notice,
        .warning, .listed, .invited, .over:
        break
      }
    }
  }

  // MARK: - The network

  private mutating func post(_ message: JSONValue, by sender: Person, to receiver: Person?) {
    let last = letters.filter { $0.by == sender && $0.to == receiver }.map(\.arrival).max() ?? now
    let arrival = now + .milliseconds(Double.random(in: 5...80, using: &random))
    letters.append(
      Letter(arrival: max(arrival, last), to: receiver, by: sender, message: message))
  }

  /// Lets time pass.
  mutating func pass(_ duration: Duration) {
    let end = now + duration
    while now < end {
      now = now + .milliseconds(10)
      let due = letters.enumerated().filter { $0.element.arrival <= now }
        .sorted { ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset) }.map(\.element)
      letters.removeAll { $0.arrival <= now }
      for letter in due {
        switch letter.to {
        case nil: serve(letter.message, of: letter.by)
        case .kim: kimHears(letter.message)
        case .ana:
          look()
          carryOut(member.received(letter.message.line.dropLast(2), at: now))
        }
      }
      for person in Person.allCases where seats[person]!.nextState <= now {
        seats[person]!.nextState = now + .seconds(1)
        state(to: person, at: roomPosition())
      }
      look()
      if let deadline = member.nextDeadline, deadline <= now {
        carryOut(member.timerFired(at: now))
      }
    }
  }

  // MARK: - The server

  private func position(of person: Person) -> MediaTime {
    let seat = seats[person]!
    return seat.position + (isPaused ? .zero : now - seat.reportedAt)
  }

  private mutating func roomPosition() -> MediaTime {
    guard now - updatedAt > .seconds(1) else {
      return position + (isPaused ? .zero : now - updatedAt)
    }
    let slowest = position(of: .kim) < position(of: .ana) ? Person.kim : .ana
    (setBy, position, updatedAt) = (slowest, position(of: slowest), now)
    return position
  }

  private mutating func state(to person: Person, at position: MediaTime, seeks: Bool? = nil) {
    if seeks != nil { seats[person]!.serverCount += 1 }
    let (server, client) = (seats[person]!.serverCount, seats[person]!.clientCount)
    var counts: [String: JSONValue] = [:]
    if server > 0 { counts["server"] = .number(Double(server)) }
    if client > 0 { counts["client"] = .number(Double(client)) }
    seats[person]!.clientCount = 0
    guard server == 0 || seeks != nil else { return }
    let play: JSONValue = [
      "position": .number(position.seconds), "paused": .bool(isPaused),
      "doSeek": .bool(seeks ?? false), "setBy": setBy.map { .string($0.rawValue) } ?? .null,
    ]
    post(
      ["State": ["playstate": play, "ping": [:], "ignoringOnTheFly": .object(counts)]], by: .ana,
      to: person)
  }

  private mutating func serve(_ message: JSONValue, of person: Person) {
    guard let state = message["State"] else { return }
    let counts = state["ignoringOnTheFly"]
    if counts?["server"]?.number == Double(seats[person]!.serverCount) {
      seats[person]!.serverCount = 0
    }
    if let count = counts?["client"]?.number { seats[person]!.clientCount = Int(count) }
    guard seats[person]!.serverCount == 0, let play = state["playstate"] else { return }
    let paused = play["paused"]?.bool ?? isPaused
    let changes = paused != isPaused
    let seeks = play["doSeek"]?.bool == true
    if changes { (isPaused, setBy) = (paused, person) }
    seats[person]!.position = MediaTime(seconds: play["position"]?.number ?? 0)
    seats[person]!.reportedAt = now
    guard changes || seeks else { return }
    (position, updatedAt, setBy) = (position(of: person), now, person)
    for other in Person.allCases {
      seats[other]!.position = position
      seats[other]!.reportedAt = now
      self.state(to: other, at: position, seeks: seeks)
    }
  }

  // MARK: - Kim's client

  private mutating func kimSays(seeks: Bool, answers: Bool = false) {
    var counts: [String: JSONValue] = [:]
    if let count = kimsServerCount.take() { counts["server"] = .number(count) }
    if kimsCount > 0 { counts["client"] = .number(Double(kimsCount)) }
    var state: [String: JSONValue] = ["ignoringOnTheFly": .object(counts)]
    if !answers || kimsCount == 0 {
      state["playstate"] = [
        "position": .number(kim.position(at: now).seconds), "paused": .bool(kim.isPaused),
        "doSeek": .bool(seeks),
      ]
    }
    post(["State": .object(state)], by: .kim, to: nil)
  }

  private mutating func kimHears(_ message: JSONValue) {
    guard let state = message["State"], let play = state["playstate"] else { return }
    let counts = state["ignoringOnTheFly"]
    if let count = counts?["server"]?.number {
      (kimsServerCount, kimsCount) = (count, 0)
    } else if let count = counts?["client"]?.number, Int(count) == kimsCount {
      kimsCount = 0
    }
    if kimsCount == 0 { kimFollows(play) }
    kimSays(seeks: false, answers: true)
  }

  private mutating func kimFollows(_ play: JSONValue) {
    let position = MediaTime(seconds: play["position"]?.number ?? 0)
    let isOwn = play["setBy"]?.string == "Kim"
    let isPaused = play["paused"]?.bool ?? kim.isPaused
    let lead = kim.position(at: now) - position
    let jumps = !isOwn && (play["doSeek"]?.bool == true || lead > .seconds(4))
    let stops = !isOwn && isPaused && !kim.isPaused
    // A small lead is given up slowly.
    let isSlow = !jumps && !isOwn && lead > (kim.rate == 0.95 ? .seconds(0.1) : .seconds(1.5))
    kim = SyncplayLine(
      position: jumps || stops ? position : kim.position(at: now), date: now,
      rate: isPaused ? 0 : isSlow ? 0.95 : 1)
  }
}

/// Reproducible numbers.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
