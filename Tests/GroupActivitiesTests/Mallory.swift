import Crypto
import PartyTesting
import Synchronization
import Testing
import Timekeeping

@testable import GroupActivities

/// A member gone bad: has the invite, and says whatever it likes under its own key.
final class Mallory: Sendable {
  let identity = ParticipantIdentity()
  let epoch = UInt64.random(in: .min ... .max)
  private let keys: PartyKeys
  private let sealer: EnvelopeSealer
  private let transport: MemoryTransport
  private let numbers = Mutex((event: UInt64(0), beacon: UInt64(0), loose: UInt64(0)))
  private let answers: Mutex<Task<Void, Never>?> = Mutex(nil)

  init(_ evening: Evening) async throws {
    keys = evening.founding.keys
    sealer = EnvelopeSealer(party: evening.founding.identity.id, identity: identity, keys: keys)
    transport = evening.broker.transport()
    try await transport.connect()
    try await transport.subscribe(to: keys.subjects.only(identity.id))
  }

  deinit { answers.withLock { $0?.cancel() } }

  // MARK: - Getting in

  /// Answers challenges as an honest member does, and returns once Ana has let it in.
  ///
  /// - Parameter beacon: how it introduces itself.
  func enter(_ evening: Evening, as beacon: Beacon) async throws {
    answer(with: beacon)
    try say(.beacon(beacon))
    _ = try await evening.until("Mallory is let in", evening.ana) { event in
      if case .participantJoined(let who) = event { who.id == self.identity.id } else { false }
    }
  }

  func answer(with beacon: Beacon) {
    let events = transport.events
    let subject = keys.subjects.only(identity.id)
    answers.withLock {
      $0 = Task { [weak self] in
        for await case .received(let message) in events {
          guard let self, let envelope = try? self.sealer.open(message.payload, from: subject),
            case .probe(let probe)? = try? WireMessage(decoding: envelope.payload)
          else { continue }
          let reply = ProbeReply(
            nonce: probe.nonce, times: nil, baseline: 0,
            introduction: .init(
              beacon: beacon, beaconSequence: self.numbers.withLock { $0.beacon }, members: []))
          try? self.send(
            .init(.probeReply(reply)), .direct, 0, to: self.keys.subjects.only(envelope.sender))
        }
      }
    }
  }

  /// Somebody who just arrived, by the clock of this machine, which is the creator's.
  static func beacon(_ name: String = "Mallory") -> Beacon {
    .of(name, joinedAt: HostTime.now().nanoseconds)
  }

  // MARK: - Talking

  /// Says something in the way in which its kind is said.
  func say(_ message: WireMessage) throws { try say(Payload(message)) }

  func say(_ payload: Payload) throws {
    let subject = keys.subjects.everyone
    switch payload.delivery {
    case .event: try send(payload, .event, numbers.withLock { next(&$0.event) }, to: subject)
    case .beacon:
      try send(payload, .beacon, numbers.withLock { next(&$0.beacon) }, to: subject)
    case .direct:
      try send(payload, .direct, 0, to: subject)
    case .loose, .journal:
      try send(payload, payload.delivery, numbers.withLock { next(&$0.loose) }, to: subject)
    }
  }

  func send(
    _ payload: Payload, _ delivery: Envelope.Delivery, _ sequence: UInt64, to subject: String
  ) throws {
    let envelope = Envelope(
      sender: identity.id, epoch: epoch, delivery: delivery, sequence: sequence,
      payload: payload.bytes)
    try transport.publish(sealer.seal(envelope, for: subject), to: subject)
  }

  /// Seals a message with somebody else's public key in it and a signature of its own.
  func forge(_ message: WireMessage, publicKey: [UInt8], to subject: String) throws {
    let body =
      epoch.bigEndianBytes + [Envelope.Delivery.event.rawValue] + UInt64(1).bigEndianBytes
      + message.encoded()
    let signature = try identity.signature(for: body)
    let box = try ChaChaPoly.seal(
      publicKey + signature + body, using: keys.content,
      authenticating: [1] + Array(subject.utf8))
    try transport.publish([1] + Array(box.combined), to: subject)
  }

  private func next(_ number: inout UInt64) -> UInt64 {
    number += 1
    return number
  }

  /// What is inside an envelope: a message, or something that looks like one.
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
      switch message {
      case .chat, .session, .coordination, .app, .leave, .charter: delivery = .event
      case .beacon: delivery = .beacon
      case .probe, .probeReply, .resendRequest, .resendRefusal, .stateRequest, .state, .farewell,
        .charterRequest, .coordinationRequest, .arrival, .welcome, .vector, .originals, .roster:
        delivery = .direct
      case .journal: delivery = .journal
      }
    }
  }
}
