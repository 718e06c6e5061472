/// A call on a coordinator that can't be carried out.
public enum CoordinationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no current item to play, pause or seek in.
  case noCurrentItem
  /// Rates are 0 (pause) or 0.01 to 100, mpv's range of `speed`.
  case rateOutOfRange(Double)
  /// The coordinator is in another session already.
  case alreadyCoordinating
  /// The item's identifier exceeds 1024 bytes of UTF-8.
  case identifierTooLong
  /// The party's rules let only the hosts control playback.
  case notPermitted
  /// A suspension's reason is empty, longer than 128 bytes, or contains control characters.
  case unusableReason
  /// This participant is apart from the group already.
  case suspended

  public var description: String {
    switch self {
    case .noCurrentItem: "No film is open. Open one first."
    case .rateOutOfRange(let rate): "The speed must be between 0.01 and 100, not \(rate)."
    case .alreadyCoordinating: "Playback is already coordinated with another session."
    case .notPermitted: "Only hosts control this party. Press b to watch at your own pace."
    case .unusableReason: "A reason is one line of 1 to 128 bytes."
    case .suspended: "You aren't with everyone. Rejoin first."
    case .identifierTooLong: "The item's identifier is longer than 1024 bytes."
    }
  }
}
