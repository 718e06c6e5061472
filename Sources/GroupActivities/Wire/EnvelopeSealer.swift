import Crypto
import Timekeeping

/// Signs and seals envelopes, and opens and verifies them.
///
/// A sealed message is `version (1) · key id (4) · nonce (12) · ciphertext · tag (16)`: ChaCha20-Poly1305 (RFC 8439)
/// under the content key with that id (0 for the invite's), with the version, the key's id and the subject as
/// authenticated data.
/// The plaintext is `public key (32) · signature (64) · epoch (8) · delivery (1) · sequence (LEB128) · payload`: Ed25519
/// (RFC 8032) over a label, the party, the subject, and all that follows the signature. Binding the subject prevents a
/// broker from delivering a message to another recipient.
struct EnvelopeSealer: Sendable {
  private let party: Participant.ID
  private let identity: ParticipantIdentity
  /// The keys that messages are sealed with and opened with.
  let ring: KeyRing

  init(party: Participant.ID, identity: ParticipantIdentity, keys: PartyKeys) {
    self.party = party
    self.identity = identity
    ring = KeyRing(party: party, keys: keys)
  }

  /// - Parameters:
  ///   - envelope: the envelope. Its ``Envelope/sender`` is ignored: the sender is this identity.
  ///   - key: a key on the ``ring``.
  ///   - nonce: random, never used twice; given only by tests.
  func seal(
    _ envelope: Envelope, for subject: String, under key: ContentKeyID,
    nonce: ChaChaPoly.Nonce = ChaChaPoly.Nonce()
  ) -> [UInt8] {
    guard let contentKey = ring.key(key) else {
      preconditionFailure("messages are sealed with a key that isn't on the ring")
    }
    let header = Self.header(key)
    var body = BinaryWriter()
    body.word(envelope.epoch)
    body.byte(envelope.delivery.rawValue)
    body.number(envelope.sequence)
    body.fixed(envelope.payload)
    do {
      let signature = try identity.signature(for: signedBytes(body.bytes[...], subject: subject))
      let box = try ChaChaPoly.seal(
        identity.publicKey + signature + body.bytes, using: contentKey, nonce: nonce,
        authenticating: header + Array(subject.utf8))
      return header + Array(box.combined)
    } catch {
      preconditionFailure("signing and sealing bytes of ours can't fail: \(error)")
    }
  }

  /// Opens a message and verifies it.
  func open(_ sealed: [UInt8], from subject: String) throws(EnvelopeError) -> Envelope {
    try verify(unseal(sealed, from: subject), from: subject)
  }

  /// Decrypts a message without verifying its signature, since that costs many times as much as the decryption.
  ///
  /// - Returns: the signed bytes, for ``verify(_:from:)``.
  func unseal(_ sealed: [UInt8], from subject: String) throws(EnvelopeError) -> [UInt8] {
    guard let version = sealed.first, let (header, key) = Self.header(of: sealed),
      sealed.count > header.count + Self.boxOverhead
    else { throw .garbage }
    guard let contentKey = ring.key(key) else {
      // A key may arrive later. Nothing proves yet that the message was sealed by a program of another version.
      throw version == Self.version ? .unknownKey(key) : .notSealedForUs
    }
    let plaintext: [UInt8]
    do {
      let box = try ChaChaPoly.SealedBox(combined: sealed.dropFirst(header.count))
      plaintext = Array(
        try ChaChaPoly.open(
          box, using: contentKey, authenticating: header + Array(subject.utf8)))
    } catch {
      throw .notSealedForUs
    }
    // All versions have the same seal, so that a broker can't pretend to be a program of another one.
    guard version == Self.version else { throw .unknownVersion(version) }
    return plaintext
  }

  /// Returns the claims of a decrypted message with its payload, before its signature is verified; nil if it has none.
  func claims(of original: [UInt8]) -> (heading: Envelope.Heading, payload: ArraySlice<UInt8>)? {
    guard original.count > Self.proofSize else { return nil }
    var reader = BinaryReader(original[Self.proofSize...])
    guard let epoch = try? reader.word(), let number = try? reader.byte(),
      let delivery = Envelope.Delivery(rawValue: number), let sequence = try? reader.number()
    else { return nil }
    let heading = Envelope.Heading(
      sender: Participant.ID(publicKey: Array(original[..<32])), epoch: epoch, delivery: delivery,
      sequence: sequence)
    return (heading, reader.rest)
  }

  /// Verifies a message to a subject, in its signed form: from the inside of a sealed message, or passed on by another
  /// participant.
  func verify(
    _ original: [UInt8], from subject: String
  ) throws(EnvelopeError) -> Envelope {
    guard original.count > Self.proofSize else { throw .garbage }
    let signature = original[32..<Self.proofSize]
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: original[..<32]),
      key.isValidSignature(
        signature, for: signedBytes(original[Self.proofSize...], subject: subject))
    else { throw .forged }
    guard let (heading, payload) = claims(of: original) else { throw .garbage }
    return Envelope(
      sender: heading.sender, epoch: heading.epoch, delivery: heading.delivery,
      sequence: heading.sequence, payload: Array(payload), original: original)
  }

  private func signedBytes(_ body: ArraySlice<UInt8>, subject: String) -> [UInt8] {
    var writer = BinaryWriter()
    writer.fixed("matinee envelope v2".utf8)
    writer.value(party)
    // The subject is the only part of unknown length before the body; its length separates the two.
    writer.text(subject)
    writer.fixed(body)
    return writer.bytes
  }

  /// Returns the beginning of a message that is sealed with a key.
  static func header(_ key: ContentKeyID) -> [UInt8] {
    var writer = BinaryWriter()
    writer.byte(version)
    writer.value(key)
    return writer.bytes
  }

  /// Returns a message's beginning, and the key that it names.
  private static func header(of sealed: [UInt8]) -> (bytes: ArraySlice<UInt8>, key: ContentKeyID)? {
    var reader = BinaryReader(sealed.dropFirst())
    guard let key = try? reader.value(ContentKeyID.self) else { return nil }
    return (sealed.prefix(5), key)
  }

  /// The protocol's version. Programs of different versions don't understand each other (``ForeignPrograms``).
  static let version: UInt8 = 2
  /// The public key and the signature.
  private static let proofSize = 32 + 64
  /// The nonce and the authentication tag.
  private static let boxOverhead = 12 + 16
  /// The least number of bytes that sealing adds to a payload; more with a number above 127.
  static let overhead = 5 + boxOverhead + proofSize + 10
}

/// A reason for discarding a message. Discarded messages change nothing; they are counted.
enum EnvelopeError: Error, Hashable, Sendable {
  case garbage
  case unknownVersion(UInt8)
  /// Sealed with a key that this participant doesn't hold, perhaps not yet.
  case unknownKey(ContentKeyID)
  /// Damaged, moved to another subject, or sealed under another key.
  case notSealedForUs
  /// Sealed by a member, but not signed by the key that it names.
  case forged
  /// Heard before: the rest of the message wasn't verified.
  case repeated
}

/// A message that is sealed with a key that this participant doesn't hold.
struct SealedMessage: Hashable, Sendable {
  var key: ContentKeyID
  var subject: String
  var payload: [UInt8]
  var receivedAt: HostTime
}
