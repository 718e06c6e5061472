import GroupActivities
import Screening
import Timekeeping

/// The group activity of watching films together, one after another.
struct FilmActivity: GroupActivity {
  static let activityIdentifier = "matinee.watch-together"

  var playlist: Playlist

  init(_ playlist: Playlist) { self.playlist = playlist }

  /// The current entry.
  var current: PlaylistEntry { playlist.current }
  /// The identifier of the current film.
  var identifier: String { current.identifier }
  /// The identifier of the coordinator's item for the current entry.
  var item: String { current.item }
  var title: String { current.title }
  var location: String? { current.location }

  var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .watchTogether, title: title, fallbackURL: location)
  }
}

extension FilmActivity {
  init(from decoder: any Decoder) throws { playlist = try Playlist(from: decoder) }
  func encode(to encoder: any Encoder) throws { try playlist.encode(to: encoder) }
}
