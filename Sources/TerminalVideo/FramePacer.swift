import DequeModule
import Timekeeping

/// Limits the frames to the speed of the terminal, so that a slow link loses frames and never lags behind.
///
/// Each frame ends with a question (``question``) that the terminal answers when it has shown the frame (`DSR 5`,
/// ECMA-48 §8.3.35). The number of unanswered questions is limited.
package struct FramePacer: Hashable, Sendable {
  private var open: Deque<HostTime> = []
  private var hasAnswered = false
  /// A Boolean value that indicates whether the terminal answers no questions: then only the writing itself limits the
  /// frames.
  package private(set) var isUnanswered = false
  /// The time that the last answer took.
  package private(set) var roundTrip: Duration?

  /// The bytes of the question (`CSI 5 n`), to be written after each frame. The terminal answers `CSI 0 n`.
  package static let question: [UInt8] = Array("\u{1B}[5n".utf8)
  /// The greatest number of frames without an answer.
  private static let limit = 2
  /// The round trip from which a terminal gets one frame at a time: a second one would only wait behind it.
  private static let slow = Duration.milliseconds(400)
  /// The time after which an answer is no longer expected.
  private static let patience = Duration.seconds(1)

  /// Creates a pacer for a terminal that has shown no frame.
  package init() {}

  /// A Boolean value that indicates whether an answer is missing.
  package var awaitsAnswer: Bool { !open.isEmpty }

  /// Returns whether the next frame may be sent.
  package mutating func maySend(at now: HostTime) -> Bool {
    if isUnanswered { return true }
    let limit = (roundTrip ?? .zero) > Self.slow ? 1 : Self.limit
    guard open.count >= limit, let oldest = open.first else { return true }
    guard now - oldest >= Self.patience else { return false }
    // A terminal that has answered before is slow, or unreachable: one frame tries again.
    if hasAnswered {
      open.removeFirst()
      roundTrip = max(roundTrip ?? .zero, now - oldest)
    } else {
      isUnanswered = true
      open.removeAll()
    }
    return true
  }

  /// Records that a frame and its question were written.
  package mutating func sent(at now: HostTime) {
    if !isUnanswered { open.append(now) }
  }

  /// Records that the terminal has answered.
  package mutating func answered(at now: HostTime) {
    hasAnswered = true
    isUnanswered = false
    guard let sent = open.popFirst() else { return }
    roundTrip = now - sent
  }

  /// Forgets unanswered frames, because another program had the terminal.
  package mutating func restart() {
    open.removeAll()
    roundTrip = nil
  }
}
