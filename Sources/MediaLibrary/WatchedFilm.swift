import Foundation
import Timekeeping

/// How far somebody has watched a film, wherever its file is.
public struct WatchedFilm: Hashable, Sendable {
  /// The film's, by its content (or its address).
  public var identifier: String
  public var title: String
  /// Where it was opened last: a path or a URL.
  public var location: String
  public var position: MediaTime
  /// Nil where nobody knows, as of a live stream.
  public var duration: MediaTime?
  public var watchedAt: Date

  public init(
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

  /// Shorter than this nobody has begun it.
  private static let beginning = 30.0
  /// What comes after this part of it are the credits.
  private static let end = 0.95

  public var isFinished: Bool {
    guard let duration, duration.seconds > 0 else { return false }
    return position.seconds >= duration.seconds * Self.end
  }

  /// Where to go on; nil for a film that is over, or hardly begun.
  public var resumePosition: MediaTime? {
    isFinished || position.seconds < Self.beginning ? nil : position
  }
}
