import AVFormat
import GroupActivities
import Timekeeping

/// The film of the party as a page gets it.
struct PageFilm: Hashable, Sendable, Encodable {
  struct Track: Hashable, Sendable, Encodable {
    var index: Int
    var title: String?
    var language: String?
    var isDefault = false
    var isStyled = false
  }

  private(set) var item: String?
  private var title = ""
  private var duration: Double?
  /// The first position.
  private var start = 0.0
  /// The film's first time stamp, at the first position.
  private(set) var offset = 0.0
  private var fps: [Int]?
  private var mime: String?
  private var audio: [Track] = []
  private(set) var subtitles: [Track] = []
  private var size: Int?
  private(set) var url: String?
  private var cost: String?
  private(set) var problem: String?

  init() {}

  init(item: String, title: String, url: String?) {
    self.item = item
    self.title = title
    self.url = url
  }

  /// The end of the film; nil while it isn't known.
  var end: MediaTime? { duration.map { MediaTime(seconds: $0) } }

  /// A Boolean value that indicates whether the page can play the film.
  var isThere: Bool { item != nil && problem == nil }

  mutating func failed(_ problem: String) { self.problem = problem }

  /// Describes the keeper's copy.
  ///
  /// - Parameter keeper: the name of the participant whose machine converts what the browser doesn't play.
  mutating func describe(_ film: FragmentedFilm, keeper: String) {
    mime = film.mime
    duration = film.duration?.inSeconds
    offset = film.start.seconds
    fps = film.frameRate.map { [$0.numerator, $0.denominator] }
    size = film.size
    if film.isPictureEncoded {
      cost = "The picture is converted to H.264, which takes about one core of \(keeper)'s machine."
    } else if film.isSoundEncoded {
      cost = "The sound is converted to AAC."
    }
    audio = film.audioTracks.map(Track.init)
    subtitles = film.subtitleTracks.map(Track.init)
  }
}

extension PageFilm.Track {
  fileprivate init(_ track: FragmentedFilm.Track) {
    self.init(
      index: track.index, title: track.title.map { PartyText.clean($0, limit: 80) },
      language: track.language.map { PartyText.clean($0, limit: 20) },
      isDefault: track.isDefault, isStyled: track.isStyled)
  }
}
