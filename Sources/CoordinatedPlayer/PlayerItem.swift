import Foundation
import PlaybackCoordination
import Timekeeping

/// A film to play. Mirrors the parts of `AVPlayerItem` that coordination needs.
public struct PlayerItem: Hashable, Sendable {
  /// The address of the film: a file's, or any that mpv can open.
  public let url: URL

  /// Creates an item.
  public init(url: URL) { self.url = url }

  /// The location in mpv's spelling.
  var location: String { url.isFileURL ? url.path : url.absoluteString }
}

/// The decisions of a program about the items of its player. Mirrors `AVPlayerPlaybackCoordinatorDelegate`.
///
/// The methods are called on no particular thread.
public protocol PlayerPlaybackCoordinatorDelegate: AnyObject, Sendable {
  /// Returns the identifier by which the participants recognize the item, at most 1024 bytes of UTF-8. By default it is
  /// the item's URL, which isn't the same for copies in different places.
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, identifierFor item: PlayerItem
  ) -> String

  /// Returns the parts of the item that aren't its content, in item times; none by default.
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, interstitialTimeRangesFor item: PlayerItem
  ) -> [Range<MediaTime>]
}

extension PlayerPlaybackCoordinatorDelegate {
  /// The item's URL.
  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, identifierFor item: PlayerItem
  ) -> String { item.url.absoluteString }

  /// No ranges.
  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, interstitialTimeRangesFor item: PlayerItem
  ) -> [Range<MediaTime>] { [] }
}

/// Items that a second player plays at a position of the first one's item, such as advertisements. Mirrors
/// `AVPlayerInterstitialEvent`.
public struct InterstitialEvent: Hashable, Sendable {
  /// The position in the primary item at which the event begins. A seek past it skips it.
  public var time: MediaTime
  /// The items to play, one after another.
  public var templateItems: [PlayerItem]

  /// Creates an event.
  public init(time: MediaTime, templateItems: [PlayerItem]) {
    self.time = time
    self.templateItems = templateItems
  }
}
