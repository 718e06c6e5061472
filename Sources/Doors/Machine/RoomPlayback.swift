import GroupActivities
import Timekeeping

/// The playback of a room of Syncplay's protocol, as a member with a party follows and changes it.
///
/// The room changes the party only by what a person in it does. Its server takes the member that is furthest behind as the
/// reference, so the reports are true once the party has followed, and the room's own positions until then.
struct RoomPlayback: Sendable {
  /// A command of a person in the room.
  struct Order: Hashable, Sendable {
    enum Action: Hashable, Sendable { case play, pause, seek }

    var action: Action
    /// The room's positions.
    var room: SyncplayLine
    /// The name of the person; nil if the room doesn't say.
    var by: String?
  }

  /// The room's positions; nil before its first state.
  private(set) var room: SyncplayLine?
  private var setBy: String?
  private var party = SyncplayLine()
  /// A Boolean value that indicates whether the party waits for participants before it starts.
  private var isWaiting = false
  /// A Boolean value that indicates whether the party has a film, and can be commanded.
  private var isLinked = false
  /// A Boolean value that indicates whether the party is paused at its film's end, which may be earlier than others'.
  private var isAtEnd = false
  /// A Boolean value that indicates whether the party and the room have met since both are there.
  private var hasMet = false
  /// A Boolean value that indicates whether the room goes to the party when they meet.
  private var leads = false
  private var isBack = false

  /// The commands of the party that the room doesn't have.
  private var unsent: (seeks: Bool, since: HostTime)?
  /// The time at which the party's start has to leave for the room.
  private var start: HostTime?
  private var counter = 0
  /// The number of the change that the server hasn't returned.
  private var unreturned: Int?
  /// The server's number, which goes back to it once.
  private var serverCount: Int?

  /// The time at which the party was sent to the room's position, while it isn't there.
  private var sentThere: HostTime?
  /// The time until which the party may be elsewhere, because a command is being carried out.
  private var settled = HostTime(nanoseconds: 0)
  private var offSince: HostTime?

  /// The distance at which the party counts as at the room's position.
  private static let nearness = Duration.seconds(1)
  private static let beginning = MediaTime(seconds: 2)
  private static let leastJump = Duration.milliseconds(500)
  private static let settlingTime = Duration.seconds(2)
  private static let retryTime = Duration.seconds(5)
  /// The longest that the room waits for a jump, until the party plays on.
  private static let jumpPatience = Duration.seconds(3)
  /// The leads that Syncplay's clients correct: the one with a jump, and the other by playing slowly. While paused, a jump
  /// doesn't disturb.
  private static let lead = (
    jump: Duration.seconds(4), small: Duration.seconds(1.5), paused: Duration.milliseconds(150)
  )
  /// The time by which a client's player is behind the position that the client says: it takes the time of its last question
  /// for the time at which its user started the player, and the target of a jump for the player's position.
  private static let lag = (start: Duration.milliseconds(60), jump: Duration.milliseconds(70))
  private static let patience = Duration.seconds(3)
  private static let latest = 604_800.0

  // MARK: - The room

  /// The server sent a state.
  ///
  /// - Parameters:
  ///   - delay: the time that it took.
  ///   - name: this member's own name in the room.
  ///   - people: the others in the room.
  mutating func received(
    _ state: JSONValue, delay: Duration, name: String, people: RoomPeople, at now: HostTime
  ) -> [Order] {
    let counts = state["ignoringOnTheFly"]
    if let count = counts?["server"]?.number {
      // The server's change prevails over one that is under way to it.
      (serverCount, unreturned) = (Int(clampingRounded: count), nil)
    } else if let count = counts?["client"]?.number, count == unreturned.map(Double.init) {
      unreturned = nil
    }
    guard unreturned == nil, let play = state["playstate"], let isPaused = play["paused"]?.bool,
      let seconds = play["position"]?.number
    else { return [] }
    let position = MediaTime(seconds: min(max(0, seconds), Self.latest))
    let before = room
    room = SyncplayLine(
      position: isPaused ? position : position + delay, date: now, rate: isPaused ? 0 : 1)
    setBy = play["setBy"]?.string
    // The server takes the member that is furthest behind as the reference, also one that is about to come forward.
    let isOpening = people.isOpening(setBy, at: now)
    let hasOthers = people.haveFilm && !isOpening
    guard isLinked else { return [] }
    guard hasMet, let before else { return meet(hasOthers: hasOthers, at: now) }
    guard setBy != nil, setBy != name else {
      return compared(isOwn: true, hasOthers: hasOthers, at: now)
    }
    // A client announces a jump of its user from one second on; what is smaller is its way to the room's position.
    let jump = position - before.position(at: now)
    let seeks = play["doSeek"]?.bool == true && jump.magnitude >= Self.leastJump
    guard !seeks || !isOpening || position >= Self.beginning else {
      // Its client takes a film's beginning for a jump of its user.
      unsent = (seeks: true, since: now)
      return []
    }
    let orders = orders(
      seeks: seeks, changesPause: before.isPaused != isPaused,
      lag: seeks ? Self.lag.jump : Self.lag.start)
    guard orders.isEmpty else {
      (unsent, offSince, isAtEnd, settled) = (nil, nil, false, now + Self.settlingTime)
      return orders
    }
    return compared(isOwn: false, hasOthers: hasOthers, at: now)
  }

  /// Returns the orders by which the party does what the room did.
  private func orders(seeks: Bool, changesPause: Bool, lag: Duration = .zero) -> [Order] {
    guard var room else { return [] }
    if !room.isPaused { room.position = max(.zero, room.position - lag) }
    // A start takes the party to the room's position by itself.
    let starts = changesPause && !room.isPaused && party.isPaused
    let pauses = changesPause && room.isPaused
    let actions: [Order.Action] =
      starts ? [.play] : (seeks ? [.seek] : []) + (pauses ? [.pause] : [])
    return actions.map { Order(action: $0, room: room, by: setBy) }
  }

  /// The party and the room begin to watch together: the party goes to the room, or leads it if there is no other with a
  /// film, and after it has led it before.
  private mutating func meet(hasOthers: Bool, at now: HostTime) -> [Order] {
    hasMet = true
    defer { leads = false }
    guard hasOthers, !isBack || setBy != nil, !leads else {
      unsent = (seeks: true, since: now)
      return []
    }
    // A start or a pause of the user just before goes to the room, if both are at the same position.
    guard unsent?.seeks != false || distance(at: now).magnitude >= Self.nearness else { return [] }
    return goThere(at: now)
  }

  private mutating func goThere(at now: HostTime) -> [Order] {
    guard let room else { return [] }
    let isNear = distance(at: now).magnitude < Self.nearness
    guard !isNear || party.isPaused != room.isPaused else {
      sentThere = nil
      return []
    }
    (sentThere, settled, unsent) = (now, now + Self.settlingTime, nil)
    return orders(seeks: !isNear, changesPause: party.isPaused != room.isPaused)
  }

  /// Returns the party's lead.
  private func distance(at now: HostTime) -> Duration {
    party.position(at: now) - (room?.position(at: now) ?? .zero)
  }

  /// Compares the party with the room, and corrects what Syncplay's own clients correct.
  private mutating func compared(isOwn: Bool, hasOthers: Bool, at now: HostTime) -> [Order] {
    if let sentThere {
      let isThere =
        distance(at: now).magnitude < Self.nearness && party.isPaused == room?.isPaused
      if isThere { self.sentThere = nil }
      return isThere || now - sentThere < Self.retryTime ? [] : goThere(at: now)
    }
    guard let room, unsent == nil, now >= settled, !isWaiting, !isAtEnd else {
      offSince = nil
      return []
    }
    let lead = isOwn ? .zero : distance(at: now)
    let differs = party.isPaused != room.isPaused
    let limit = room.isPaused && party.isPaused ? Self.lead.paused : Self.lead.small
    guard differs || lead > limit else {
      offSince = nil
      return []
    }
    let since = offSince ?? now
    offSince = since
    guard lead > Self.lead.jump || now - since >= Self.patience else { return [] }
    offSince = nil
    guard hasOthers else {
      unsent = (seeks: true, since: now)
      return []
    }
    settled = now + Self.settlingTime
    return orders(seeks: lead > limit, changesPause: differs)
  }

  // MARK: - The party

  /// The party's playback, as of now.
  ///
  /// - Parameter isLinked: whether it has a film, and can be commanded.
  mutating func moved(_ party: SyncplayLine, isWaiting: Bool, isLinked: Bool) {
    (self.party, self.isWaiting, self.isLinked) = (party, isWaiting, isLinked)
  }

  /// A participant that isn't of the room changed the party's playback.
  mutating func changed(seeks: Bool, at now: HostTime) {
    unsent = (seeks: seeks || unsent?.seeks == true, since: now)
    (isAtEnd, sentThere) = (false, nil)
  }

  /// The party starts soon. Its start has to leave for the room at this time, so that both start together.
  mutating func starts(at date: HostTime) { start = date }

  /// The party's film is over.
  mutating func ended() { isAtEnd = true }

  /// The party's film is another one.
  mutating func filmChanged() { (hasMet, sentThere, isAtEnd, unsent) = (false, nil, false, nil) }

  /// The room is entered again.
  mutating func comesBack(leading leads: Bool) { self.leads = leads }

  /// The connection is a new one.
  mutating func reset() {
    (room, setBy, unreturned, serverCount, offSince) = (nil, nil, nil, nil, nil)
    (isBack, hasMet, sentThere) = (hasMet || isBack, false, nil)
  }

  /// The time at which the room gets a change that still waits.
  var nextDeadline: HostTime? {
    guard unreturned == nil, isWaiting, let unsent else { return nil }
    let latest = unsent.since + Self.jumpPatience
    return start.map { min($0, latest) } ?? latest
  }

  // MARK: - To the server

  /// Returns the state that announces the party's change; nil if there is none, or it is too early.
  mutating func change(at now: HostTime) -> [String: JSONValue]? {
    let isStarting = start.map { $0 <= now } ?? false
    if isStarting { start = nil }
    let isWaiting = isWaiting && !isStarting
    guard let change = unsent, unreturned == nil, let room, isLinked, hasMet else { return nil }
    // The room begins with the party. It isn't paused for a wait.
    guard !isWaiting || change.seeks && now - change.since >= Self.jumpPatience else { return nil }
    let isPaused = isWaiting ? room.isPaused : party.isPaused
    self.room = SyncplayLine(position: party.position(at: now), date: now, rate: isPaused ? 0 : 1)
    counter += 1
    (unsent, unreturned, settled) = (nil, counter, now + Self.settlingTime)
    // A client that jumps plays on once it is there.
    let lag = change.seeks && !isPaused ? Self.lag.jump : .zero
    return fields(party.position(at: now) + lag, isPaused, seeks: change.seeks)
  }

  /// Returns the answer to a state.
  mutating func answer(at now: HostTime) -> [String: JSONValue] {
    let position = room.map { reported($0, at: now) }
    return fields(unreturned == nil ? position : nil, room?.isPaused ?? true, seeks: false)
  }

  private func reported(_ room: SyncplayLine, at now: HostTime) -> MediaTime {
    let isApart = !isLinked || !hasMet || sentThere != nil || isAtEnd
    let isSettling = now < settled && distance(at: now).magnitude > Self.nearness
    return isApart || isSettling ? room.position(at: now) : party.position(at: now)
  }

  private mutating func fields(
    _ position: MediaTime?, _ isPaused: Bool, seeks: Bool
  ) -> [String: JSONValue] {
    var counts: [String: JSONValue] = [:]
    if let count = serverCount.take() { counts["server"] = .number(Double(count)) }
    if let unreturned { counts["client"] = .number(Double(unreturned)) }
    var fields: [String: JSONValue] = [:]
    if !counts.isEmpty { fields["ignoringOnTheFly"] = .object(counts) }
    if let position {
      var play: [String: JSONValue] = [
        "position": .number(max(0, position.seconds)), "paused": .bool(isPaused),
      ]
      if seeks { play["doSeek"] = true }
      fields["playstate"] = .object(play)
    }
    return fields
  }
}
