import Crypto

/// The one thing that this program says in version 1 of the protocol: a message of a type that no program of that version
/// knows. It shows its user: “Skipped a message of the unknown type protocol 2: its sender has another version of the
/// program. Use the same version.”
enum Version1 {
  static let number: UInt8 = 1
  private static let payload = #"{"t":"protocol","v":\#(EnvelopeSealer.version)}"#
  /// The delivery of a direct message, which has no number.
  private static let delivery: UInt8 = 3

  static func notice(
    party: Participant.ID, identity: ParticipantIdentity, contentKey: SymmetricKey, subject: String
  ) -> [UInt8] {
    let noNumber = UInt64(0).bigEndianBytes
    let body = noNumber + [delivery] + noNumber + Array(payload.utf8)
    let signed =
      Array("matinee envelope v1".utf8) + party.bytes
      + UInt64(subject.utf8.count).bigEndianBytes + Array(subject.utf8) + body
    do {
      let box = try ChaChaPoly.seal(
        identity.publicKey + (try identity.signature(for: signed)) + body, using: contentKey,
        authenticating: [number] + Array(subject.utf8))
      return [number] + Array(box.combined)
    } catch {
      preconditionFailure("signing and sealing bytes of ours can't fail: \(error)")
    }
  }
}
