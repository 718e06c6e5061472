import GroupActivities
import Logging
import NATSTransport
import Relay

/// Connects this program's standby relay with the relay that the party uses, for participants that reach only the
/// former: a newcomer whose invite leads there, or a participant in another network.
///
/// This participant hears those clients directly, and speaks to them: the relay in use may pass nothing on.
///
/// A relay has one owner, who bridges only to the relay that the owner uses itself, so there are no loops. A message
/// that goes both ways for a moment, while a participant moves, counts once.
actor RelayBridge {
  private let relay: Relay
  private let below: LoopbackTransport
  private let above: NATSTransport
  private let subjects: PartySubjects
  private let party: Party
  private var tasks: [Task<Void, Never>] = []
  /// The subjects of single participants that are subscribed to, below and above.
  private var fetched: (below: Set<String>, above: Set<String>) = ([], [])

  /// The interval between two looks at the participants on both sides.
  private static let pace = Duration.milliseconds(250)

  /// - Parameter server: the relay that the party uses, as its `connected` event names it.
  init?(relay: Relay, party: Party, to server: String) {
    guard let address = try? ServerAddress(server) else { return nil }
    let keys = PartyKeys(secret: party.invite.secret, party: party.invite.party)
    self.relay = relay
    self.party = party
    subjects = keys.subjects
    below = relay.attach(as: keys.admission.publicKey)
    above = NATSTransport(
      configuration: NATSConfiguration(servers: [address]), admission: keys.admission,
      logger: .ofTransport)
  }

  /// Passes messages on until ``stop()``.
  ///
  /// - Throws: `TransportError`, after which it is stopped.
  func start() async throws(TransportError) {
    do {
      try await above.connect()
      try await below.connect()
      try await above.subscribe(to: subjects.everyone)
      try await below.subscribe(to: subjects.everyone)
      try await below.subscribe(to: subjects.topics)
      // The members above answer newcomers below.
      try await below.subscribe(to: subjects.anyone, group: PartySubjects.members)
    } catch {
      await stop()
      throw error
    }
    party.bridges(below)
    tasks = [
      Self.pass(from: below, to: above) { [party] in await party.overheard($0) },
      Self.pass(from: above, to: below),
      Task { [weak self] in
        repeat { await self?.lookAround() } while (try? await Task.sleep(for: Self.pace)) != nil
      },
    ]
  }

  func stop() async {
    party.bridges(nil)
    for task in tasks { task.cancel() }
    tasks = []
    await below.close()
    await above.close()
  }

  private static func pass(
    from source: any GroupTransport, to target: any GroupTransport,
    overheard: @escaping @Sendable (TransportMessage) async -> Void = { _ in }
  ) -> Task<Void, Never> {
    Task {
      for await event in source.events {
        // A message that can't be passed on is lost, which the participants repair.
        if case .received(let message) = event {
          try? target.publish(message.payload, to: message.subject)
          await overheard(message)
        }
      }
    }
  }

  /// Subscribes on each side to the messages for the participants on the other one.
  private func lookAround() async {
    let subscribed = await relay.clientSubjects()
    let clients = subscribed.filter { $0.hasPrefix(subjects.prefix + ".to.") }
    let topics = subscribed.filter { $0.hasPrefix(subjects.topics.dropLast()) }
    for subject in clients.union(topics).subtracting(fetched.above) {
      guard (try? await above.subscribe(to: subject)) != nil else { continue }
      fetched.above.insert(subject)
    }
    let members = await party.participants.map { subjects.only($0.id) }
    for subject in Set(members).subtracting(clients).subtracting(fetched.below) {
      guard (try? await below.subscribe(to: subject)) != nil else { continue }
      fetched.below.insert(subject)
    }
  }
}
