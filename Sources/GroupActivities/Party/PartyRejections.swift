/// How many messages were thrown away, by reason. None of them changed anything.
public struct PartyRejections: Hashable, Sendable, Codable {
  /// Not a sealed message at all, or of an unknown version.
  public var garbage = 0
  /// Sealed under another key, damaged, or moved to another subject.
  public var unsealable = 0
  /// Sealed by a member, but under a signature that isn't the named sender's.
  public var forged = 0
  /// Seen before, or from somebody who didn't answer a fresh challenge.
  public var stale = 0
  /// Signed and sealed, but its content breaks a rule or a limit.
  public var invalid = 0
  /// Of a type or version that this program doesn't know.
  public var unknown = 0
  /// Over the rate that one participant may send at.
  public var excess = 0

  /// From somebody who was removed, or who may not do that in this party.
  public var unauthorized = 0

  public init() {}

  public var total: Int {
    garbage + unsealable + forged + stale + invalid + unknown + excess + unauthorized
  }

  mutating func count(_ error: EnvelopeError) {
    switch error {
    case .garbage, .unknownVersion: garbage += 1
    case .notSealedForUs: unsealable += 1
    case .forged: forged += 1
    case .repeated: stale += 1
    }
  }
}
