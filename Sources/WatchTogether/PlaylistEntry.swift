/// One film of a playlist.
public struct PlaylistEntry: Hashable, Sendable {
  /// The entry's identifier, which distinguishes two entries of one film.
  public var id: UInt32
  /// The film's identifier (``FilmIdentifier``): the same for all participants who have the same film.
  public var identifier: String
  /// The film's title for people.
  public var title: String
  /// The URL from which each participant can load the film; nil for a file, of which each participant needs a copy.
  public var location: String?

  /// Creates an entry.
  ///
  /// - Parameters:
  ///   - id: a random number.
  ///   - identifier: the film's identifier, as ``FilmIdentifier`` makes it.
  ///   - title: the film's title for people.
  ///   - location: the film's URL; nil for a file.
  public init(id: UInt32, identifier: String, title: String, location: String?) {
    self.id = id
    self.identifier = identifier
    self.title = title
    self.location = location
  }

  /// The identifier of the coordinator's item for the entry, which every player of the party uses.
  public var item: String { FilmIdentifier.item(identifier, entry: id) }
}
