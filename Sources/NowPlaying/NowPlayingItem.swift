import Foundation
import Timekeeping

/// An item to play: a film, a song, an entry of a queue.
public struct NowPlayingItem: Hashable, Sendable, Identifiable {
  /// Identifies the item among all others, even among entries with the same content, and stays the same while other
  /// entries come and go. Any text; readers see it as part of an object path.
  public var id: String
  /// The item's information for readers.
  public var nowPlayingInfo: NowPlayingInfo
  /// The duration including advertisements, as the player counts it; nil while unknown, and for a stream without end.
  public var duration: Duration?
  /// The parts that are not the item's content: they count neither in length nor in elapsed time.
  ///
  /// Mirrors `MPNowPlayingInfoPropertyAdTimeRanges`.
  public var adTimeRanges: AdTimeRanges

  public init(
    id: String, nowPlayingInfo: NowPlayingInfo = NowPlayingInfo(), duration: Duration? = nil,
    adTimeRanges: AdTimeRanges = .none
  ) {
    self.id = id
    self.nowPlayingInfo = nowPlayingInfo
    self.duration = duration
    self.adTimeRanges = adTimeRanges
  }

  /// The length of the content; nil if unknown.
  var contentDuration: Duration? {
    duration.map { adTimeRanges.contentTime(ofItemTime: .zero + max(.zero, $0)) - .zero }
  }
}

/// The information about an item for readers; unknown values are nil or empty.
///
/// Mirrors the properties of `MPMediaItem` and `MPNowPlayingInfoCenter.nowPlayingInfo` that a desktop's readers can
/// show.
public struct NowPlayingInfo: Hashable, Sendable {
  public var title: String?
  public var artists: [String] = []
  public var albumTitle: String?
  public var albumArtists: [String] = []
  public var genres: [String] = []
  public var composers: [String] = []
  public var lyricists: [String] = []
  public var comments: [String] = []
  public var lyrics: String?
  /// The content's URL. A user name and a password in it are left out when it is published.
  public var assetURL: URL?
  /// The URL of a picture: a file that the user's other programs may read (``ArtworkCache`` makes one), or http(s).
  public var artworkURL: URL?
  public var trackNumber: Int?
  public var discNumber: Int?
  public var beatsPerMinute: Int?
  /// The user's rating, 0 to 1.
  public var userRating: Double?
  /// A program's rating, 0 to 1.
  public var autoRating: Double?
  public var playCount: Int?
  public var contentCreated: Date?
  public var firstPlayed: Date?
  public var lastPlayed: Date?

  public init(title: String? = nil, artists: [String] = [], artworkURL: URL? = nil) {
    self.title = title
    self.artists = artists
    self.artworkURL = artworkURL
  }
}
