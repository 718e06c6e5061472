/// What a message carries besides its payload, all of it signed by the sender.
struct Envelope: Hashable, Sendable {
  /// How the session layer treats the message.
  enum Delivery: UInt8, Hashable, Sendable {
    /// In order and exactly once: ``sequence`` counts the sender's events from 1.
    case event = 1
    /// Newest wins: ``sequence`` counts the sender's beacons from 1.
    case beacon = 2
    /// Neither: ``sequence`` is 0, and freshness comes from a nonce in the payload.
    case direct = 3
    /// At most once, in any order: ``sequence`` counts the sender's loose messages from 1.
    case loose = 4
    /// Like ``loose``, with a count of its own: what a journal says, which repairs itself.
    case journal = 5
  }

  /// The claims about who said something, and when in the order of what it said.
  struct Heading: Hashable, Sendable {
    var sender: Participant.ID
    var epoch: UInt64
    var delivery: Delivery
    var sequence: UInt64
  }

  var sender: Participant.ID
  /// Random per process start, so that a sender's counters never start over under one name.
  var epoch: UInt64
  var delivery: Delivery
  var sequence: UInt64
  var payload: [UInt8]
  /// All of it as its sender signed it, by which others can show that it said so
  /// (``EnvelopeSealer/verify(_:from:)``). Empty in one that isn't sealed yet.
  var original: [UInt8] = []
}

extension Envelope {
  /// ``original`` follows from the rest, and from a key.
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
