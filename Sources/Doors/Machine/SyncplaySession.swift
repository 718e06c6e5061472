import Concurrency
import GroupActivities
import Timekeeping

/// The conversation with one client of Syncplay's protocol, as its server leads it. It has no I/O and no clock.
///
/// The party leads the client, never the other way round: a client's message is a command only if it announces an action of
/// its user. A position that it merely reports is its own affair.
struct SyncplaySession: Sendable {
  enum Effect: Hashable, Sendable {
    case send([UInt8])
    /// TLS begins with the next bytes in each direction.
    case secure
    /// The client knows the password; its participant joins the party.
    case enter(name: String)
    case play
    case pause
    case seek(MediaTime)
    case rate(Double)
    /// The party watches the film with this index of its list.
    case choose(Int)
    /// The client's player reached the end of its copy.
    case ended(at: MediaTime)
    case say(String)
    case ready(Bool)
    /// The client opened a file: ``SyncplaySession/file``.
    case opened
    /// The client has carried out an order. It is paused at this position, if its user paused it.
    case done(Int, at: MediaTime?)
    /// The client doesn't carry out its orders, because it is silent.
    case lost
    /// The client answers again.
    case back
    /// The client's lead over the party.
    case lead(Duration)
    /// The end of the conversation, once everything is sent.
    case close
  }

  /// `greeting` → `securing` → `greeting` if the client asks for TLS; then `entering` → `inside`; any → `over`.
  private enum Phase: Hashable, Sendable { case greeting, securing, entering, inside, over }

  private let password: String
  private let keeper: String
  private let offersTLS: Bool
  private(set) var isEncrypted = false
  private var phase = Phase.greeting
  private let began: HostTime
  private var lines: RateAllowance
  private var texts: RateAllowance

  private var enteredAt: HostTime?
  private var room: SyncplayRoom

  // The party's playback.
  private var line = SyncplayLine()
  /// The party's rate, also while it is paused.
  private var rate = 1.0
  private var setBy: String?
  /// The order that the client hasn't confirmed.
  private var order: GuestOrder?
  /// A Boolean value that indicates whether the client goes to the order's position once it has paused: it would play on
  /// between the two.
  private var seeksNext = false
  /// The time at which the client gets the order to start.
  private var startAt: HostTime?

  // The client's playback.
  /// A Boolean value that indicates whether the client plays another film than the party's: its player is left alone.
  private var isApart = false
  private var isPaused = true
  private var position = MediaTime.zero
  private var distance = SyncplayDistance()
  /// The messages for the client's user until the client has a player: without one it can't show them. Nil from then on.
  private var held: [Effect]? = []

  // The protocol's counters and clocks.
  private var forced = 0
  private var unconfirmed: HostTime?
  private var clientCount: Int?
  private var ping = SyncplayPing()
  private var heard: HostTime
  /// The time until which the client announces what its user didn't do: after a freeze, and after it opened a film.
  private var unsettled: HostTime
  private var isLost = false
  private var nextState: HostTime

  /// The name of the client's participant.
  var name: String { room.ownName }
  /// The film in the client's player; nil for none.
  var file: SyncplayFile? { room.file }
  /// A Boolean value that indicates whether the client takes part in other rates.
  var hasRates: Bool { room.hasRates }

  /// The time that a client has to say its name and the password.
  static let greetingTime = Duration.seconds(10)
  /// The silence after which both sides of Syncplay end a connection.
  static let silence = Duration.seconds(12.5)
  static let stateInterval = Duration.seconds(1)
  /// The silence after which a client was frozen: it answers each state. Its user didn't cause what it says next.
  static let freeze = Duration.seconds(2.5)
  private static let thaw = Duration.seconds(2)
  /// The time in which a client's player opens a film, and begins it at its start.
  private static let opening = Duration.seconds(3)
  /// The time that a client has to carry out an order.
  static let orderTime = Duration.seconds(5)
  /// The time in which the party carries out a command of the client's user.
  private static let commandTime = Duration.seconds(2)
  /// The last part of a film, in which a client's player does by itself what looks like its user.
  private static let ending = Duration.seconds(6)
  /// The distance from the end of a client's copy at which its player pauses by itself.
  private static let endTolerance = Duration.milliseconds(500)
  /// The time after which a client without a film has a player.
  private static let playerTime = Duration.seconds(5)
  private static let heldLimit = 20
  /// The most by which a client gets its start early.
  private static let mostEarly = Duration.milliseconds(250)

  /// - Parameters:
  ///   - password: the password that the client has to know.
  ///   - keeper: the name of the door's keeper.
  ///   - offersTLS: true if the door has a certificate.
  init(password: String, keeper: String, offersTLS: Bool = false, at now: HostTime) {
    self.offersTLS = offersTLS
    self.password = SyncplayRoom.digest(of: password)
    self.keeper = keeper
    room = SyncplayRoom(keeper: keeper)
    began = now
    heard = now
    nextState = now
    unsettled = now
    lines = RateAllowance(perSecond: 50, burst: 200, at: now)
    texts = RateAllowance(perSecond: 2, burst: 20, at: now)
  }

  // MARK: - The client's messages

  /// The client sent a line, without its end.
  mutating func received(_ bytes: some Collection<UInt8>, at now: HostTime) -> [Effect] {
    guard phase != .over else { return [] }
    guard lines.spend(1, at: now) else { return end() }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      return end("Not a utf-8 string")
    }
    guard let message = JSONValue(bytes) else {
      let quote = PartyText.clean(String(decoding: bytes.prefix(200), as: UTF8.self), limit: 80)
      return end("Not a json encoded string \(quote)")
    }
    guard let commands = message.object else { return end() }
    // A client that says hello first may say more in the same line.
    return commands.sorted { ($0.key == "Hello" ? "" : $0.key) < ($1.key == "Hello" ? "" : $1.key) }
      .flatMap { received($0.key, $0.value, at: now) }
  }

  private mutating func received(
    _ command: String, _ value: JSONValue, at now: HostTime
  ) -> [Effect] {
    switch (command, phase) {
    case (_, .over): return []
    // Anyone on the way could have said it.
    case (_, .securing): return end()
    case ("TLS", .greeting) where offersTLS && !isEncrypted:
      phase = .securing
      return [send(["TLS": ["startTLS": "true"]]), .secure]
    case ("TLS", _): return [send(["TLS": ["startTLS": "false"]])]
    case ("Hello", .greeting): return greet(value)
    case ("Hello", _): return []
    case ("State", .inside): return received(state: value, at: now)
    case ("Set", .inside):
      return SyncplaySetting.all(in: value).flatMap { received($0, at: now) }
    case ("List", .inside): return [send(room.list)]
    case ("Chat", .inside):
      guard let text = value.string, texts.spend(1, at: now) else { return [] }
      return [.say(String(text.prefix(SyncplayRoom.chatLimit)))]
    case ("Set", .greeting), ("List", .greeting), ("State", .greeting), ("Chat", .greeting):
      return end("You must be known to server before sending this command")
    case ("Set", _), ("List", _), ("State", _), ("Chat", _): return []
    case ("Error", _): return end()
    case (_, _): return end("Unknown command 1")
    }
  }

  /// The connection is encrypted from now on.
  mutating func secured() {
    guard phase == .securing else { return }
    (phase, isEncrypted) = (.greeting, true)
  }

  private mutating func greet(_ hello: JSONValue) -> [Effect] {
    guard let name = hello["username"]?.string.flatMap(PartyText.name),
      let room = hello["room"]?["name"]?.string, !room.isEmpty,
      let version = (hello["realversion"] ?? hello["version"])?.string
    else { return end("Not enough Hello arguments") }
    guard let given = hello["password"]?.string, !given.isEmpty else {
      return end("Password required")
    }
    guard given.lowercased() == password else { return end("Wrong password supplied") }
    self.room.name = room
    self.room.version = String(version.prefix(20))
    self.room.hasRates = hello["features"]?["speedSync"]?.bool == true
    phase = .entering
    return [.enter(name: name)]
  }

  private mutating func received(_ setting: SyncplaySetting, at now: HostTime) -> [Effect] {
    switch setting {
    case .opened(let file):
      room.file = file
      unsettled = now + Self.opening
      distance.reset()
      return release() + [.opened]
    case .ready(let isReady, let isManual):
      room.isReady = isReady
      let echo = send(["Set": ["ready": room.readiness(of: name, isReady, isManual: true)]])
      // A client comes in without being ready, and is ready once its user plays.
      return [echo] + (isReady || isManual ? [.ready(isReady)] : [])
    case .listed(let files):
      guard files != room.films.names, hasPlayer, !room.films.names.isEmpty else { return [] }
      let own = room.playlist.map(send)
      // A client offers the film with which it was started.
      guard files != file.map({ [$0.name] }), unsettled < now else { return own }
      return own
        + notice("The list is the party's: choose a film in it, and add films with Matinee.")
    case .chose(let index):
      // Before it has the party's list, a client means its own: the film with which it was started.
      guard hasPlayer, room.films.names.indices.contains(index), index != room.films.index else {
        return []
      }
      // At the end of its copy a client goes on by itself.
      let isChosen = unsettled < now && !isNearEnd(line.position(at: now))
      return [isChosen ? .choose(index) : send(room.playlistIndex)]
    case .wantsControl:
      return [send(room.noController)] + notice("Roles are given with Matinee, by the host.")
    case .moved(to: let name):
      // The party is in whichever room the client is.
      room.name = name
      return room.people.values.map { send(room.user($0)) } + force(at: now, seeks: true)
    }
  }

  // MARK: - The client's state

  private mutating func received(state: JSONValue, at now: HostTime) -> [Effect] {
    let gap = now - heard
    heard = now
    if let stamps = state["ping"] { ping.received(stamps, at: now) }
    let counts = state["ignoringOnTheFly"]
    var effects: [Effect] = []
    let confirms = counts?["server"]?.number == Double(forced) && unconfirmed != nil
    if confirms { unconfirmed = nil }
    if let enteredAt, now - enteredAt > Self.playerTime { effects += release() }
    if gap > Self.freeze {
      unsettled = max(unsettled, now + Self.thaw)
      distance.reset()
    }
    if isLost {
      isLost = false
      effects.append(.back)
    }
    let announced = counts?["client"]?.number.map { Int(clampingRounded: $0) }
    if let announced { clientCount = announced }
    guard unconfirmed == nil, let play = state["playstate"],
      let isPaused = play["paused"]?.bool, let reported = play["position"]?.number
    else { return effects + (confirms ? confirmed(at: now) : []) }
    let age = isPaused ? .zero : ping.delay
    let position = MediaTime(seconds: max(0, reported)) + age
    let (pauses, jumps) = (isPaused != self.isPaused, play["doSeek"]?.bool == true)
    // A client with a list goes to the start of a film before it goes on to the next.
    let rewinds = jumps && position < MediaTime(seconds: 1) && isNearEnd(self.position)
    let rate = room.hasRates ? play["speed"]?.number : nil
    (self.isPaused, self.position) = (isPaused, position)
    if confirms { effects += confirmed(at: now) }
    guard announced == nil else {
      guard file != nil else { return effects }
      guard !isApart else { return effects + [self.state(at: now)] }
      guard unsettled < now, !rewinds else { return effects + force(at: now, seeks: true) }
      return effects + commanded(pauses: pauses, jumps: jumps, rate: rate, at: now)
    }
    return effects + compared(at: now)
  }

  /// Returns whether the end of the client's copy is near, and the list continues.
  private func isNearEnd(_ position: MediaTime) -> Bool {
    guard let file, file.duration > 0, room.films.names.count > 1 else { return false }
    return position > MediaTime(seconds: file.duration) - Self.ending
  }

  private mutating func commanded(
    pauses: Bool, jumps: Bool, rate: Double?, at now: HostTime
  ) -> [Effect] {
    // Until its count is returned, a client leaves out what its user does next.
    var effects = [state(at: now, position: position, isPaused: isPaused, by: name)]
    // The states that follow would take the command back before the party has carried it out.
    nextState = now + Self.commandTime
    if jumps { effects.append(.seek(position)) }
    let end = file.map { MediaTime(seconds: $0.duration) - Self.endTolerance }
    if pauses, isPaused, !jumps, let end, end > .zero, position >= end {
      effects.append(.ended(at: position))
    } else if pauses {
      effects.append(isPaused ? .pause : .play)
    }
    if let rate, rate > 0, rate != self.rate { effects.append(.rate(rate)) }
    return effects
  }

  /// Compares what the client reports by itself with the party.
  private mutating func compared(at now: HostTime) -> [Effect] {
    guard file != nil, !isApart, startAt == nil, order == nil else { return [] }
    let lead = position - line.position(at: now)
    let isSettled = unsettled < now
    let isDue = distance.reported(
      lead, isPaused: isPaused, partyIsPaused: line.rate == 0, isSettled: isSettled, at: now)
    return (isPaused || line.rate == 0 || !isSettled ? [] : [.lead(lead)])
      + (isDue ? force(at: now, seeks: true) : [])
  }

  private mutating func confirmed(at now: HostTime) -> [Effect] {
    guard !seeksNext else {
      seeksNext = false
      return force(at: now, seeks: true)
    }
    guard let order = order.take() else { return [] }
    let isOwnPause = order.action == .pause && order.by == name
    return [.done(order.number, at: isOwnPause ? position : nil)]
  }

  // MARK: - The party

  /// The client's participant is in the party.
  mutating func entered(as name: String, at now: HostTime) -> [Effect] {
    guard phase == .entering else { return [] }
    (phase, nextState) = (.inside, now + .milliseconds(100))
    (heard, enteredAt) = (now, now)
    room.ownName = name
    return room.welcome.map(send)
  }

  /// The others in the party.
  ///
  /// - Parameter controls: true if the client's participant is one of the few who control playback.
  mutating func participantsChanged(
    to new: [SyncplayRoom.Person], controls: Bool = false
  ) -> [Effect] {
    room.controls = controls
    return phase == .inside ? room.change(to: new).map(send) : []
  }

  /// The party's position, as of now.
  ///
  /// - Parameter rate: 0 while the party is paused.
  mutating func moved(to position: MediaTime, rate: Double, at now: HostTime) {
    guard startAt == nil, order == nil else { return }
    if rate > 0 { self.rate = rate }
    line = SyncplayLine(position: position, date: now, rate: rate)
  }

  /// The party orders the client's player to do something.
  mutating func ordered(_ order: GuestOrder, at now: HostTime) -> [Effect] {
    guard phase == .inside else { return [.done(order.number, at: nil)] }
    setBy = order.by == name && order.action != .pause ? keeper : order.by ?? keeper
    startAt = nil
    // A client carries out the newest order only.
    self.order = order
    distance.reset()
    seeksNext = false
    switch order.action {
    case .play:
      self.order = nil
      rate = order.rate
      line = SyncplayLine(position: order.position, date: order.date, rate: order.rate)
      startAt = order.date - min(ping.delay, Self.mostEarly)
      return [.done(order.number, at: nil)] + startIfDue(at: now)
    case .pause, .seek, .ready:
      let before = line.position(at: now)
      line = SyncplayLine(position: order.position, date: now, rate: 0)
      if order.action == .ready, isPaused, unconfirmed == nil { return confirmed(at: now) }
      seeksNext = order.action != .pause && !isPaused
      return force(
        at: now, seeks: order.action == .seek && !seeksNext, position: seeksNext ? before : nil)
    }
  }

  private mutating func startIfDue(at now: HostTime) -> [Effect] {
    guard let due = startAt, due <= now else { return [] }
    startAt = nil
    let isThere =
      isPaused && abs((position - line.position(at: now)).inSeconds) < Self.mostEarly.inSeconds
    return force(at: now, seeks: !isThere)
  }

  /// The party refused a command of the client's user: the client takes it back.
  mutating func refused(_ reason: String, at now: HostTime) -> [Effect] {
    notice(reason) + force(at: now, seeks: true)
  }

  /// The party's list of films, and the index of the one that it watches.
  mutating func listed(_ films: SyncplayRoom.Films) -> [Effect] {
    guard phase == .inside, films != room.films else { return [] }
    let isOtherList = films.names != room.films.names
    room.films = films
    guard hasPlayer else { return [] }
    return isOtherList ? room.playlist.map(send) : [send(room.playlistIndex)]
  }

  /// The party refused the film that the client's user chose.
  mutating func refusedFilm(_ reason: String) -> [Effect] {
    notice(reason) + [send(room.playlistIndex)]
  }

  /// Everyone is asked whether they are ready.
  mutating func askedWhetherReady() -> [Effect] {
    room.isReady = false
    return phase == .inside ? [send(["Set": ["ready": room.readiness(of: name, false)]])] : []
  }

  /// Shows a message of the party's chat.
  mutating func said(_ text: String, by author: String) -> [Effect] {
    let message = send(SyncplayRoom.chat(text, by: author))
    guard let held else { return [message] }
    self.held = held.suffix(Self.heldLimit - 1) + [message]
    return []
  }

  /// Shows a message of the door itself.
  mutating func notice(_ text: String) -> [Effect] { said(text, by: "Matinee") }

  var hasPlayer: Bool { held == nil }

  /// The client's film is, or isn't, the party's.
  mutating func watchesApart(_ isApart: Bool) {
    if isApart != self.isApart { distance.reset() }
    self.isApart = isApart
  }

  /// The client has a player now.
  private mutating func release() -> [Effect] {
    guard let held = held.take() else { return [] }
    return held + (room.films.names.isEmpty ? [] : room.playlist.map(send))
  }

  /// Ends the conversation.
  ///
  /// - Parameter reason: the reason for the client's user; nil for none.
  mutating func end(_ reason: String? = nil) -> [Effect] {
    guard phase != .over else { return [] }
    phase = .over
    return (reason.map { [send(["Error": ["message": .string($0)]])] } ?? []) + [.close]
  }

  // MARK: - Messages to the client

  private func send(_ message: JSONValue) -> Effect { .send(message.line) }

  /// Sends the party's state, which the client has to confirm.
  private mutating func force(
    at now: HostTime, seeks: Bool, position: MediaTime? = nil
  ) -> [Effect] {
    guard phase == .inside, !isApart else { return [] }
    forced += 1
    unconfirmed = now
    isPaused = line.rate == 0
    return [state(at: now, position: position, seeks: seeks, count: forced)]
  }

  private mutating func state(
    at now: HostTime, position: MediaTime? = nil, isPaused: Bool? = nil, by: String? = nil,
    seeks: Bool = false, count: Int? = nil
  ) -> Effect {
    nextState = now + Self.stateInterval
    var counts: [String: JSONValue] = [:]
    if let count { counts["server"] = .number(Double(count)) }
    if let count = clientCount.take() { counts["client"] = .number(Double(count)) }
    let isPaused = isPaused ?? (line.rate == 0 || startAt != nil)
    // A client advances the position of a state that plays.
    let own = line.position(at: now) - (isPaused ? .zero : ping.excess * rate)
    var play: [String: JSONValue] = [
      "position": .number(max(0, (position ?? own).seconds)),
      "paused": .bool(isPaused), "doSeek": .bool(seeks),
      "setBy": (by ?? setBy).map { .string($0) } ?? .null,
    ]
    if room.hasRates { play["speed"] = .number(rate) }
    var state: [String: JSONValue] = ["ping": ping.next(at: now)]
    if !isApart { state["playstate"] = .object(play) }
    if !counts.isEmpty { state["ignoringOnTheFly"] = .object(counts) }
    return send(["State": .object(state)])
  }
}

extension SyncplaySession: HostedMachine {
  var nextDeadline: HostTime? {
    switch phase {
    case .greeting, .securing, .entering: return began + Self.greetingTime
    case .over: return nil
    case .inside:
      let state = unconfirmed == nil ? nextState : nil
      let lost = order == nil ? nil : unconfirmed.map { $0 + Self.orderTime }
      return [state, startAt, lost, heard + Self.silence].compactMap(\.self).min()
    }
  }

  mutating func timerFired(at now: HostTime) -> [Effect] {
    switch phase {
    case .over: return []
    case .greeting, .securing, .entering: return now >= began + Self.greetingTime ? end() : []
    case .inside:
      guard now - heard < Self.silence else { return end() }
      var effects = startIfDue(at: now)
      if order != nil, let unconfirmed, now - unconfirmed >= Self.orderTime {
        (order, isLost) = (nil, true)
        effects.append(.lost)
      }
      if unconfirmed == nil, now >= nextState { effects.append(state(at: now)) }
      return effects
    }
  }
}
