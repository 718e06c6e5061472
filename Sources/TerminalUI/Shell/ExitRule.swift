import Glibc
import Timekeeping

/// The rule that decides when requests to end become the end of the process.
///
/// The first request gives the program time to leave in order. A second one ends it at once, and so does the end of
/// that time, even if the program is too busy to answer.
struct ExitRule: Sendable {
  enum Action: Hashable, Sendable {
    case ignore
    /// Ask the application to end.
    case ask(signal: Int32)
    /// End the process now, as this signal would.
    case die(signal: Int32)
  }

  /// The longest time between two Ctrl-C of which the second one asks to end. The user may have answered the first one
  /// meanwhile, perhaps with "stay".
  static let doublePress = Duration.seconds(5)

  let limit: Duration
  private var asked: (signal: Int32, at: HostTime)?
  private var interrupted: HostTime?

  init(limit: Duration) { self.limit = limit }

  /// The time at which ``checkDeadline(at:)`` is due.
  var deadline: HostTime? { asked.map { $0.at + limit } }

  /// Decides about a signal that asks the process to end.
  mutating func received(_ signal: Int32, at now: HostTime) -> Action {
    // The end of a terminal is noticed twice, by the signal and by the end of input.
    if signal == SIGHUP, asked?.signal == SIGHUP { return .ignore }
    guard asked == nil else { return .die(signal: signal) }
    asked = (signal, now)
    return .ask(signal: signal)
  }

  /// Decides about a Ctrl-C, which is a key and not a signal here. The key is also handled as usual: it opens a
  /// question if something would be lost. The second one ends without the question, the third one at once.
  mutating func pressedInterrupt(signal: Int32, at now: HostTime) -> Action {
    defer { interrupted = now }
    guard let last = interrupted, now - last < Self.doublePress else { return .ignore }
    return received(signal, at: now)
  }

  func checkDeadline(at now: HostTime) -> Action {
    guard let asked, let deadline, now >= deadline else { return .ignore }
    return .die(signal: asked.signal)
  }
}
