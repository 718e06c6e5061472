import Timekeeping

/// What was asked of somebody and not answered yet, so that the same isn't asked of everybody who speaks of it.
struct OpenQuestions: Hashable, Sendable {
  enum Topic: Hashable, Sendable {
    case session(Stamp)
    /// By its digest.
    case charter(UInt64)
    case coordination(Participant.ID, version: UInt64)
  }

  private var askedAt: [Topic: HostTime] = [:]

  /// After this time another is asked.
  static let patience = Duration.milliseconds(300)
  private static let limit = 64

  /// - Returns: whether to ask now.
  mutating func mayAsk(_ topic: Topic, at now: HostTime) -> Bool {
    if let asked = askedAt[topic], now - asked < Self.patience { return false }
    if askedAt.count >= Self.limit {
      askedAt = askedAt.filter { now - $0.value < Self.patience }
      guard askedAt.count < Self.limit else { return false }
    }
    askedAt[topic] = now
    return true
  }
}
