import Foundation
import Timekeeping

/// The progress of a user in a film, independent of the film's file.
package struct WatchedFilm: Hashable, Sendable {
  /// The film's identifier, from its content (or its address).
  package var identifier: String
  /// The title that the user saw, for a list.
  package var title: String
  /// The path or URL from which the film was last opened.
  package var location: String
  /// The position at which the user stopped watching.
  package var position: MediaTime
  /// The duration; nil if it is unknown, for example for a live stream.
  package var duration: MediaTime?
  /// The time at which the film was watched last.
  package var watchedAt: Date

  package init(
    identifier: String, title: String, location: String, position: MediaTime,
    duration: MediaTime? = nil, watchedAt: Date = Date()
  ) {
    self.identifier = identifier
    self.title = title
    self.location = location
    self.position = position
    self.duration = duration
    self.watchedAt = watchedAt
  }

  /// The position in seconds below which a film doesn't count as begun.
  private static let beginning = 30.0
  /// The fraction of the film after which the credits come.
  private static let end = 0.95

  /// A Boolean value that indicates whether the film was watched to its credits: 95 % of a known duration.
  package var isFinished: Bool {
    guard let duration, duration.seconds > 0 else { return false }
    return position.seconds >= duration.seconds * Self.end
  }

  /// The position to continue from; nil for a film that is over, or hardly begun.
  package var resumePosition: MediaTime? {
    isFinished || position.seconds < Self.beginning ? nil : position
  }
}
