import Crypto
import Foundation

/// An epoch of a party's content keys. It follows from the rules alone: it is a digest of the participants that they
/// exclude, so that all participants that hold the same policy log are in the same epoch.
///
/// A removal, a closing and an opening change it. Two removals in different orders lead to the same epoch. A key of an
/// epoch is sealed for participants that the epoch admits, and for no others. Opening a closed party again leads to a
/// new epoch, not to the one before the closing.
struct KeyEpoch: Hashable, Sendable {
  let rawValue: UInt64

  /// The epoch in which everyone with an invite is admitted: the key that follows from the invite seals all messages.
  static let invite = KeyEpoch(rawValue: 0)

  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// - Parameter round: numbers that change when the party is closed and opened.
  init(of rules: PartyRules, round: [UInt64] = []) {
    guard !rules.removed.isEmpty || rules.admitted != nil else {
      self = .invite
      return
    }
    var hash = SHA256()
    hash.update(data: Array("matinee key epoch v1".utf8))
    hash.update(data: UInt64(rules.removed.count).bigEndianBytes)
    for id in rules.removed.sorted() { hash.update(data: id.bytes) }
    if let admitted = rules.admitted {
      hash.update(data: UInt64(admitted.count).bigEndianBytes)
      for id in admitted.sorted() { hash.update(data: id.bytes) }
    } else {
      hash.update(data: UInt64.max.bigEndianBytes)
    }
    for number in round { hash.update(data: number.bigEndianBytes) }
    rawValue = max(1, UInt64(bigEndianBytes: Array(hash.finalize().prefix(8))))
  }
}

/// The name of a content key in the header of a sealed message.
struct ContentKeyID: Hashable, Sendable {
  let rawValue: UInt32

  /// The key that follows from the invite.
  static let invite = ContentKeyID(rawValue: 0)
}

/// The secret of an epoch, from which its content key follows: 32 random bytes that one participant drew.
struct EpochSecret: Hashable, Sendable {
  let epoch: KeyEpoch
  /// The secret's 32 bytes.
  let bytes: [UInt8]

  static let byteCount = 32

  /// - Returns: nil unless `bytes` are 32, and the epoch has a key besides the invite's.
  init?(epoch: KeyEpoch, bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, epoch != .invite else { return nil }
    self.epoch = epoch
    self.bytes = bytes
  }

  /// The key's name. It reveals nothing about the key.
  var id: ContentKeyID {
    let bytes = derive("matinee epoch key id v1", count: 4).withUnsafeBytes { Array($0) }
    let value = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return ContentKeyID(rawValue: max(1, value))
  }

  /// The bytes that the author of the secret signs: the epoch, and a hash of the secret.
  var provenBytes: [UInt8] {
    ProofPurpose.contentKey.label + epoch.rawValue.bigEndianBytes + Array(SHA256.hash(data: bytes))
  }

  /// Returns the key that seals the messages of a party.
  func contentKey(party: Participant.ID) -> SymmetricKey {
    derive("matinee epoch content v1", salt: party.bytes, count: 32)
  }

  private func derive(_ label: String, salt: [UInt8] = [], count: Int) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: bytes), salt: salt + epoch.rawValue.bigEndianBytes,
      info: Array(label.utf8), outputByteCount: count)
  }
}

extension EpochSecret: CustomStringConvertible, CustomDebugStringConvertible {
  var description: String { "(epoch secret)" }
  /// A placeholder. A log never shows the secret.
  var debugDescription: String { description }
}
