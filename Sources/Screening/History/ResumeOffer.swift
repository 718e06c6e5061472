import Timekeeping

/// The beginning of the first film of the command line: where mpv's option `start` puts it, or at its start, with the
/// offer to continue where the user stopped watching it.
struct ResumeOffer: Hashable, Sendable {
  /// The playing time after which the offer ends.
  private static let life = Duration.seconds(10)
  /// The position below which a film doesn't count as begun.
  private static let least = MediaTime(seconds: 30)

  private enum State: Hashable, Sendable {
    case none
    /// The film is to begin, by the command that `start` means.
    case planned(String, UserCommand?)
    /// The film has begun at its start, and the position in it is looked up.
    case begun(String)
    /// - Parameter since: the time at which the film was first seen playing; nil before.
    case open(String, at: MediaTime, since: HostTime?)
  }

  private var state = State.none

  mutating func planned(_ film: String, start: UserCommand?) { state = .planned(film, start) }

  /// A film begins.
  ///
  /// - Parameter position: the position at which it continues anyway; nil for none.
  /// - Returns: the command that brings it to its first position; nil if that is its start.
  mutating func begins(_ film: String, at position: MediaTime?) -> UserCommand? {
    let resumption = position.map { UserCommand.seek(to: $0) }
    guard case .planned(film, let start) = state else {
      state = .none
      return resumption
    }
    let command = resumption ?? start
    state = command == nil ? .begun(film) : .none
    return command
  }

  /// A Boolean value that indicates whether the position in the film has to be looked up.
  var needsPosition: Bool { if case .begun = state { true } else { false } }

  /// The position in a film has been looked up.
  ///
  /// - Returns: false if no offer waits for it.
  mutating func found(_ position: MediaTime?, in film: String) -> Bool {
    guard state == .begun(film) else { return false }
    state = .none
    if let position, position >= Self.least { state = .open(film, at: position, since: nil) }
    return true
  }

  /// The offered position in a film; nil without an offer.
  func position(in film: String?) -> MediaTime? {
    if case .open(film, let position, _) = state { position } else { nil }
  }

  /// The film plays.
  ///
  /// - Returns: true if that ends the offer.
  mutating func played(at now: HostTime) -> Bool {
    guard case .open(let film, let position, let since) = state else { return false }
    state = .open(film, at: position, since: since ?? now)
    guard let since, now - since >= Self.life else { return false }
    state = .none
    return true
  }

  mutating func ended() { state = .none }
}
