/// The contents of one folder of the library.
package struct LibraryModel: Hashable, Sendable {
  /// A film, a piece of audio, or a folder of them.
  package struct Entry: Hashable, Sendable, Identifiable {
    /// The kind of an entry, which decides what opening it does: folders are entered, the others are played.
    package enum Kind: Hashable, Sendable {
      /// A folder, or a file of the library.
      case folder, film, audio
      /// The recently watched films from all folders; opened like a folder.
      case recent
      /// A remembered fact that can't be played: a folder that is scanned, or a participant of an earlier party.
      case fact
      /// A party that can be joined again.
      case party

      /// A Boolean value that indicates whether opening the entry shows its contents, rather than plays it.
      var isPlace: Bool { self == .folder || self == .recent }
      /// A Boolean value that indicates whether the entry can be played.
      var isFilm: Bool { self == .film || self == .audio }
    }

    /// The entry's identifier in ``ScreenCommand/choose(_:)``; unique in its folder.
    package var id: String
    /// The kind of the entry, which decides what opening it does.
    package var kind: Kind
    /// The name to show.
    package var title: TerminalText
    /// The note at the right: a duration, the number of films in a folder.
    package var note: TerminalText
    /// A Boolean value that indicates whether the entry is open in the player.
    package var isCurrent: Bool

    package init(
      id: String, kind: Kind, title: TerminalText, note: TerminalText = .empty,
      isCurrent: Bool = false
    ) {
      self.id = id
      self.kind = kind
      self.title = title
      self.note = note
      self.isCurrent = isCurrent
    }
  }

  /// The folder's identifier, by which the selection is remembered.
  package var location: String
  /// The folder's name.
  package var title: TerminalText
  /// A Boolean value that indicates whether there is a folder above, which ``ScreenCommand/leaveFolder`` opens.
  package var hasParent: Bool
  /// The folder of the film that is open, where the library opens; nil without a film in a folder.
  package var filmFolder: String?
  /// The entries, in the order to show.
  package var entries: [Entry]
  /// A Boolean value that indicates whether these are search results.
  var isSearch = false
  /// The results for ``ScreenCommand/search(_:)``, from all folders.
  package var found: Found?
  /// A Boolean value that indicates whether this user has watched nothing yet.
  package var isNew = false
  /// The reason why there are no entries, in place of the usual one.
  package var notice: TerminalText?

  /// The results of a search in all folders.
  package struct Found: Hashable, Sendable {
    /// The text of ``ScreenCommand/search(_:)``, unchanged.
    package var query: String
    /// The films found, the best first.
    package var entries: [Entry]

    package init(query: String, entries: [Entry]) {
      self.query = query
      self.entries = entries
    }
  }

  package init(
    location: String = "", title: TerminalText = .empty, hasParent: Bool = false,
    entries: [Entry] = [], found: Found? = nil
  ) {
    self.location = location
    self.title = title
    self.hasParent = hasParent
    self.entries = entries
    self.found = found
  }
}
