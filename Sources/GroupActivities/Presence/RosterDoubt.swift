import Timekeeping

/// Whether the reference knows others than this participant does, and when to ask it about them.
struct RosterDoubt: Hashable, Sendable {
  private var since: HostTime?
  private(set) var askAt: HostTime?
  private var askedAt: HostTime?

  /// Who has just come or gone is known to some a moment before the others.
  private static let patience = Duration.milliseconds(500)
  /// What comes in answer comes within this time.
  private static let answerTime = Duration.seconds(5)

  /// The reference's idea is this participant's too.
  mutating func settle() {
    since = nil
    askAt = nil
  }

  /// - Parameters:
  ///   - pause: between two questions.
  ///   - wait: so that not everybody asks at once.
  mutating func doubt(at now: HostTime, pause: Duration, wait: Duration) {
    guard let since else {
      since = now
      return
    }
    guard askAt == nil, now - since >= Self.patience, askedAt.map({ now - $0 >= pause }) ?? true
    else { return }
    askAt = now + wait
  }

  /// - Returns: whether to ask now.
  mutating func takeDue(at now: HostTime) -> Bool {
    guard let due = askAt, now >= due else { return false }
    askAt = nil
    askedAt = now
    return true
  }

  mutating func noteAsked(at now: HostTime) { askedAt = now }

  func awaitsAnswer(at now: HostTime) -> Bool {
    askedAt.map { now - $0 < Self.answerTime } ?? false
  }
}
