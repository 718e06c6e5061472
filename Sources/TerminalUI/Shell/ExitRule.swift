import Glibc
import Timekeeping

/// When being asked to end turns into ending.
///
/// The first request leaves time to say goodbye, a second one doesn't, and neither does a program that is
/// too busy to answer.
struct ExitRule: Sendable {
  enum Action: Hashable, Sendable {
    case ignore
    /// Tell the application.
    case ask(signal: Int32)
    /// End the process now, as this signal would.
    case die(signal: Int32)
  }

  /// The longest time between two Ctrl-C of which the second one asks to end; the first one may have been answered
  /// meanwhile, perhaps with "stay".
  static let doublePress = Duration.seconds(5)

  let limit: Duration
  private var asked: (signal: Int32, at: HostTime)?
  private var interrupted: HostTime?

  init(limit: Duration) { self.limit = limit }

  /// When ``checkDeadline(at:)`` is due.
  var deadline: HostTime? { asked.map { $0.at + limit } }

  /// A signal that asks the process to end has come.
  mutating func received(_ signal: Int32, at now: HostTime) -> Action {
    // A terminal that goes away is noticed twice, by the signal and by the end of input.
    if signal == SIGHUP, asked?.signal == SIGHUP { return .ignore }
    guard asked == nil else { return .die(signal: signal) }
    asked = (signal, now)
    return .ask(signal: signal)
  }

  /// Ctrl-C has been pressed, which is a key and not a signal here. The key goes its way as well: it opens a question
  /// where something would be lost. The second one ends without it, the third one without saying goodbye.
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
