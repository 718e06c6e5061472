import Concurrency
import GroupActivities
import Timekeeping

/// The conversation with a server of Syncplay's protocol, as a client leads it: a member of a room. It has no I/O and no
/// clock.
struct SyncplayMember: Sendable {
  enum Effect: Hashable, Sendable {
    case connect
    case disconnect
    case send([UInt8])
    /// Begin TLS, and check the server's certificate.
    case secure
    /// The member is in the room, for the first time.
    case entered
    case refused(RoomProblem)
    /// The people in the room changed: ``SyncplayMember/people``.
    case peopleChanged
    case order(RoomPlayback.Order)
    case said(String, by: String)
    case notice(String)
    case warning(String)
    /// The room's playlist is at this file.
    case listed(String, by: String?)
    /// A person with Matinee has opened a party for those in the room who have it.
    case invited(Invite, by: String)
    /// The member isn't in the room any more.
    case over
  }

  enum Phase: Hashable, Sendable {
    case connecting
    /// The server is asked whether it speaks TLS.
    case asking
    case securing
    case greeting
    case inside
    /// The connection is lost; the next one begins then.
    case away(until: HostTime)
    case over
  }

  private let address: RoomAddress
  private let requiresTLS: Bool
  /// The digest of the password; nil for none.
  private var password: String?
  private(set) var phase = Phase.over
  /// The time at which the phase began.
  private var since = HostTime(nanoseconds: 0)
  private var heard = HostTime(nanoseconds: 0)
  private var lines: RateAllowance
  private var texts: RateAllowance
  private var invites: RateAllowance

  private(set) var people: RoomPeople
  /// This member's own film.
  private var file: SyncplayFile?
  private var hasHadFile = false
  private var isReady = true
  private var playback = RoomPlayback()
  private var ping = SyncplayPing(.client)
  private var playlist = RoomPlaylist()
  private var invitations = RoomInvitations()
  private var control: RoomControl
  private var chatLimit = SyncplayRoom.chatLimit

  private var asksForTLS = true
  /// A Boolean value that indicates whether the connection to the server is encrypted.
  private(set) var isEncrypted = false
  private var wasInside = false
  private var isReturnExpected = false
  private var lostAt: HostTime?
  private var tries = 0
  /// The time of the last own command.
  private var commandedAt: HostTime?
  /// The hints that the user has had.
  private var said: Set<String> = []

  static let greetingTime = Duration.seconds(10)
  static let silence = Duration.seconds(12.5)
  /// The time for which a lost server is looked for.
  static let returnTime = Duration.seconds(600)
  private static let longestDelay = Duration.seconds(3.2)
  private static let bounceTime = Duration.seconds(1)
  private static let hintLimit = 200
  /// The version of Syncplay's client whose messages these are.
  private static let version: JSONValue = "1.7.3"

  /// - Parameters:
  ///   - name: the name that the user wants to have in the room.
  ///   - operatorPassword: the password of the room's operators; nil for none.
  init(
    _ address: RoomAddress, name: String, requiresTLS: Bool, operatorPassword: String? = nil,
    at now: HostTime
  ) {
    self.address = address
    control = RoomControl(of: address.room, password: operatorPassword)
    people = RoomPeople(room: address.room, ownName: name, ownKey: invitations.key)
    self.requiresTLS = requiresTLS
    lines = RateAllowance(perSecond: 200, burst: 1000, at: now)
    texts = RateAllowance(perSecond: 5, burst: 50, at: now)
    invites = RateAllowance(perSecond: 1.0 / 30, burst: 8, at: now)
  }

  // MARK: - The connection

  /// Begins the conversation.
  ///
  /// - Parameter password: the password of the server; nil for none.
  mutating func begin(password: String?, at now: HostTime) -> [Effect] {
    self.password = password.map(SyncplayRoom.digest)
    enter(.connecting, at: now)
    return [.connect]
  }

  private mutating func enter(_ new: Phase, at now: HostTime) { (phase, since) = (new, now) }

  /// The connection is there.
  mutating func connected(at now: HostTime) -> [Effect] {
    guard phase == .connecting else { return [.disconnect] }
    (heard, isEncrypted) = (now, false)
    guard asksForTLS else { return greet(at: now) }
    enter(.asking, at: now)
    return [send(["TLS": ["startTLS": "send"]])]
  }

  /// TLS has begun.
  mutating func secured(at now: HostTime) -> [Effect] {
    guard phase == .securing else { return [] }
    isEncrypted = true
    return greet(at: now)
  }

  private mutating func greet(at now: HostTime) -> [Effect] {
    enter(.greeting, at: now)
    var hello: [String: JSONValue] = [
      "username": .string(people.ownName), "room": ["name": .string(address.room)],
      "version": "1.2.255",
      "realversion": Self.version,
      "features": [
        "sharedPlaylists": true, "chat": true, "uiMode": "CLI", "featureList": true,
        "readiness": true, "managedRooms": true, "persistentRooms": true,
        "setOthersReadiness": true, "matinee": ["key": .string(invitations.key)],
      ],
    ]
    if let password { hello["password"] = .string(password) }
    return [send(["Hello": .object(hello)])]
  }

  /// The connection is gone, or can't be had.
  ///
  /// - Parameter reason: the reason, if one is known.
  mutating func lost(_ reason: String?, at now: HostTime) -> [Effect] {
    switch phase {
    case .over, .away: return []
    case .connecting, .asking, .securing, .greeting, .inside: break
    }
    guard wasInside else {
      return refuse(
        .unreachable,
        "\(address.host):\(address.port) can't be reached: \(reason ?? "it closed the connection")."
      )
    }
    let first = lostAt ?? now
    guard now - first < Self.returnTime else {
      return end(
        warning: "The room's server didn't come back. The film continues without the room.")
    }
    let isNew = lostAt == nil
    lostAt = first
    let delay = min(Self.longestDelay, .milliseconds(100) * (1 << min(tries, 6)))
    tries += 1
    enter(.away(until: now + delay), at: now)
    return isNew
      ? [.warning("Lost the room's server. The film continues; reconnecting for ten minutes…")] : []
  }

  private mutating func refuse(_ kind: RoomProblem.Kind, _ words: String) -> [Effect] {
    phase = .over
    return [.disconnect, .refused(RoomProblem(kind: kind, description: words))]
  }

  private mutating func end(warning: String) -> [Effect] {
    phase = .over
    people.removeAll()
    return [.disconnect, .peopleChanged, .warning(warning), .over]
  }

  /// Enters the room again that was left.
  mutating func comeBack(leads: Bool = false, at now: HostTime) -> [Effect] {
    guard phase == .over, wasInside else { return [] }
    playback.comesBack(leading: leads)
    isReturnExpected = true
    enter(.connecting, at: now)
    return [.connect]
  }

  /// Leaves the room.
  mutating func end() -> [Effect] {
    phase = .over
    people.removeAll()
    return [.disconnect]
  }

  // MARK: - The server's messages

  /// The server sent a line, without its end.
  mutating func received(_ bytes: some Collection<UInt8>, at now: HostTime) -> [Effect] {
    switch phase {
    case .over, .away, .connecting, .securing: return []
    case .asking, .greeting, .inside: break
    }
    heard = now
    guard lines.spend(1, at: now), let commands = JSONValue(bytes)?.object else {
      return [.disconnect] + lost("it sends nonsense, or too much", at: now)
    }
    let before = people
    var effects: [Effect] = []
    for (command, value) in commands.sorted(by: { $0.key < $1.key }) {
      effects += received(command, value, at: now)
    }
    return effects
      + (people == before ? [] : [.peopleChanged] + meetMatinees(since: before, at: now))
  }

  /// Finds the people with Matinee: the parties that they opened, and those who may come to this member's.
  private mutating func meetMatinees(since before: RoomPeople, at now: HostTime) -> [Effect] {
    guard phase == .inside else { return [] }
    var effects: [Effect] = []
    for (name, person) in people.all {
      if let sealed = person.invitation, sealed != before.all[name]?.invitation,
        let invite = invitations.open(sealed), invites.spend(1, at: now)
      {
        effects.append(.invited(invite, by: name))
      } else if person.key != nil, before.all[name]?.key == nil, !invitations.isOpen {
        effects += hint(
          "\(PartyText.clean(name, limit: PartyText.nameLimit)) has Matinee too. Open a party for all with Matinee in this room, and you keep in step to the millisecond: /host"
        )
      }
    }
    return effects + invite()
  }

  /// Opens this member's party to those in the room who have Matinee; nil closes it.
  mutating func offer(_ invite: Invite?) -> [Effect] {
    invitations.offer(invite)
    return self.invite()
  }

  private mutating func invite() -> [Effect] {
    guard invitations.seal(for: people.all.values.compactMap(\.key)), phase == .inside else {
      return []
    }
    return describeFile()
  }

  private mutating func received(
    _ command: String, _ value: JSONValue, at now: HostTime
  ) -> [Effect] {
    switch (command, phase) {
    case (_, .over), (_, .away), (_, .connecting), (_, .securing): return []
    case ("Error", _): return refused(value["message"]?.string ?? "", at: now)
    case ("TLS", .asking): return answered(tls: value["startTLS"]?.string, at: now)
    case ("Hello", .greeting): return entered(value, at: now)
    case ("Set", .greeting), ("Set", .inside): return received(set: value, at: now)
    case ("List", .inside):
      let before = people
      people.received(list: value)
      return compareFiles(since: before)
    case ("State", .inside): return received(state: value, at: now)
    case ("Chat", .inside):
      guard let author = value["username"]?.string, author != people.ownName,
        people.all[author] != nil,
        let text = value["message"]?.string.flatMap(PartyText.chat), texts.spend(1, at: now)
      else { return [] }
      return [.said(text, by: author)]
    case (_, .asking), (_, .greeting), (_, .inside): return []
    }
  }

  private mutating func answered(tls: String?, at now: HostTime) -> [Effect] {
    guard tls != "true" else {
      enter(.securing, at: now)
      return [.secure]
    }
    guard !requiresTLS else { return refuseTheClear() }
    return hint(
      "The room isn't encrypted: others on the way can read it and change it.", isWarning: true)
      + greet(at: now)
  }

  private mutating func refuseTheClear() -> [Effect] {
    refuse(.refused, "The server doesn't encrypt, which your certificates require.")
  }

  private mutating func refused(_ words: String, at now: HostTime) -> [Effect] {
    let words = PartyText.clean(words, limit: 300)
    if phase == .asking, words.contains("startTLS") {
      // A server that is too old for the question.
      guard !requiresTLS else { return refuseTheClear() }
      asksForTLS = false
      enter(.connecting, at: now)
      return [.disconnect, .connect]
    }
    guard !wasInside else {
      return end(
        warning: "The room's server ended your stay: \(words). The film continues without the room."
      )
    }
    let isPassword = words.lowercased().contains("password")
    let advice =
      isPassword
      ? "Ask for the password, and put it in a file: --password-file FILE."
      : "Check the address and the server's version."
    return refuse(
      isPassword ? .password : .refused, "The server refuses you: “\(words)”. \(advice)")
  }

  private mutating func entered(_ hello: JSONValue, at now: HostTime) -> [Effect] {
    guard let name = hello["username"]?.string, PartyText.name(name) != nil else { return [] }
    enter(.inside, at: now)
    let (wanted, isFirst) = (people.ownName, !wasInside)
    people.ownName = name
    (wasInside, lostAt, tries) = (true, nil, 0)
    playback.reset()
    chatLimit = min(
      2000,
      max(
        1,
        hello["features"]?["maxChatMessageLength"]?.number.map { Int(clampingRounded: $0) }
          ?? chatLimit))
    // A user who has left the room for a party expects to be back.
    let isNews = !isReturnExpected
    isReturnExpected = false
    var effects: [Effect] =
      isFirst ? [.entered] : isNews ? [.notice("Back in the room.")] : []
    if name != wanted {
      effects += hint(
        "In the room your name is \(PartyText.clean(name, limit: 40)): the other one is taken, or too long."
      )
    }
    if let words = hello["motd"]?.string.flatMap(PartyText.chat), isFirst {
      effects.append(.notice("The room's server says: \(words.prefix(300))"))
    }
    return effects + describe() + (control.request.map { [send($0)] } ?? [])
      + [send(["List": nil])]
  }

  /// Shows the user a text, once.
  private mutating func hint(_ words: String, isWarning: Bool = false) -> [Effect] {
    guard said.count < Self.hintLimit, said.insert(words).inserted else { return [] }
    return [isWarning ? .warning(words) : .notice(words)]
  }

  private mutating func received(set: JSONValue, at now: HostTime) -> [Effect] {
    let before = people
    var effects: [Effect] = []
    if let users = set["user"] { people.received(users: users, at: now) }
    if let ready = set["ready"] { people.received(ready: ready) }
    if let answer = set["controllerAuth"] { people.received(control: answer) }
    if let words = control.received(set: set, ownName: people.ownName) {
      effects += hint(words, isWarning: !control.isGranted)
    }
    if let choice = playlist.received(set: set), phase == .inside, !choice.isIn(file) {
      effects.append(.listed(choice.name, by: choice.by))
    }
    return effects + compareFiles(since: before)
  }

  private mutating func compareFiles(since before: RoomPeople? = nil) -> [Effect] {
    var effects: [Effect] = []
    for (name, person) in people.all where before?.all[name]?.file != person.file || before == nil {
      if let words = people.difference(of: name, from: file) { effects += hint(words) }
    }
    if people.isFull {
      effects += hint("The room has more people than Matinee follows: you see \(RoomPeople.limit).")
    }
    return effects
  }

  private mutating func received(state: JSONValue, at now: HostTime) -> [Effect] {
    if let stamps = state["ping"] { ping.received(stamps, at: now) }
    let orders = playback.received(
      state, delay: ping.delay, name: people.ownName, people: people, at: now)
    var effects = orders.map(Effect.order)
    if control.isLacking, let commandedAt, !orders.isEmpty,
      now - commandedAt < Self.bounceTime
    {
      effects += hint("Only the operators of this room control it.")
    }
    effects.append(send(state: playback.answer(at: now), at: now))
    return effects + announce(at: now)
  }

  // MARK: - The party

  /// The party's playback, as of now.
  mutating func moved(
    _ party: SyncplayLine, isWaiting: Bool, isLinked: Bool, at now: HostTime
  ) -> [Effect] {
    playback.moved(party, isWaiting: isWaiting, isLinked: isLinked)
    return announce(at: now)
  }

  /// The party's players start at this time.
  mutating func starts(at date: HostTime, now: HostTime) -> [Effect] {
    playback.starts(at: date - ping.delay)
    return announce(at: now)
  }

  /// Returns the room's position; nil before its first state.
  func position(at now: HostTime) -> MediaTime? { playback.room?.position(at: now) }

  /// A participant that isn't of the room changed the party's playback.
  mutating func changed(_ change: Change, at now: HostTime) -> [Effect] {
    var effects: [Effect] = []
    switch change {
    case .play, .pause:
      playback.changed(seeks: false, at: now)
      // As in Syncplay, where a pause of the user says that the user isn't ready.
      effects = setReady(change == .play)
    case .seek: playback.changed(seeks: true, at: now)
    case .ended: playback.ended()
    case .rate:
      return hint("Syncplay has no other speeds: the room goes on as before, and takes you along.")
    }
    return effects + announce(at: now)
  }

  private mutating func setReady(_ isReady: Bool) -> [Effect] {
    guard isReady != self.isReady else { return [] }
    self.isReady = isReady
    return phase == .inside && file != nil ? [send(readiness)] : []
  }

  private var readiness: JSONValue {
    ["Set": ["ready": ["isReady": .bool(isReady), "manuallyInitiated": false]]]
  }

  /// A change of the party's playback.
  enum Change: Hashable, Sendable { case play, pause, seek, ended, rate }

  /// The party refused an order: the room gets the party's playback.
  mutating func refused(at now: HostTime) -> [Effect] { changed(.seek, at: now) }

  /// The room gets a change, if there is one.
  private mutating func announce(at now: HostTime) -> [Effect] {
    guard phase == .inside, let change = playback.change(at: now) else { return [] }
    commandedAt = now
    return [send(state: change, at: now)]
  }

  /// The member's player has another film, or none.
  mutating func opened(_ file: SyncplayFile?, at now: HostTime) -> [Effect] {
    guard file != self.file else { return [] }
    let isFirst = !hasHadFile
    (self.file, hasHadFile) = (file, hasHadFile || file != nil)
    playback.filmChanged()
    guard phase == .inside else { return [] }
    let move = isFirst || control.isLacking ? nil : file.flatMap { playlist.moved(to: $0) }
    return describe() + compareFiles() + (move.map { [send($0)] } ?? [])
  }

  private func describe() -> [Effect] {
    describeFile() + (file == nil ? [] : [send(readiness)])
  }

  private func describeFile() -> [Effect] {
    guard let file, var description = file.value.object else { return [] }
    description["matinee"] = invitations.value
    return [send(["Set": ["file": .object(description)]])]
  }

  /// Says something in the room.
  mutating func say(_ text: String) -> [Effect] {
    guard phase == .inside else { return [] }
    return [send(["Chat": .string(SyncplayRoom.cut(text, to: chatLimit))])]
  }

  // MARK: - Messages to the server

  private func send(_ message: JSONValue) -> Effect { .send(message.line) }

  private mutating func send(state fields: [String: JSONValue], at now: HostTime) -> Effect {
    send(["State": .object(fields.merging(["ping": ping.next(at: now)]) { $1 })])
  }
}

extension SyncplayMember: HostedMachine {
  var nextDeadline: HostTime? {
    switch phase {
    case .over: nil
    case .away(let until): until
    case .connecting, .asking, .securing, .greeting: since + Self.greetingTime
    case .inside: [heard + Self.silence, playback.nextDeadline].compactMap(\.self).min()
    }
  }

  mutating func timerFired(at now: HostTime) -> [Effect] {
    switch phase {
    case .over: return []
    case .away(let until):
      guard now >= until else { return [] }
      enter(.connecting, at: now)
      return [.connect]
    case .connecting, .asking, .securing, .greeting:
      guard now - since >= Self.greetingTime else { return [] }
      return [.disconnect] + lost("it doesn't answer", at: now)
    case .inside:
      guard now - heard >= Self.silence else { return announce(at: now) }
      return [.disconnect] + lost("it is silent", at: now)
    }
  }
}
