/// An item's id as MPRIS wants it: an object path under a prefix of the program's own.
struct TrackPath: Sendable {
  /// "No track" where an id is needed (MPRIS 2.2, TrackList).
  static let none = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

  let prefix: String

  /// - Parameter name: the program's; letters, digits and underscores.
  init(name: String) { prefix = "/" + Self.element(name) + "/track/" }

  func path(of id: NowPlayingItem.ID) -> String { prefix + Self.element(id) }

  /// Letters and digits as they are, every other byte as `_` and its two hexadecimal digits: different ids have
  /// different paths.
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
