import Foundation
import Timekeeping

/// One thing to play: a film, a song, an entry of a queue.
public struct NowPlayingItem: Hashable, Sendable, Identifiable {
  /// Tells it apart from all others, also from another entry with the same content, and stays the same while other
  /// entries come and go. Any text; readers see it as part of an object path.
  public var id: String
  /// What is shown of it.
  public var nowPlayingInfo: NowPlayingInfo
  /// Nil while unknown, and for a stream without end. With advertisements, as the player has it.
  public var duration: Duration?
  /// Parts that are not its content: they count neither in length nor in elapsed time.
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

/// What is shown of an item; what isn't known is nil or empty.
///
/// Mirrors `MPMediaItem`'s properties and `MPNowPlayingInfoCenter.nowPlayingInfo`, as far as a desktop's readers have
/// a place for them.
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
  /// Where the content is. A name and a password in it are left out when it is published.
  public var assetURL: URL?
  /// A picture for it: a file that the user's other programs may read (``ArtworkCache`` makes one), or http(s).
  public var artworkURL: URL?
  public var trackNumber: Int?
  public var discNumber: Int?
  public var beatsPerMinute: Int?
  /// 0 to 1.
  public var userRating: Double?
  /// 0 to 1, by a program.
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
