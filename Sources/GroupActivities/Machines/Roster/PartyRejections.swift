/// The number of discarded messages, by reason. None of them changed anything.
public struct PartyRejections: Hashable, Sendable, Codable {
  /// The number of messages that weren't sealed, or had an unknown version.
  public var garbage = 0
  /// The number of messages that were sealed under another key, damaged, or moved to another subject. A message that
  /// waits for its key counts until it is opened.
  public var unsealable = 0
  /// The number of messages that were sealed by a participant but not signed by the named sender.
  public var forged = 0
  /// The number of messages that were seen before, or whose sender didn't answer a fresh challenge.
  public var stale = 0
  /// The number of signed and sealed messages whose content breaks a rule or a limit.
  public var invalid = 0
  /// The number of messages of a type or version that this program doesn't know.
  public var unknown = 0
  /// The number of messages over one participant's rate limit.
  public var excess = 0

  /// The number of messages from a removed participant, or from one without the required permission.
  public var unauthorized = 0

  /// Creates a count of zero.
  public init() {}

  /// The number of all discarded messages.
  public var total: Int {
    garbage + unsealable + forged + stale + invalid + unknown + excess + unauthorized
  }

  mutating func count(_ error: EnvelopeError, times: Int = 1) {
    switch error {
    case .garbage, .unknownVersion: garbage += times
    case .notSealedForUs, .unknownKey: unsealable += times
    case .forged: forged += times
    case .repeated: stale += times
    }
  }
}
