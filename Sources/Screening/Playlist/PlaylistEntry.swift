/// One film of a playlist.
package struct PlaylistEntry: Hashable, Sendable {
  /// The entry's identifier, which distinguishes two entries of one film.
  package var id: UInt32
  /// The film's identifier: the same for all participants who have the same film.
  package var identifier: String
  package var title: String
  /// The URL from which each participant can load the film; nil for a file, of which each participant needs a copy.
  package var location: String?

  package init(id: UInt32, identifier: String, title: String, location: String?) {
    self.id = id
    self.identifier = identifier
    self.title = title
    self.location = location
  }

  /// Returns the identifier of a stream, which follows from its URL.
  package static func identifier(ofStream location: String) -> String { "url:" + location }
}
