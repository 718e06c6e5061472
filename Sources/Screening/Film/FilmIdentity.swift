import Foundation
import GroupActivities
import Timekeeping
import WatchTogether

/// A film's identity, independent of its owner and location: a fingerprint of a file's content, or a stream's URL.
package struct FilmIdentity: Hashable, Sendable {
  package var identifier: String
  /// The film's title for people.
  package var title: String
  /// The location that the player opens: an absolute path, or a URL.
  package var location: String
  /// A Boolean value that indicates whether the location comes from another participant.
  package var isForeign = false
  /// The playlist's entry for which the film is opened; nil for a film that isn't opened from a playlist.
  package var entry: UInt32?
  /// The file's size in bytes; nil for a stream, and if it isn't known.
  package var fileSize: Int?
  /// The identifier of the file's own content, if it is another copy than the one that ``identifier`` names and is watched
  /// in its place; nil for that one.
  package var ownIdentifier: String?
  package var isOtherCopy: Bool { ownIdentifier != nil }
  /// The other copy's times on the party's timeline; nil if they are the same.
  package var timeline: CopyTimeline?

  /// The identifier of the coordinator's item. Each entry of a playlist is an item of its own, so that a film can be in a
  /// playlist twice.
  package var item: String { FilmIdentifier.item(identifier, entry: entry) }

  /// Returns the film, to be opened for an entry of a playlist. It has the entry's title: a copy's file may have another
  /// one.
  package func shown(as entry: PlaylistEntry) -> FilmIdentity {
    var film = self
    film.entry = entry.id
    let title = PartyText.clean(entry.title, limit: 200)
    if !title.isEmpty { film.title = title }
    return film
  }

  /// A Boolean value that indicates whether the film is a file whose content the identifier names. Another copy's, or that
  /// of a file in the place of a stream, is the party's.
  package var isIdentifiedByContent: Bool {
    !isStream && !isOtherCopy && !identifier.hasPrefix("url:")
  }

  package var isStream: Bool { Self.scheme(of: location) != nil }

  /// A Boolean value that indicates whether the film comes from another participant's copy while it plays.
  package var isShared: Bool { SharedFilm.id(of: location) != nil }

  /// A Boolean value that indicates whether other participants can watch this copy: a file of the user's own.
  var canBeGiven: Bool { isIdentifiedByContent && !isForeign }

  package init(
    identifier: String, title: String, location: String, isForeign: Bool = false,
    entry: UInt32? = nil
  ) {
    self.identifier = identifier
    self.title = title
    self.location = location
    self.isForeign = isForeign
    self.entry = entry
  }

  package init(_ shared: SharedFilm, titled title: String) {
    self.init(
      identifier: shared.film, title: PartyText.clean(title, limit: 200),
      location: shared.location, isForeign: true)
    if shared.quality == nil { fileSize = shared.size }
  }

  /// Returns the scheme of a URL; nil for a path. A single letter before the colon isn't a scheme.
  package static func scheme(of location: String) -> String? {
    guard let end = location.range(of: "://") else { return nil }
    let scheme = location[..<end.lowerBound]
    guard scheme.utf8.count >= 2,
      scheme.utf8.allSatisfy({
        (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0)
          || [43, 45, 46].contains($0)
      })
    else { return nil }
    return scheme.lowercased()
  }
}
