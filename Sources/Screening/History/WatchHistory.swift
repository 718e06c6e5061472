import Timekeeping

/// The decision when this participant's position in a film is remembered, and which one.
package struct WatchHistory: Hashable, Sendable {
  /// The interval between two writes: the progress that a crash of the machine may lose.
  static let interval = Duration.seconds(10)
  /// The least time for which a film has to play before an earlier position replaces a later one.
  static let leastRun = Duration.seconds(60)

  /// The position in a film that was remembered last.
  private struct Entry: Hashable, Sendable {
    var identifier: String
    var position: MediaTime
  }

  var offer = ResumeOffer()
  private var last: Entry?
  private var readAt: HostTime?
  /// The time for which the film has played.
  private var played = Duration.zero

  package init() {}

  /// A position to remember.
  package struct Note: Hashable, Sendable {
    package var position: MediaTime
    /// A Boolean value that indicates whether the film is another one than in the note before.
    package var isNewFilm: Bool
    /// A Boolean value that indicates whether a later position that was remembered before stays, because
    /// the film has hardly played.
    package var keepsLaterPosition: Bool
  }

  /// Returns a Boolean value that indicates whether the interval has passed.
  package func isDue(at now: HostTime) -> Bool { readAt.map { now - $0 >= Self.interval } ?? true }

  /// Takes the position in a film.
  ///
  /// - Parameters:
  ///   - reported: the player's position; nil if it isn't known.
  ///   - commanded: the position that a paused player was sent to, and may still be seeking; nil while it plays.
  /// - Returns: the position to remember; nil if it is remembered already.
  package mutating func note(
    _ identifier: String, reported: MediaTime?, commanded: MediaTime?, at now: HostTime
  ) -> Note? {
    guard let position = commanded ?? reported else { return nil }
    let elapsed = readAt.map { min(now - $0, Self.interval) } ?? .zero
    readAt = now
    let entry = Entry(identifier: identifier, position: position)
    guard entry != last else { return nil }
    let isNewFilm = last?.identifier != identifier
    last = entry
    played = isNewFilm ? .zero : played + elapsed
    return Note(
      position: position, isNewFilm: isNewFilm, keepsLaterPosition: played < Self.leastRun)
  }
}
