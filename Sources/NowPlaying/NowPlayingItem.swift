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

  /// Creates an item. Without a duration it is a stream without end.
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
  /// The title (MPRIS `xesam:title`).
  public var title: String?
  /// The performers (`xesam:artist`).
  public var artists: [String] = []
  /// The title of the album or the series (`xesam:album`).
  public var albumTitle: String?
  /// The performers of the whole album (`xesam:albumArtist`).
  public var albumArtists: [String] = []
  /// The genres (`xesam:genre`).
  public var genres: [String] = []
  /// The composers (`xesam:composer`).
  public var composers: [String] = []
  /// The authors of the lyrics (`xesam:lyricist`).
  public var lyricists: [String] = []
  /// Comments, as text (`xesam:comment`).
  public var comments: [String] = []
  /// The text of the lyrics (`xesam:asText`).
  public var lyrics: String?
  /// The content's URL. A user name and a password in it are left out when it is published.
  public var assetURL: URL?
  /// The URL of a picture: a file that the user's other programs may read (``ArtworkCache`` makes one), or http(s).
  public var artworkURL: URL?
  /// The number on the disc, from 1 (`xesam:trackNumber`).
  public var trackNumber: Int?
  /// The disc's number in the album, from 1 (`xesam:discNumber`).
  public var discNumber: Int?
  /// The tempo, in beats per minute (`xesam:audioBPM`).
  public var beatsPerMinute: Int?
  /// The user's rating, 0 to 1.
  public var userRating: Double?
  /// A program's rating, 0 to 1.
  public var autoRating: Double?
  /// The number of times that the item was played (`xesam:useCount`).
  public var playCount: Int?
  /// The date of the content's creation, such as a film's release (`xesam:contentCreated`).
  public var contentCreated: Date?
  /// The time at which the item was played for the first time (`xesam:firstUsed`).
  public var firstPlayed: Date?
  /// The time at which the item was played last (`xesam:lastUsed`).
  public var lastPlayed: Date?

  /// Creates information; all other values are unknown.
  public init(title: String? = nil, artists: [String] = [], artworkURL: URL? = nil) {
    self.title = title
    self.artists = artists
    self.artworkURL = artworkURL
  }
}
