import Concurrency
import Foundation
import GroupActivities
import NIOCore
import NIOSSL
import PlaybackCoordination
import Timekeeping

/// The door out: a connection to a room on a server of Syncplay's protocol, under the user's name. The people there are
/// participants of the user's own party.
package actor RoomDoor {
  /// The party that meets the room.
  package struct Surroundings: Sendable {
    var invite: Invite
    var keeper: Participant
    var ways: Door.Ways
    /// The coordinator of the keeper's own player.
    var coordinator: DelegatingPlaybackCoordinator
    var report: @Sendable (Report) async -> Void

    package init(
      invite: Invite, keeper: Participant, ways: Door.Ways,
      coordinator: DelegatingPlaybackCoordinator,
      report: @escaping @Sendable (Report) async -> Void
    ) {
      self.invite = invite
      self.keeper = keeper
      self.ways = ways
      self.coordinator = coordinator
      self.report = report
    }
  }

  /// News of the room for the user.
  package enum Report: Hashable, Sendable {
    case notice(String)
    case warning(String)
    /// The file's name of the film that a person chose.
    case film(String, by: String?)
    /// These people control the room, which is a managed one.
    case operators([Participant.ID])
    /// A person there has opened a party for those who have Matinee.
    case invite(Invite, by: String)
  }

  package nonisolated let address: RoomAddress
  private let trust: @Sendable () throws -> NIOSSLContext
  private var line: RoomLine?
  /// The number of the connection: what an earlier one reports doesn't count.
  private var number = 0
  private var member: SyncplayMember
  private var host = MachineHost<SyncplayMember>()
  private let alarm = Alarm()
  private var entry = OneShot<RoomProblem?>()
  private var party: Surroundings?
  /// The reports from before there was a party.
  private var early: [Report] = []
  private var guests: [String: RoomGuest] = [:]
  private var film: DoorFilm?
  /// The work for the party; nil before there is one.
  private var orders: AsyncStream<Order>.Continuation?
  private var work: Task<Void, Never>?

  /// An action of the people in the room.
  private enum Order {
    case playback(RoomPlayback.Order)
    case chat(String, by: String)
    case people(RoomPeople)
    case report(Report)
  }

  private static let backlog = 256

  /// - Parameters:
  ///   - name: the name that the user wants to have there.
  ///   - requiresTLS: whether to refuse a server that doesn't encrypt.
  ///   - operatorPassword: the password of a managed room's operators; nil for none.
  ///   - trust: makes the settings of TLS.
  package init(
    _ address: RoomAddress, name: String, requiresTLS: Bool, operatorPassword: String? = nil,
    trust: @escaping @Sendable () throws -> NIOSSLContext
  ) {
    self.address = address
    self.trust = trust
    member = SyncplayMember(
      address, name: name, requiresTLS: requiresTLS, operatorPassword: operatorPassword, at: .now())
  }

  // MARK: - In and out

  /// Enters the room.
  ///
  /// - Throws: the reason why the server doesn't let the user in. Another call tries again.
  package func enter(password: String?) async throws(RoomProblem) {
    entry = OneShot()
    perform(member.begin(password: password, at: .now()))
    guard let problem = await entry.value() else { return }
    if let problem { throw problem }
  }

  /// Brings the room's people into the party.
  ///
  /// - Parameter leads: whether the room goes to the party's position, instead of the party to the room's.
  package func open(in party: Surroundings, leads: Bool = false) {
    self.party = party
    let (stream, orders) = AsyncStream.makeStream(
      of: Order.self, bufferingPolicy: .bufferingNewest(Self.backlog))
    self.orders = orders
    work = Task { [weak self] in for await order in stream { await self?.carryOut(order) } }
    for report in early { orders.yield(.report(report)) }
    early = []
    orders.yield(.people(member.people))
    perform(member.comeBack(leads: leads, at: .now()))
  }

  /// The keeper's player has another film, or none.
  package func show(_ film: DoorFilm?) async {
    guard film != self.film else { return }
    self.film = film
    let file = await SyncplayFile.described(film)
    guard film == self.film else { return }
    perform(member.opened(file, at: .now()))
  }

  /// Opens the party to those in the room who have Matinee; nil closes it to newcomers.
  package func offer(_ invite: Invite?) { perform(member.offer(invite)) }

  /// Leaves the room.
  package func close() async { await part(leaving: true) }

  /// Takes the room's people out of the party. The room may meet another party next.
  ///
  /// - Parameter leaves: whether the user leaves the room, until another party meets it.
  package func part(leaving leaves: Bool = false) async {
    offer(nil)
    if leaves {
      perform(member.end())
      alarm.perform(host.cancelAlarm()) { _ in }
    }
    orders.take()?.finish()
    work?.cancel()
    party = nil
    let leaving = guests.values
    guests = [:]
    for guest in leaving { await guest.end() }
  }

  // MARK: - The party

  /// Returns whether a participant is one of the room's people.
  private func isGuest(_ id: Participant.ID) -> Bool {
    guests.values.contains { $0.id == id }
  }

  /// The keeper's coordinator reported something.
  package func handle(_ event: CoordinatorEvent) async {
    guard party != nil else { return }
    await look()
    guard case .changed(let change) = event, !isGuest(change.originator),
      let kind = SyncplayMember.Change(change)
    else { return }
    perform(member.changed(kind, at: .now()))
  }

  /// Says something in the room, as this user.
  package func say(_ text: String) { perform(member.say(text)) }

  /// A participant said something in the party: the room hears it, unless the participant is one of its people.
  package func said(_ text: String, by author: Participant) {
    if !isGuest(author.id) { say("\(author.name): \(text)") }
  }

  /// A Boolean value that indicates whether the room's people are, or come, in a party of this program.
  package var isOpen: Bool { party != nil }

  /// A Boolean value that indicates whether the connection to the room's server is encrypted.
  package var isEncrypted: Bool { member.isEncrypted }

  /// Takes the party's playback.
  private func look() async {
    guard let party else { return }
    let snapshot = await party.coordinator.snapshot()
    var isLinked = film != nil && snapshot.currentItemIdentifier == film?.item
    if isLinked, member.people.haveFilm { isLinked = await speaker(for: nil) != nil }
    let now = HostTime.now()
    // At a place of one's own the room keeps to the party's.
    let isStalled = snapshot.suspensionReasons.contains(.stallRecovery)
    let position = isStalled ? snapshot.itemTime : snapshot.groupItemTime ?? snapshot.itemTime
    // A line that has yet to begin is waited for too.
    let begins = snapshot.status == .playing && !isStalled
    var isWaiting = begins ? await party.coordinator.expectedLine() == nil : false
    if case .waiting = snapshot.status { isWaiting = true }
    let line = SyncplayLine(
      position: position ?? .zero, date: now,
      rate: snapshot.status == .playing ? snapshot.rate : 0)
    perform(member.moved(line, isWaiting: isWaiting, isLinked: isLinked, at: now))
  }

  /// Returns the participant that commands the party for a person, or else for the room.
  private func speaker(for name: String?) async -> RoomGuest? {
    if let guest = name.flatMap({ guests[$0] }), await guest.isReady { return guest }
    for (_, guest) in guests.sorted(by: { $0.key < $1.key }) where await guest.isReady {
      return guest
    }
    return nil
  }

  private func carryOut(_ order: Order) async {
    switch order {
    case .playback(let order):
      guard let guest = await speaker(for: order.by) else { return }
      do {
        try await guest.perform(order)
      } catch {
        perform(member.refused(at: .now()))
      }
    case .chat(let text, let name): await guests[name]?.say(text)
    case .people(let people): await bring(people.all)
    case .report(let report): await party?.report(report)
    }
  }

  private func bring(_ people: [String: RoomPeople.Person]) async {
    guard let party else { return }
    for (name, guest) in guests where people[name] == nil {
      guests[name] = nil
      await guest.end()
    }
    for (name, person) in people.sorted(by: { $0.key < $1.key }) {
      if let guest = guests[name] {
        await guest.update(person)
        continue
      }
      let context = GuestContext(keeper: party.keeper, to: party.invite, through: party.ways) { _ in
      } ended: {
      }
      let guest = RoomGuest(name, context) { [weak self] in
        await self?.position
      } starts: { [weak self] in
        await self?.starts(at: $0)
      } votes: { [weak self] in
        await self?.show($0, to: $1)
      }
      guests[name] = guest
      do throws(PartyError) {
        try await guest.enter(isEncrypted: member.isEncrypted)
        await guest.update(person)
      } catch {
        guests[name] = nil
        report(.warning("\(PartyText.clean(name, limit: 40)) can't take part: \(error)"))
      }
    }
    let operators = people.filter(\.value.isOperator).compactMap { guests[$0.key]?.id }
    if !operators.isEmpty { await party.report(.operators(operators)) }
  }

  /// Shows the room a vote, which all of its people report.
  private func show(_ vote: String, to id: Participant.ID) {
    if guests.min(by: { $0.key < $1.key })?.value.id == id { say(vote) }
  }

  private func starts(at date: HostTime) { perform(member.starts(at: date, now: .now())) }

  /// The room's position.
  private var position: MediaTime? { member.position(at: .now()) }

  // MARK: - The server

  private func perform(_ effects: [SyncplayMember.Effect]) {
    for effect in effects {
      switch effect {
      case .connect: connect()
      case .disconnect: disconnect()
      case .send(let bytes): line?.send(bytes)
      case .secure: secure()
      case .entered: entry.fulfil(nil)
      case .refused(let problem): entry.fulfil(problem)
      case .peopleChanged: orders?.yield(.people(member.people))
      case .order(let order): orders?.yield(.playback(order))
      case .said(let text, let name): orders?.yield(.chat(text, by: name))
      case .notice(let text): report(.notice(text))
      case .warning(let text): report(.warning(text))
      case .listed(let name, let by): report(.film(name, by: by))
      case .invited(let invite, let by): report(.invite(invite, by: by))
      case .over: break
      }
    }
    alarm.perform(host.setAlarm(for: member)) { [weak self] number in
      await self?.alarmRang(number)
    }
  }

  private func report(_ report: Report) {
    if let orders { orders.yield(.report(report)) } else { early.append(report) }
  }

  private func alarmRang(_ number: Int) async {
    await look()
    if let effects = host.alarmRang(number, for: &member, at: .now()) { perform(effects) }
  }

  private func disconnect() {
    number += 1
    line.take()?.close()
  }

  private func connect() {
    number += 1
    Task { [number] in
      let reason = await converse(number)
      guard number == self.number else { return }
      line = nil
      perform(member.lost(reason, at: .now()))
    }
  }

  /// - Returns: the reason for the end of the connection, if one is known.
  private func converse(_ number: Int) async -> String? {
    do {
      let line = try await RoomLine.connect(to: address.host, port: address.port)
      guard number == self.number else {
        line.close()
        return nil
      }
      self.line = line
      perform(member.connected(at: .now()))
      for await (arrival, time) in line.arrivals {
        await look()
        guard number == self.number else { break }
        switch arrival {
        case .line(let text): perform(member.received(text, at: time))
        case .secured: perform(member.secured(at: time))
        }
      }
      return line.reason
    } catch {
      return RoomLine.words(for: error)
    }
  }

  private func secure() {
    guard let line else { return }
    Task { [number, trust, address] in
      do {
        // Reading the system's certificates takes a while.
        let context = await OwnedThread.run("room-tls") { Result { try trust() } }
        try await line.secure(for: address.host, context.get())
      } catch {
        guard number == self.number else { return }
        disconnect()
        perform(member.lost(RoomLine.words(for: error), at: .now()))
      }
    }
  }
}

extension SyncplayMember.Change {
  fileprivate init?(_ change: CoordinatedChange) {
    switch change.kind {
    case .play: self = .play
    case .pause: self = .pause
    case .seek: self = .seek
    case .ended: self = .ended
    case .rate where change.rate != 1: self = .rate
    case .rate, .proposed: return nil
    }
  }
}

extension SyncplayFile {
  /// Returns the description of a film; nil for none.
  fileprivate static func described(_ film: DoorFilm?) async -> SyncplayFile? {
    guard let film else { return nil }
    // A stream is known by its address, as with Syncplay.
    guard let path = film.path else {
      return SyncplayFile(name: String(film.item.prefix(nameLimit)), duration: 0, size: "")
    }
    return await read(path)
  }
}
