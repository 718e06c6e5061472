import Timekeeping

/// The film that the user chose in a party, until the intent is settled: for everyone, or for this user only.
///
/// A newer choice replaces it, and its answer is then ignored.
package struct FilmChoice: Hashable, Sendable {
  /// A question about the intent.
  package struct Number: Hashable, Sendable { var rawValue = 0 }

  /// A chosen film, and the position to continue at.
  struct Chosen: Hashable, Sendable {
    var film: FilmIdentity
    var position: MediaTime?
  }

  private var last = Number()
  private var chosen: Chosen?

  mutating func chose(_ film: FilmIdentity, at position: MediaTime?) -> Number {
    last.rawValue += 1
    chosen = Chosen(film: film, position: position)
    return last
  }

  /// The question with this number was answered.
  ///
  /// - Returns: nil if another film was chosen since.
  mutating func settled(_ number: Number) -> Chosen? {
    guard number == last else { return nil }
    defer { chosen = nil }
    return chosen
  }
}
