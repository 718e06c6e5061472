/// An item's id in the form that MPRIS requires: an object path under a prefix of the program's own.
struct TrackPath: Sendable {
  /// The id for "no track" (MPRIS 2.2, TrackList).
  static let none = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

  let prefix: String

  /// Creates the prefix.
  ///
  /// - Parameter name: the program's name: letters, digits and underscores.
  init(name: String) { prefix = "/" + Self.element(name) + "/track/" }

  func path(of id: NowPlayingItem.ID) -> String { prefix + Self.element(id) }

  /// Returns a path element: letters and digits unchanged, every other byte as `_` and its two hexadecimal digits.
  /// Different ids have different paths.
  static func element(_ text: String) -> String {
    guard !text.isEmpty else { return "_" }
    var element = ""
    for byte in text.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122: element.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16)
        element += digits.count == 1 ? "_0" + digits : "_" + digits
      }
    }
    return element
  }
}
