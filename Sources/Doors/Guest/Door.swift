import Concurrency
import GroupActivities
import Timekeeping

/// A door for friends with a browser, in the program of a member of the party: it meets their pages in a space of their own
/// on the party's relay, and runs a participant for each of them.
package actor Door {
  /// The door's ways to the party's relay.
  package struct Ways: Sendable {
    /// Makes a transport that a key admits, not connected yet.
    var transport: @Sendable (AdmissionKey) -> any GroupTransport

    package init(transport: @escaping @Sendable (AdmissionKey) -> any GroupTransport) {
      self.transport = transport
    }
  }

  /// The messages that wait to be sealed for one page: more than the window of a film's bytes has.
  private static let messageLimit = 4096

  private let invite: Invite
  private let keeper: Participant
  private var ways: Ways
  private var pages: any GroupTransport
  private let subjects: PageSubjects
  private var machine: DoorMachine
  private var host = MachineHost<DoorMachine>()
  private let alarm = Alarm()
  private var film: DoorFilm?
  private var guests: [PageLink.Number: Connection] = [:]
  private var work: Task<Void, Never>?

  /// A guest, and its requests in their order.
  private struct Connection {
    var guest: PageGuest
    var requests: AsyncStream<(PageRequest, HostTime)>.Continuation
  }

  /// - Parameters:
  ///   - invite: the party's invite.
  ///   - keeper: this program's participant.
  ///   - rank: the place of this door among the party's, the lowest first.
  package init(
    to invite: Invite, keeper: Participant, rank: Int, film: DoorFilm?, through ways: Ways
  ) {
    self.invite = invite
    self.keeper = keeper
    self.ways = ways
    self.film = film
    let admission = PageLink.admission(invite.secret, invite.party)
    pages = ways.transport(admission)
    subjects = PageSubjects(admission)
    machine = DoorMachine(
      invite: invite, keeper: keeper.name, random: SystemRandomNumberGenerator(), at: .now())
    machine.rank = rank
  }

  /// Opens the door.
  ///
  /// - Throws: `TransportError` if the relay can't be reached, or doesn't admit pages.
  package func open() async throws(TransportError) {
    let pages = pages
    do {
      try await pages.connect()
      try await pages.subscribe(to: subjects.doors)
      try await pages.subscribe(to: subjects.door(machine.id))
    } catch {
      await pages.close()
      throw error
    }
    let events = pages.events
    work = Task { [weak self] in for await event in events { await self?.handle(event) } }
  }

  /// Opens the door at the relay that the party uses now. Its guests stay, and their pages find it there.
  package func move(through ways: Ways) async throws(TransportError) {
    self.ways = ways
    work?.cancel()
    await pages.close()
    pages = ways.transport(PageLink.admission(invite.secret, invite.party))
    try await open()
  }

  /// Closes the door: its guests are shown out.
  package func close() async {
    for guest in guests.values {
      await guest.guest.end(.keeper, "\(keeper.name)'s program has ended.")
    }
    work?.cancel()
    alarm.perform(host.cancelAlarm()) { _ in }
    await pages.close()
  }

  /// The keeper's player has another film, or none.
  package func show(_ film: DoorFilm?) {
    self.film = film
    // Opening it for their pages takes a while.
    for guest in guests.values.map(\.guest) { Task { await guest.keeperFilmChanged(to: film) } }
  }

  package func rank(_ rank: Int) { machine.rank = rank }

  /// Returns the bits of film per second that go to each guest of this door.
  package func uploadRates() async -> [Participant.ID: Double] {
    var rates: [Participant.ID: Double] = [:]
    for guest in guests.values.map(\.guest) {
      rates[await guest.stay.identity.id] = await guest.uploadRate
    }
    return rates
  }

  // MARK: - The pages

  private func handle(_ event: TransportEvent) {
    guard case .received(let message) = event else { return }
    let isHello = message.subject == subjects.doors
    perform(
      isHello
        ? machine.received(hello: message.payload, at: message.receivedAt)
        : machine.received(frame: message.payload, at: message.receivedAt),
      at: message.receivedAt)
  }

  private func perform(_ effects: [DoorMachine.Effect], at now: HostTime) {
    for effect in effects {
      switch effect {
      case .send(let bytes, let page):
        // A message that can't be sent is lost: a page that hears nothing begins again.
        try? pages.publish(bytes, to: subjects.page(page))
      case .enter(let link, let name, let plays): enter(link, name, plays)
      case .resume(let number, let plays):
        if let guest = guests[number]?.guest { Task { await guest.resume(plays: plays) } }
      case .request(let number, .clock(let time)): answer(number, time, arrival: now)
      case .request(let number, let request): guests[number]?.requests.yield((request, now))
      case .leave(let number):
        if let guest = guests[number]?.guest { Task { await guest.end(.closed, "") } }
      }
    }
    setAlarm()
  }

  private func answer(_ number: PageLink.Number, _ time: Double, arrival: HostTime) {
    let report = PageReport.clock(
      page: time, arrival: arrival.milliseconds, answer: HostTime.now().milliseconds)
    if let message = report.message { send(message, to: number) }
  }

  private func send(_ text: [UInt8], to number: PageLink.Number) {
    perform(machine.send(text, to: number), at: .now())
  }

  private func setAlarm() {
    alarm.perform(host.setAlarm(for: machine)) { [weak self] number in
      await self?.alarmRang(number)
    }
  }

  private func alarmRang(_ number: Int) {
    let now = HostTime.now()
    if let effects = host.alarmRang(number, for: &machine, at: now) { perform(effects, at: now) }
  }

  // MARK: - The guests

  private func enter(_ link: PageLink, _ name: String, _ plays: [String]) {
    let number = link.number
    // The messages for the page keep their order, whichever task sends them.
    let (messages, sending) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.messageLimit))
    let delivery = Task { [weak self] in
      for await text in messages { await self?.send(text, to: number) }
    }
    let context = GuestContext(keeper: keeper, to: invite, through: ways) { text in
      sending.yield(text)
    } ended: { [weak self] in
      // The page gets the last message, which says why.
      sending.finish()
      await delivery.value
      await self?.ended(number)
    }
    let guest = PageGuest(link.identity, plays: plays, film: film, context)
    let (requests, continuation) = AsyncStream.makeStream(
      of: (PageRequest, HostTime).self, bufferingPolicy: .bufferingNewest(1024))
    guests[number] = Connection(guest: guest, requests: continuation)
    Task {
      await guest.enter(as: PartyText.name(name) ?? "Guest")
      for await (request, arrival) in requests { await guest.handle(request, at: arrival) }
    }
  }

  private func ended(_ number: PageLink.Number) {
    guests.removeValue(forKey: number)?.requests.finish()
    machine.ended(number)
    setAlarm()
  }
}
