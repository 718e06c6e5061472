import Foundation

/// The kind of media that a file's name indicates.
package enum MediaKind: Hashable, Sendable {
  /// A film, with or without sound, or sound alone.
  case film, audio

  private static let filmTypes: Set<String> = [
    "mkv", "mp4", "m4v", "webm", "avi", "mov", "mpg", "mpeg", "ts", "m2ts", "ogv", "wmv", "flv",
    "3gp", "vob",
  ]
  private static let audioTypes: Set<String> = [
    "mp3", "flac", "ogg", "oga", "opus", "m4a", "aac", "wav", "wma", "mka",
  ]

  /// Returns nil for a file that is neither film nor audio.
  package init?(fileNamed name: String) {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let type = name[name.index(after: dot)...].lowercased()
    if Self.filmTypes.contains(type) {
      self = .film
    } else if Self.audioTypes.contains(type) {
      self = .audio
    } else {
      return nil
    }
  }
}
