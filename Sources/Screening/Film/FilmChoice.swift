import Concurrency
import Timekeeping

/// The film that the user chose, until it is open: the intent has to be settled in a party, for everyone or for this user
/// only, and the film has to be tried out while there is another one to lose.
///
/// A newer choice replaces it, and its answer is then ignored.
package struct FilmChoice: Hashable, Sendable {
  /// A question about the intent.
  package struct Number: Hashable, Sendable { var rawValue = 0 }

  /// A chosen film, and the position to continue at.
  struct Chosen: Hashable, Sendable {
    var film: FilmIdentity
    var position: MediaTime?
    /// A Boolean value that indicates whether the film is for this user only.
    var isAlone = false
  }

  private var last = Number()
  private var chosen: Chosen?
  /// The comparison of the chosen film with the party's film, which is missing here; nil for none.
  private(set) var comparison: CopyComparison?

  /// The copy that the user wants to watch in the place of the party's film; nil for none.
  private(set) var copy: Copy?

  /// The copy about which the user is asked; nil for none.
  private(set) var offered: CopyComparison?

  mutating func offers(_ comparison: CopyComparison?) { offered = comparison }

  /// A copy of an entry's film.
  struct Copy: Hashable, Sendable {
    var film: FilmIdentity
    var entry: UInt32
  }

  mutating func compared(_ film: FilmIdentity, with entry: UInt32) {
    copy = Copy(film: film, entry: entry)
  }

  /// The name of the file that a room elsewhere chose, while it is looked for beside the film; nil for none.
  private var wanted: String?

  mutating func chose(
    _ film: FilmIdentity, at position: MediaTime?, isAlone: Bool = false
  ) -> Number {
    last.rawValue += 1
    comparison = nil
    chosen = Chosen(film: film, position: position, isAlone: isAlone)
    return last
  }

  /// The chosen film was compared with the party's.
  ///
  /// - Returns: false if another film was chosen since.
  mutating func compared(_ comparison: CopyComparison, _ number: Number) -> Bool {
    guard number == last else { return false }
    self.comparison = comparison
    return true
  }

  /// The question with this number was answered, or the film with this number can be opened.
  ///
  /// - Returns: nil if another film was chosen since.
  mutating func settled(_ number: Number) -> Chosen? {
    guard number == last else { return nil }
    defer { chosen = nil }
    return chosen
  }

  /// A room elsewhere chose the file with this name, which is looked for.
  mutating func wants(_ name: String) { wanted = name }

  /// The files beside the film are known.
  ///
  /// - Returns: the name of the file that is looked for; nil for none.
  mutating func looked() -> String? { wanted.take() }
}
