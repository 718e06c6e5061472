import Timekeeping

/// Tracks whether the reference's roster differs from this participant's, and when to ask the reference about
/// it.
struct RosterDoubt: Hashable, Sendable {
  private var since: HostTime?
  private(set) var askAt: HostTime?
  private var askedAt: HostTime?

  /// The time for which a difference is normal, since some participants learn of an arrival or departure
  /// before others.
  private static let patience = Duration.milliseconds(500)
  /// The time within which answers arrive.
  private static let answerTime = Duration.seconds(5)

  /// The reference's roster equals this participant's.
  mutating func rosterAgrees() {
    since = nil
    askAt = nil
  }

  /// The reference's roster differs.
  ///
  /// - Parameters:
  ///   - pause: the shortest time between two questions.
  ///   - wait: the delay of the question, so that not all participants ask at once.
  mutating func rosterDiffers(at now: HostTime, pause: Duration, wait: Duration) {
    guard let since else {
      since = now
      return
    }
    guard askAt == nil, now - since >= Self.patience, askedAt.map({ now - $0 >= pause }) ?? true
    else { return }
    askAt = now + wait
  }

  /// - Returns: true if the question is due now.
  mutating func questionDue(at now: HostTime) -> Bool {
    guard let due = askAt, now >= due else { return false }
    askAt = nil
    askedAt = now
    return true
  }

  mutating func asked(at now: HostTime) { askedAt = now }

  func awaitsAnswer(at now: HostTime) -> Bool {
    askedAt.map { now - $0 < Self.answerTime } ?? false
  }
}
