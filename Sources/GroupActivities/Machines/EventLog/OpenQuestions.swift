import Timekeeping

/// The unanswered questions, so that the same question isn't sent to every participant that mentions its
/// topic.
struct OpenQuestions: Hashable, Sendable {
  enum Topic: Hashable, Sendable {
    case session(Stamp)
    /// A policy log, by its digest.
    case policyLog(UInt64)
    case coordination(Participant.ID, version: UInt64)
  }

  private var askedAt: [Topic: HostTime] = [:]

  /// The time after which another participant is asked.
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
