import FileNames

/// A film that can't be opened. The descriptions are written for users.
public enum FilmError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no file at this path.
  case missing(String)
  /// The file at this path can't be read.
  case unreadable(String)
  /// The file at this path has no bytes.
  case empty(String)
  /// The path is a folder's.
  case folder(String)
  /// A pipe, a socket or a device.
  case special(String)
  /// A URL that is longer than a playlist's entry holds (``PlaylistEntry/locationLimit``).
  case longAddress(bytes: Int)

  /// The problem and a suggestion.
  public var description: String {
    switch self {
    case .missing(let path): "There is no file \(FileName.shown(path))."
    case .unreadable(let path): "\(FileName.shown(path)) can't be read. Check its permissions."
    case .empty(let path): "\(FileName.shown(path)) is empty."
    case .folder(let path): "\(FileName.shown(path)) is a folder. Choose a film in it."
    case .special(let path):
      "\(FileName.shown(path)) is a pipe or a device, not a file. Choose a film file."
    case .longAddress(let bytes):
      "The film's address has \(bytes) bytes, more than the \(PlaylistEntry.locationLimit) that a playlist can hold."
    }
  }
}
