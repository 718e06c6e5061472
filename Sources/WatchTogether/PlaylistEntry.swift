/// One film of a playlist.
public struct PlaylistEntry: Hashable, Sendable {
  /// The entry's identifier, which distinguishes two entries of one film.
  public var id: UInt32
  /// The film's identifier (``FilmIdentifier``): the same for all participants who have the same film.
  public var identifier: String
  /// The film's title for people, of 256 bytes of UTF-8 at most: the rest of a longer one is cut off.
  public private(set) var title: String
  /// The URL from which each participant can load the film; nil for a file, of which each participant needs a copy.
  public var location: String?
  /// The size of the chosen file in bytes, for people; nil for a stream, and if it isn't known.
  public var fileSize: Int?

  private static let titleLimit = 256
  /// The length of a film's URL in bytes of UTF-8.
  public static let locationLimit = 4096
  /// The length of an identifier that doesn't follow from the URL.
  private static let identifierLimit = 80

  /// Creates an entry.
  ///
  /// - Parameters:
  ///   - id: a random number.
  ///   - identifier: the film's identifier, as ``FilmIdentifier`` makes it.
  ///   - title: the film's title for people.
  ///   - location: the film's URL; nil for a file.
  ///   - fileSize: the file's size in bytes; nil for a stream, and if it isn't known.
  public init(
    id: UInt32, identifier: String, title: String, location: String?, fileSize: Int? = nil
  ) {
    self.id = id
    self.identifier = identifier
    self.title = title.utf8.count <= Self.titleLimit ? title : Self.beginning(of: title)
    self.location = location
    self.fileSize = fileSize
  }

  /// A Boolean value that indicates whether the identifier follows from the URL.
  var isIdentifiedByLocation: Bool { location.map(FilmIdentifier.ofStream) == identifier }

  /// A Boolean value that indicates whether programs accept the entry from others.
  var isWithinLimits: Bool {
    (isIdentifiedByLocation || identifier.utf8.count <= Self.identifierLimit)
      && (location?.utf8.count ?? 0) <= Self.locationLimit
  }

  private static func beginning(of title: String) -> String {
    var (beginning, room) = ("", titleLimit)
    for character in title {
      room -= character.utf8.count
      guard room >= 0 else { break }
      beginning.append(character)
    }
    return beginning
  }

  /// The identifier of the coordinator's item for the entry, which every player of the party uses.
  public var item: String { FilmIdentifier.item(identifier, entry: id) }
}
