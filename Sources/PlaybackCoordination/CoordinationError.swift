/// A call on a coordinator that can't be carried out.
public enum CoordinationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no current item to play, pause or seek in.
  case noCurrentItem
  /// Rates are 0 (pause) or 0.01 to 100, mpv's range of `speed`.
  case rateOutOfRange(Double)
  /// The coordinator is in another session already.
  case alreadyCoordinating
  case identifierTooLong
  /// In this party only the hosts' commands count.
  case notPermitted

  public var description: String {
    switch self {
    case .noCurrentItem: "there is nothing to play; open a film first"
    case .rateOutOfRange(let rate): "the speed \(rate) is out of range: 0.01 to 100"
    case .alreadyCoordinating: "playback is coordinated with another session already"
    case .notPermitted: "only hosts of this party may do that; you can still step away (b)"
    case .identifierTooLong: "the item's identifier is longer than 1024 bytes"
    }
  }
}
