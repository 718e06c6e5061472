/// The picture of a smaller copy that a participant shares in the place of its film.
package enum ShareQuality: String, Hashable, Sendable, Codable, CaseIterable {
  case p480 = "480p"
  case p720 = "720p"
  case p1080 = "1080p"

  /// The largest height, in pixels.
  package var height: Int {
    switch self {
    case .p480: 480
    case .p720: 720
    case .p1080: 1080
    }
  }

  /// The largest bit rate of the picture, in bits per second.
  package var bitRate: Int {
    switch self {
    case .p480: 1_200_000
    case .p720: 2_500_000
    case .p1080: 5_000_000
    }
  }
}
