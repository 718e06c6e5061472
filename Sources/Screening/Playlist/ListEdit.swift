import WatchTogether

/// An edit of the party's playlist.
package struct ListEdit: Hashable, Sendable {
  package var playlist: Playlist
  /// The list before the edit, which holds again if the session's list can't be set.
  var before: SharedPlaylist
  /// A Boolean value that indicates whether the edit also lets the next film play.
  var plays: Bool
}
