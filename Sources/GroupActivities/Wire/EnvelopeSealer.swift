import Crypto

/// Signs and seals envelopes, and opens and verifies them.
///
/// A sealed message is `version (1) · nonce (12) · ciphertext · tag (16)`: ChaCha20-Poly1305 (RFC 8439) under the
/// party's content key, with the version and the subject as authenticated data.
/// The plaintext is `public key (32) · signature (64) · epoch (8) · delivery (1) · sequence (8) ·
/// payload`: Ed25519 (RFC 8032) over a label, the party, the subject, and all that follows the signature. Binding the
/// subject prevents a broker from delivering a message to another recipient.
struct EnvelopeSealer: Sendable {
  private let party: Participant.ID
  private let identity: ParticipantIdentity
  private let contentKey: SymmetricKey

  init(party: Participant.ID, identity: ParticipantIdentity, keys: PartyKeys) {
    self.party = party
    self.identity = identity
    contentKey = keys.content
  }

  /// - Parameter envelope: the envelope. Its ``Envelope/sender`` is ignored: the sender is this identity.
  func seal(_ envelope: Envelope, for subject: String) -> [UInt8] {
    let body =
      envelope.epoch.bigEndianBytes + [envelope.delivery.rawValue]
      + envelope.sequence.bigEndianBytes + envelope.payload
    do {
      let signature = try identity.signature(for: signedBytes(body, subject: subject))
      let box = try ChaChaPoly.seal(
        identity.publicKey + signature + body, using: contentKey,
        authenticating: [Self.version] + Array(subject.utf8))
      return [Self.version] + Array(box.combined)
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
    guard let version = sealed.first else { throw .garbage }
    guard version == Self.version else { throw .unknownVersion(version) }
    guard sealed.count >= Self.overhead else { throw .garbage }
    do {
      let box = try ChaChaPoly.SealedBox(combined: sealed.dropFirst())
      return Array(
        try ChaChaPoly.open(
          box, using: contentKey, authenticating: [Self.version] + Array(subject.utf8)))
    } catch {
      throw .notSealedForUs
    }
  }

  /// Returns the claims of a decrypted message, before its signature is verified; nil if it has none.
  func heading(of original: [UInt8]) -> Envelope.Heading? {
    guard original.count >= Self.signedOverhead,
      let delivery = Envelope.Delivery(rawValue: original[104])
    else { return nil }
    return Envelope.Heading(
      sender: Participant.ID(publicKey: Array(original[0..<32])),
      epoch: UInt64(bigEndianBytes: original[96..<104]), delivery: delivery,
      sequence: UInt64(bigEndianBytes: original[105..<113]))
  }

  /// Returns the payload of a decrypted message that has a heading.
  func payload(of original: [UInt8]) -> ArraySlice<UInt8> { original[Self.signedOverhead...] }

  /// Verifies a message to a subject, in its signed form: from the inside of a sealed message, or passed on by another
  /// participant.
  func verify(
    _ original: [UInt8], from subject: String
  ) throws(EnvelopeError) -> Envelope {
    guard original.count >= Self.signedOverhead else { throw .garbage }
    let publicKey = Array(original[0..<32])
    let signature = original[32..<96]
    let body = Array(original[96...])
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey),
      key.isValidSignature(signature, for: signedBytes(body, subject: subject))
    else { throw .forged }
    guard let delivery = Envelope.Delivery(rawValue: body[8]) else { throw .garbage }
    return Envelope(
      sender: Participant.ID(publicKey: publicKey), epoch: UInt64(bigEndianBytes: body[0..<8]),
      delivery: delivery, sequence: UInt64(bigEndianBytes: body[9..<17]),
      payload: Array(body[17...]), original: original)
  }

  private func signedBytes(_ body: [UInt8], subject: String) -> [UInt8] {
    // The subject is the only part of unknown length before the body; its length separates the two.
    Array("matinee envelope v1".utf8) + party.high.bigEndianBytes + party.low.bigEndianBytes
      + UInt64(subject.utf8.count).bigEndianBytes + Array(subject.utf8) + body
  }

  private static let version: UInt8 = 1
  /// The number of bytes that sealing adds to a payload.
  static let overhead = 1 + 12 + 16 + signedOverhead
  /// The number of bytes that signing adds to a payload.
  private static let signedOverhead = 32 + 64 + 17
}

/// A reason for discarding a message. Discarded messages change nothing; they are counted.
enum EnvelopeError: Error, Hashable, Sendable {
  case garbage
  case unknownVersion(UInt8)
  /// Damaged, moved to another subject, or sealed under another key.
  case notSealedForUs
  /// Sealed by a member, but not signed by the key that it names.
  case forged
  /// Heard before: the rest of the message wasn't verified.
  case repeated
}
