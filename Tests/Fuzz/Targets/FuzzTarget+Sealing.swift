import Crypto
import Foundation
import Timekeeping

@testable import GroupActivities

extension FuzzTarget {
  static let sealing = [envelope, insideEnvelope, invite]

  private static let founding = Party.Founding()
  private static let subject = founding.keys.subjects.everyone
  private static let sealer = EnvelopeSealer(
    party: founding.identity.id, identity: founding.identity, keys: founding.keys)

  private static let header = EnvelopeSealer.header(.invite)

  private static let sample = Envelope(
    sender: founding.identity.id, epoch: 7, delivery: .event, sequence: 1,
    payload: WireMessage.chat(ChatText(text: "hello")).encoded())

  /// Bytes from a broker.
  private static let envelope = FuzzTarget(
    "envelope", seeds: [sealer.seal(sample, for: subject, under: .invite)]
  ) { bytes in
    guard let opened = try? sealer.open(bytes, from: subject) else { return }
    try hold(opened == sample, "a changed envelope was opened")
  }

  /// Bytes that a member has sealed, with a content of its choice.
  private static let insideEnvelope = FuzzTarget(
    "envelope-inside", seeds: [body(of: sample), Array("short".utf8), []]
  ) { bytes in
    // Signed with the key that it names, and with another participant's.
    let identity = ParticipantIdentity()
    for key in [identity.publicKey, founding.identity.publicKey] {
      let signature = try identity.signature(for: Array(bytes.prefix(64)))
      let box = try ChaChaPoly.seal(
        key + signature + bytes, using: founding.keys.content,
        authenticating: header + Array(subject.utf8))
      try hold(
        (try? sealer.open(header + Array(box.combined), from: subject)) == nil,
        "a signature over something else was good enough")
    }
    let short = try ChaChaPoly.seal(
      bytes, using: founding.keys.content, authenticating: header + Array(subject.utf8))
    try hold(
      (try? sealer.open(header + Array(short.combined), from: subject)) == nil, "it opened")
    let signed = founding.identity.publicKey + [UInt8](repeating: 0, count: 64) + bytes
    guard let (heading, payload) = sealer.claims(of: signed) else { return }
    let said = Envelope(
      sender: founding.identity.id, epoch: heading.epoch, delivery: heading.delivery,
      sequence: heading.sequence, payload: Array(payload))
    try hold(
      try sealer.open(sealer.seal(said, for: subject, under: .invite), from: subject) == said,
      "sealed and opened it is another")
  }

  private static func body(of envelope: Envelope) -> [UInt8] {
    envelope.epoch.bigEndianBytes + [envelope.delivery.rawValue, UInt8(envelope.sequence)]
      + envelope.payload
  }

  private static let invite = FuzzTarget(
    "invite",
    texts: [
      "matinee://127.0.0.1:62846,[fe80::1]:1/00112233445566778899aabbccddeeff"
        + "#AAAAAAAAAAAAAAAAAAAAAA",
      " <matinee://host.example:1/00112233445566778899aabbccddeeff#AAAAAAAAAAAAAAAAAAAAAA> ",
    ]
  ) { bytes in
    guard let invite = try? Invite(String(decoding: bytes, as: UTF8.self)) else { return }
    try hold((try? Invite(invite.text)) == invite, "\(invite.text) is another invite")
    try hold((1...16).contains(invite.addresses.count), "\(invite.addresses.count) addresses")
  }
}
