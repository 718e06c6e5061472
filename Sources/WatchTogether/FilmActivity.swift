import GroupActivities

/// The group activity of watching films together, one after another: the one that Matinee's parties have.
public struct FilmActivity: GroupActivity {
  /// The identifier of the activity, which is the same in every program that takes part in it.
  public static let activityIdentifier = "matinee.watch-together"

  /// The films, and which of them is on the screen.
  public var playlist: Playlist
  /// A Boolean value that indicates whether the user of the program that set the activity named the current film itself.
  ///
  /// A newcomer takes a host's own film for consent to contact its server. It counts for the originator of the activity
  /// only, not for participants that restate it.
  public var isOwnFilm: Bool

  /// Creates the activity of watching the films of a list.
  ///
  /// - Parameters:
  ///   - playlist: the films.
  ///   - isOwnFilm: true if this user named the current film: its file, or its URL. False for a film that another
  ///     participant added.
  public init(_ playlist: Playlist, isOwnFilm: Bool = false) {
    self.playlist = playlist
    self.isOwnFilm = isOwnFilm
  }

  /// The current entry.
  public var current: PlaylistEntry { playlist.current }
  /// The identifier of the current film.
  public var identifier: String { current.identifier }
  /// The identifier of the coordinator's item for the current entry.
  public var item: String { current.item }
  /// The title of the current film.
  public var title: String { current.title }
  /// The URL of the current film; nil for a file.
  public var location: String? { current.location }

  /// The description that users see: the current film's title.
  public var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .watchTogether, title: title, fallbackURL: location)
  }
}

extension FilmActivity {
  private enum CodingKeys: String, CodingKey { case isOwnFilm = "own" }

  /// Decodes the activity, which is encoded as its list with one more key.
  public init(from decoder: any Decoder) throws {
    playlist = try Playlist(from: decoder)
    isOwnFilm =
      try decoder.container(keyedBy: CodingKeys.self)
      .decodeIfPresent(Bool.self, forKey: .isOwnFilm) ?? false
  }

  /// Encodes the list, and whether its current film is the user's own.
  public func encode(to encoder: any Encoder) throws {
    try playlist.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    if isOwnFilm { try container.encode(true, forKey: .isOwnFilm) }
  }
}
