import Foundation
import GroupActivities

/// A film that a participant lets the others watch from its own copy, while it arrives.
package struct SharedFilm: Hashable, Sendable {
  /// The number of the copy among those that the party's participants share.
  package var id: UUID
  /// The film's identifier.
  package var film: String
  package var owner: Participant.ID
  /// The size in bytes; of a smaller copy the most that it will have.
  package var size: Int
  /// The picture of a smaller copy, which is made while the party watches; nil for the owner's file itself.
  package var quality: ShareQuality?

  package init(
    id: UUID, film: String, owner: Participant.ID, size: Int, quality: ShareQuality? = nil
  ) {
    self.id = id
    self.film = film
    self.owner = owner
    self.size = size
    self.quality = quality
  }

  private static let scheme = "shared://"

  /// The location that the player opens. No other program can.
  package var location: String { Self.scheme + id.uuidString }

  /// Returns the number of the copy that a location means; nil for other locations.
  package static func id(of location: String) -> UUID? {
    location.hasPrefix(scheme) ? UUID(uuidString: String(location.dropFirst(scheme.count))) : nil
  }
}
