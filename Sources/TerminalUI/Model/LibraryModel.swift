/// A folder's worth of things to open.
public struct LibraryModel: Hashable, Sendable {
  /// A film, a piece of audio, or a folder of them.
  public struct Entry: Hashable, Sendable, Identifiable {
    /// What opening it does: folders are gone into, the others are played.
    public enum Kind: Hashable, Sendable {
      case folder, film, audio
      /// What was watched last, whichever folder it is in: gone into like a folder.
      case recent
      /// Something that is remembered and not played: a folder that is looked through, somebody who was met.
      case fact
      /// A party that is joined again.
      case party

      /// Whether it is gone into, rather than played.
      var isPlace: Bool { self == .folder || self == .recent }
      /// Whether it is played.
      var isFilm: Bool { self == .film || self == .audio }
    }

    /// Comes back in ``Intent/choose(_:)``; unique in its folder.
    public var id: String
    /// What opening it does.
    public var kind: Kind
    /// The name to show.
    public var title: TerminalText
    /// Said at the right: a duration, the number of films in a folder.
    public var note: TerminalText
    /// This is what is open in the player.
    public var isCurrent: Bool

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

  /// Identifies the folder: the selection is remembered by it.
  public var location: String
  /// The folder's name.
  public var title: TerminalText
  /// There is a folder above, which ``Intent/leaveFolder`` goes to.
  public var hasParent: Bool
  /// In the order to show.
  public var entries: [Entry]
  /// A Boolean value that indicates whether these are search results.
  var isSearch = false
  /// What ``Intent/search(_:)`` asked for, wherever it is.
  public var found: Found?

  /// What was found in all folders, for a text that was typed.
  public struct Found: Hashable, Sendable {
    /// As it came in ``Intent/search(_:)``.
    public var query: String
    public var entries: [Entry]

    public init(query: String, entries: [Entry]) {
      self.query = query
      self.entries = entries
    }
  }

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
