import Crypto
import Foundation
import PartyTesting
import Synchronization
import Timekeeping

@testable import GroupActivities

/// A participant with a valid admission that follows no rule: it sends any bytes to any participant under its own key,
/// and receives everything.
///
/// It needs the invite's secret and a transport: a ``MemoryTransport`` for a party in one process, a
/// `NATSTransport` for a running program.
///
///     let guest = try await HostileGuest(invite, transport: transport)
///     try guest.introduce(as: HostileGuest.beacon())     // answers challenges from now on, as honest members do
///     try guest.say(.chat(ChatText(text: "hello")))      // a message in the way in which it is usually sent
///     try guest.say(.init(.event, bytes: [1]))           // any contents, numbered and signed
///     try guest.send(payload, .event, 7, to: subject)    // any contents with any number to any subject
///     let session = try await guest.session()            // the session that the others are in
///     await guest.leave()
///
/// The test waits for the admission: the others report the newcomer. Silent members are removed after a while;
/// ``stay(saying:every:)`` repeats a beacon.
final class HostileGuest: Sendable {
  let identity: ParticipantIdentity
  let epoch: UInt64
  let party: Participant.ID
  let keys: PartyKeys
  let transport: any GroupTransport
  /// The received messages that could be opened, in order, for one reader; the newest 4,096.
  let heard: AsyncStream<Heard>

  private let sealer: EnvelopeSealer
  private let state: Mutex<State>
  private let hearing: AsyncStream<Heard>.Continuation

  /// One message of another participant.
  struct Heard: Sendable {
    var subject: String
    var envelope: Envelope
    /// Nil if this program can't read the contents.
    var message: WireMessage?
  }

  private struct State {
    var event: UInt64 = 0
    var beacon: UInt64 = 0
    var loose: UInt64 = 0
    /// The answer to challenges; nil leaves them unanswered.
    var introduction: Beacon?
    var tasks: [Task<Void, Never>] = []
  }

  /// Connects, and subscribes to its own subject and to the one of all participants.
  ///
  /// - Parameters:
  ///   - identity: the identity of an earlier stay, to return as the same participant; a new one by default.
  ///   - epoch: the epoch of an earlier stay, to claim that it never left; random by default.
  init(
    party: Participant.ID, keys: PartyKeys, transport: some GroupTransport,
    identity: ParticipantIdentity = .init(), epoch: UInt64 = .random(in: .min ... .max)
  ) async throws {
    self.identity = identity
    self.epoch = epoch
    self.party = party
    self.keys = keys
    self.transport = transport
    sealer = EnvelopeSealer(party: party, identity: identity, keys: keys)
    state = Mutex(State())
    (heard, hearing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
    try await transport.connect()
    try await transport.subscribe(to: ownSubject)
    try await transport.subscribe(to: everyone)
    let events = transport.events
    own(
      Task { [weak self] in
        for await event in events {
          guard case .received(let message) = event else { continue }
          guard let self else { return }
          self.received(message)
        }
      })
  }

  convenience init(
    _ invite: Invite, transport: some GroupTransport, identity: ParticipantIdentity = .init()
  ) async throws {
    try await self.init(
      party: invite.party, keys: PartyKeys(secret: invite.secret, party: invite.party),
      transport: transport, identity: identity)
  }

  deinit {
    state.withLock { $0.tasks.forEach { $0.cancel() } }
    hearing.finish()
  }

  /// Closes the connection without an announcement.
  func leave() async {
    state.withLock { $0.tasks.forEach { $0.cancel() } }
    await transport.close()
  }

  // MARK: - Subjects

  var ownSubject: String { keys.subjects.only(identity.id) }
  var everyone: String { keys.subjects.everyone }

  /// The subject that one participant alone receives.
  func only(_ participant: Participant.ID) -> String { keys.subjects.only(participant) }

  // MARK: - Joining

  /// The group's time, if the reference runs on this machine.
  static var groupTime: GroupTime { GroupTime(nanoseconds: HostTime.now().nanoseconds) }

  /// A newcomer's first beacon.
  static func beacon(_ name: String = "Mallory", joinedAt: Int64? = nil) -> Beacon {
    Beacon(
      name: name, joinedAt: GroupTime(nanoseconds: joinedAt ?? groupTime.nanoseconds), lastEvent: 0)
  }

  /// Answers challenges from now on, as an honest member does, without sending a beacon.
  func answer(with beacon: Beacon) { state.withLock { $0.introduction = beacon } }

  /// Answers challenges, and sends the beacon that makes the others challenge it.
  func introduce(as beacon: Beacon) throws {
    answer(with: beacon)
    try say(.beacon(beacon))
  }

  /// Repeats a beacon, so that it isn't removed as silent.
  func stay(saying beacon: Beacon, every interval: Duration = .seconds(1)) {
    own(
      Task { [weak self] in
        while (try? await Task.sleep(for: interval)) != nil {
          guard let self else { return }
          // The connection may be gone: the others notice that.
          try? self.say(.beacon(beacon))
        }
      })
  }

  // MARK: - Sending

  /// Sends a message in the way that is usual for its kind.
  func say(_ message: WireMessage) throws { try say(Payload(message)) }

  /// Sends contents to all participants, with the next number of their kind.
  func say(_ payload: Payload) throws {
    let number = state.withLock { state -> UInt64 in
      switch payload.delivery {
      case .event: Self.next(&state.event)
      case .beacon: Self.next(&state.beacon)
      case .direct: 0
      case .loose, .lane: Self.next(&state.loose)
      }
    }
    try send(payload, payload.delivery, number, to: everyone)
  }

  /// Sends contents with any number to any subject, correctly signed and sealed.
  func send(
    _ payload: Payload, _ delivery: Envelope.Delivery, _ sequence: UInt64, to subject: String
  ) throws {
    let envelope = Envelope(
      sender: identity.id, epoch: epoch, delivery: delivery, sequence: sequence,
      payload: payload.bytes)
    try publish(sealer.seal(envelope, for: subject, under: .invite), to: subject)
  }

  /// Publishes bytes as they are.
  func publish(_ bytes: [UInt8], to subject: String) throws {
    try transport.publish(bytes, to: subject)
  }

  /// Seals a message with another participant's public key in it and a signature of its own.
  func forge(_ message: WireMessage, publicKey: [UInt8], to subject: String) throws {
    let body =
      epoch.bigEndianBytes + [Envelope.Delivery.event.rawValue, 1] + message.encoded()
    let signature = try identity.signature(for: body)
    let box = try ChaChaPoly.seal(
      publicKey + signature + body, using: keys.content,
      authenticating: EnvelopeSealer.header(.invite) + Array(subject.utf8))
    try publish(EnvelopeSealer.header(.invite) + Array(box.combined), to: subject)
  }

  /// Signs a piece of shared state as its author.
  func proof(of bytes: [UInt8]) -> Proof {
    Authorship.of(identity, party: party).sign(bytes)
  }

  // MARK: - Receiving

  /// Returns the first wanted message among those not read yet.
  ///
  /// - Throws: ``TooLate`` after twenty seconds.
  func hear<Wanted: Sendable>(
    _ wanted: @escaping @Sendable (Heard) -> Wanted?
  ) async throws -> Wanted {
    guard let found = try await first(of: heard, where: { wanted($0) != nil }).flatMap(wanted)
    else { throw TooLate() }
    return found
  }

  /// Asks for the session that the others are in.
  func session() async throws -> SessionRegister {
    try say(.stateRequest)
    return try await hear { heard in
      if case .direct(.state(let register))? = heard.message, !register.ended {
        register
      } else {
        nil
      }
    }
  }

  private func received(_ message: TransportMessage) {
    guard let envelope = try? sealer.open(message.payload, from: message.subject) else { return }
    let content = try? WireMessage(decoding: envelope.payload, as: envelope.delivery)
    hearing.yield(Heard(subject: message.subject, envelope: envelope, message: content))
    let (introduction, sequence) = state.withLock { ($0.introduction, $0.beacon) }
    guard case .direct(.probe(let probe))? = content, let introduction else { return }
    let reply = ProbeReply(
      nonce: probe.nonce, times: nil, baseline: 0,
      introduction: .init(beacon: introduction, beaconSequence: sequence, members: []))
    try? send(.init(.probeReply(reply)), .direct, 0, to: only(envelope.sender))
  }

  private func own(_ task: Task<Void, Never>) { state.withLock { $0.tasks.append(task) } }

  private static func next(_ number: inout UInt64) -> UInt64 {
    number += 1
    return number
  }
}

extension HostileGuest {
  /// The contents of an envelope: a message, or something that looks like one.
  struct Payload: Sendable {
    var delivery: Envelope.Delivery
    var bytes: [UInt8]

    init(_ delivery: Envelope.Delivery, _ text: String) {
      self.delivery = delivery
      bytes = Array(text.utf8)
    }

    init(_ delivery: Envelope.Delivery, bytes: some Collection<UInt8>) {
      self.delivery = delivery
      self.bytes = Array(bytes)
    }

    init(_ message: WireMessage) {
      bytes = message.encoded()
      delivery = message.delivery
    }
  }
}
