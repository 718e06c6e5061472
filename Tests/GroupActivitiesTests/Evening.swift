import PartyTesting
import Testing
import Timekeeping

@testable import GroupActivities

struct Film: GroupActivity {
  static let activityIdentifier = "film"
  var title: String
  var metadata: GroupActivityMetadata { GroupActivityMetadata(title: title) }
}

/// A whole party under way: Ana hosts, Ben is there, they watch a film, and an intruder has access
/// to the broker.
struct Evening: Sendable {
  let broker = MemoryBroker()
  let founding = Party.Founding()
  let ana: Party
  let ben: Party
  let session: GroupSession<Film>
  /// The intruder's connection.
  let intruder: MemoryTransport

  /// The observable state of the participants.
  struct View: Hashable {
    var participants: [Participant]
    var film: Film
    var watching: [Participant]
  }

  static func run(_ body: (Evening) async throws -> Void) async throws {
    let evening = try await Evening()
    do {
      try await body(evening)
    } catch {
      await evening.close()
      throw error
    }
    await evening.close()
  }

  private init() async throws {
    let address = [Invite.Address("127.0.0.1:62846")!]
    ana = try await Party.create(
      founding, addresses: address, name: "Ana", transport: broker.transport())
    ben = try await Party.join(ana.invite, name: "Ben", transport: broker.transport())
    for party in [ana, ben] { await party.keepSilentMembers() }
    intruder = broker.transport()
    try await intruder.connect()
    _ = try await Self.until("Ben arrives", ana) { event in
      if case .participantJoined = event { true } else { false }
    }
    let sessions = await Film.sessions(in: ana)
    try await Film(title: "Countdown").activate(in: ana)
    var first: GroupSession<Film>?
    for await session in sessions {
      first = session
      break
    }
    session = try #require(first)
    await session.join()
    for await watching in session.activeParticipantsUpdates where !watching.isEmpty { break }
    try await ben.sendChat("hello")
    _ = try await Self.until("Ben says hello", ana) { event in
      if case .chat(_, "hello") = event { true } else { false }
    }
  }

  private func close() async {
    await intruder.close()
    await ben.leave()
    await ana.leave()
  }

  /// The subject that only the host receives.
  var anasSubject: String { founding.keys.subjects.only(ana.localID) }
  var everyone: String { founding.keys.subjects.everyone }

  var view: View {
    get async {
      View(
        participants: await ana.participants, film: session.activity,
        watching: session.activeParticipants)
    }
  }

  func inject(_ payload: [UInt8], to subject: String) throws {
    try intruder.publish(payload, to: subject)
  }

  /// Runs the attack, and returns the events that Ana saw of it.
  ///
  /// Ben's next message reaches Ana after all messages of the intruder: the broker keeps the order. She may read it
  /// first, but nothing overtakes a change of the connection.
  func during(
    _ attack: () async throws -> Void
  ) async throws -> (events: [PartyEvent], rejections: PartyRejections) {
    let before = await ana.rejections
    try await attack()
    let word = "done \(UInt64.random(in: .min ... .max))"
    try await ben.sendChat(word)
    let first = try await until(word, ana) { event in
      if case .chat(_, word) = event { true } else { false }
    }
    _ = ana.inbox.put(.event(.connected(server: word)))
    let second = try await until(word, ana) { $0 == .connected(server: word) }
    return (first.dropLast() + second.dropLast(), await ana.rejections - before)
  }

  /// Reads a party's events up to the expected one. The tests' time limit is the deadline.
  func until(
    _ what: String, _ party: Party, _ isIt: (PartyEvent) -> Bool
  ) async throws -> [PartyEvent] {
    try await Self.until(what, party, isIt)
  }
}

extension Evening {
  static func until(
    _ what: String, _ party: Party, _ isIt: (PartyEvent) -> Bool
  ) async throws -> [PartyEvent] {
    var events: [PartyEvent] = []
    for await event in party.events {
      events.append(event)
      if isIt(event) { return events }
    }
    throw NeverCame(what: what, instead: events.suffix(20))
  }

  struct NeverCame: Error {
    var what: String
    var instead: ArraySlice<PartyEvent>
  }
}

extension PartyRejections {
  static func - (a: PartyRejections, b: PartyRejections) -> PartyRejections {
    var difference = PartyRejections()
    for path in [
      \.garbage, \.unsealable, \.forged, \.stale, \.invalid, \.unknown, \.excess,
    ] as [WritableKeyPath<PartyRejections, Int>] {
      difference[keyPath: path] = a[keyPath: path] - b[keyPath: path]
    }
    return difference
  }
}

extension Party {
  /// Keeps silent members, so that a slow machine removes none while a test runs.
  fileprivate func keepSilentMembers() { machine.configuration.timing.silentIntervals = 600 }
}
