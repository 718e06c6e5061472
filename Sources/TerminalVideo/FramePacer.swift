import DequeModule
import Timekeeping

/// Sends no more frames than the terminal takes, so that a slow link loses frames and never lags behind.
///
/// Each frame ends with a question (``question``) that the terminal answers when it has shown it
/// (`DSR 5`, ECMA-48 §8.3.35); only so many may be open.
public struct FramePacer: Hashable, Sendable {
  private var open: Deque<HostTime> = []
  private var hasAnswered = false
  /// Set when the terminal answers no questions: then only the writing itself holds us back.
  public private(set) var isUnanswered = false
  /// How long the last answer took.
  public private(set) var roundTrip: Duration?

  public static let question: [UInt8] = Array("\u{1B}[5n".utf8)
  /// So many frames are on their way at most.
  private static let limit = 2
  /// Of a terminal that takes longer one at a time: a second one only waits behind it.
  private static let slow = Duration.milliseconds(400)
  /// After this time an answer isn't waited for any more.
  private static let patience = Duration.seconds(1)

  public init() {}

  /// Whether an answer is still to come.
  public var awaitsAnswer: Bool { !open.isEmpty }

  /// Whether the next frame may be sent.
  public mutating func maySend(at now: HostTime) -> Bool {
    if isUnanswered { return true }
    let limit = (roundTrip ?? .zero) > Self.slow ? 1 : Self.limit
    guard open.count >= limit, let oldest = open.first else { return true }
    guard now - oldest >= Self.patience else { return false }
    // A terminal that has answered before is slow, or away: one frame tries again.
    if hasAnswered {
      open.removeFirst()
      roundTrip = max(roundTrip ?? .zero, now - oldest)
    } else {
      isUnanswered = true
      open.removeAll()
    }
    return true
  }

  public mutating func sent(at now: HostTime) {
    if !isUnanswered { open.append(now) }
  }

  /// The terminal has answered.
  public mutating func answered(at now: HostTime) {
    hasAnswered = true
    isUnanswered = false
    guard let sent = open.popFirst() else { return }
    roundTrip = now - sent
  }

  /// The terminal was somebody else's: what is open there is lost.
  public mutating func restart() {
    open.removeAll()
    roundTrip = nil
  }
}
