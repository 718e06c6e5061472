/// The contents of one folder of the library.
public struct LibraryModel: Hashable, Sendable {
  /// A film, a piece of audio, or a folder of them.
  public struct Entry: Hashable, Sendable, Identifiable {
    /// The kind of an entry, which decides what opening it does: folders are entered, the others are played.
    public enum Kind: Hashable, Sendable {
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
    public var id: String
    /// The kind of the entry, which decides what opening it does.
    public var kind: Kind
    /// The name to show.
    public var title: TerminalText
    /// The note at the right: a duration, the number of films in a folder.
    public var note: TerminalText
    /// A Boolean value that indicates whether the entry is open in the player.
    public var isCurrent: Bool

    /// Creates an entry.
    public init(
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
  public var location: String
  /// The folder's name.
  public var title: TerminalText
  /// A Boolean value that indicates whether there is a folder above, which ``ScreenCommand/leaveFolder`` opens.
  public var hasParent: Bool
  /// The entries, in the order to show.
  public var entries: [Entry]
  /// A Boolean value that indicates whether these are search results.
  var isSearch = false
  /// The results for ``ScreenCommand/search(_:)``, from all folders.
  public var found: Found?
  /// The reason why there are no entries, in place of the usual one.
  public var notice: TerminalText?

  /// The results of a search in all folders.
  public struct Found: Hashable, Sendable {
    /// The text of ``ScreenCommand/search(_:)``, unchanged.
    public var query: String
    /// The films found, the best first.
    public var entries: [Entry]

    /// Creates the results of a search.
    public init(query: String, entries: [Entry]) {
      self.query = query
      self.entries = entries
    }
  }

  /// Creates the contents of a folder.
  public init(
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
