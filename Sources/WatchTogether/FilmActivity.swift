import GroupActivities
import Timekeeping

/// The group activity of watching films together, one after another: the one that Matinee's parties have.
public struct FilmActivity: GroupActivity {
  /// The identifier of the activity, which is the same in every program that takes part in it.
  public static let activityIdentifier = "matinee.watch-together"

  /// The films, and which of them is on the screen.
  public var playlist: Playlist

  /// Creates the activity of watching the films of a list.
  public init(_ playlist: Playlist) { self.playlist = playlist }

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
  /// Decodes the activity, which is encoded as its list.
  public init(from decoder: any Decoder) throws { playlist = try Playlist(from: decoder) }

  /// Encodes the list.
  public func encode(to encoder: any Encoder) throws { try playlist.encode(to: encoder) }
}
