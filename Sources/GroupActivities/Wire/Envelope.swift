/// A message's payload with its headers, all of it signed by the sender.
struct Envelope: Hashable, Sendable {
  /// The session layer's treatment of the message.
  enum Delivery: UInt8, Hashable, Sendable {
    /// In order and exactly once: ``sequence`` counts the sender's events from 1.
    case event = 1
    /// Newest wins: ``sequence`` counts the sender's beacons from 1.
    case beacon = 2
    /// Without order or counter: ``sequence`` is 0, and a nonce in the payload proves freshness.
    case direct = 3
    /// At most once, in any order: ``sequence`` counts the sender's loose messages from 1.
    case loose = 4
    /// Like ``loose``, with a counter of its own: the messages of lanes, whose users repair them.
    case lane = 5
  }

  /// The claimed sender, and the message's number in the sender's order.
  struct Heading: Hashable, Sendable {
    var sender: Participant.ID
    var epoch: UInt64
    var delivery: Delivery
    var sequence: UInt64
  }

  var sender: Participant.ID
  /// A random number per process start, so that a sender's counters never restart under one identity.
  var epoch: UInt64
  var delivery: Delivery
  var sequence: UInt64
  var payload: [UInt8]
  /// The whole message as its sender signed it. It lets others prove that the sender sent it
  /// (``EnvelopeSealer/verify(_:from:)``). Empty in an envelope that isn't sealed yet.
  var original: [UInt8] = []
}

extension Envelope {
  /// Compares without ``original``, which follows from the other properties and a key.
  static func == (a: Envelope, b: Envelope) -> Bool {
    a.sender == b.sender && a.epoch == b.epoch && a.delivery == b.delivery
      && a.sequence == b.sequence && a.payload == b.payload
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(sender)
    hasher.combine(epoch)
    hasher.combine(delivery)
    hasher.combine(sequence)
    hasher.combine(payload)
  }
}
