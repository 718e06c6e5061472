import DrawTogether
import Foundation
import GroupActivities
import WatchTogether

/// The values of events about films and their pictures.
extension ScreeningEvent {
  /// A film that participants chose. Its texts come from them.
  package struct Film: Hashable, Sendable, Encodable {
    /// The film's identifier.
    package var item: String
    package var title: String
    /// The URL from which each participant can load the film; nil for a file.
    @Nullable package var url: String?

    /// - Parameters: texts, which are cleaned and cut.
    package init(item: String, title: String, url: String?) {
      self.item = item
      self.title = PartyText.clean(title, limit: 200)
      _url = Nullable(wrappedValue: url.map { PartyText.clean($0, limit: 4096) })
    }

    package init(_ entry: PlaylistEntry) {
      self.init(item: entry.identifier, title: entry.title, url: entry.location)
    }
  }

  /// A film of the playlist.
  package struct ListedFilm: Hashable, Sendable {
    package var film: Film
    package var isCurrent: Bool

    package init(_ film: Film, isCurrent: Bool) {
      self.film = film
      self.isCurrent = isCurrent
    }

    /// Returns the films of a playlist.
    package static func all(of playlist: Playlist?) -> [ListedFilm] {
      guard let playlist else { return [] }
      let current = playlist.current.id
      return playlist.entries.map { ListedFilm(Film($0), isCurrent: $0.id == current) }
    }
  }

  /// A question to the user about the address of the party's film, to which the user hasn't agreed.
  package struct FilmQuestion: Hashable, Sendable {
    package var host: String
    /// The scheme, the host and the port if it isn't the scheme's. `file://` and the path of a playlist on this machine.
    package var origin: String
    /// The film's address, cleaned for the screen. The file or address to which a playlist leads.
    package var url: String
    /// A Boolean value that indicates whether the server is this machine or in its network.
    package var isInOwnNetwork: Bool
    /// The user's file, if it may be the same film; nil for none.
    package var copy: Copy?

    /// A file that may be the film.
    package struct Copy: Hashable, Sendable {
      package var title: String
      package var path: String
      /// The lengths of both.
      package var facts: String
    }

    package init(
      host: String, origin: String, url: String, isInOwnNetwork: Bool, copy: Copy? = nil
    ) {
      self.host = host
      self.origin = origin
      self.url = url
      self.isInOwnNetwork = isInOwnNetwork
      self.copy = copy
    }

    /// A Boolean value that indicates whether a playlist on this machine leads elsewhere.
    package var isAboutList: Bool { origin.hasPrefix("file://") }

    /// The question as a sentence.
    package var text: String {
      let server = origin.range(of: "://").map { String(origin[$0.upperBound...]) } ?? origin
      if isAboutList {
        let name = server.split(separator: "/").last ?? ""
        return "\(name) leads out of its folder, to \(url). Open it?"
      }
      return "Load the film from \(server)?"
        + (isInOwnNetwork ? " This address is on your own network." : "")
        + (copy.map { " Or is your “\($0.title)” the same film (\($0.facts))?" } ?? "")
    }
  }

  /// A question to the user about a film, or subtitles, that one participant has and others lack.
  package struct ShareQuestion: Hashable, Sendable, Encodable {
    private enum CodingKeys: String, CodingKey {
      case film = "title"
      case size = "bytes"
      case subtitles, copy, difference, quality, from, to, commands
    }

    package var film: String
    /// The film's size in bytes; nil if it isn't known.
    @Nullable package var size: Int?
    /// The picture of a smaller copy, such as `720p`; nil for the film itself.
    @Nullable package var quality: String?
    /// The name of the subtitle file that the user loaded; nil for a question about the film itself.
    @Nullable package var subtitles: String?
    /// The path of this user's file that may be another copy of the film; nil for other questions.
    @Nullable package var copy: String?
    /// The difference of the lengths, for people; nil if it isn't known.
    @Nullable package var difference: String?
    /// The participant who shares the film; nil if this user is asked to share it.
    @Nullable package var from: String?
    /// The participants who lack what this user may share.
    package var to: [String]
    private let commands = ["allow", "deny"]

    package init(
      film: String, size: Int?, quality: String? = nil, subtitles: String? = nil,
      copy: String? = nil, difference: String? = nil, from: String? = nil, to: [String] = []
    ) {
      self.film = PartyText.clean(film, limit: 200)
      _subtitles = Nullable(wrappedValue: subtitles.map { PartyText.clean($0, limit: 60) })
      _size = Nullable(wrappedValue: size)
      _copy = Nullable(wrappedValue: copy)
      _difference = Nullable(wrappedValue: difference)
      _quality = Nullable(wrappedValue: quality)
      _from = Nullable(wrappedValue: from)
      self.to = to
    }
  }

  /// The drawing over the picture.
  package struct Sketch: Hashable, Sendable, Encodable {
    package struct Line: Hashable, Sendable {
      /// The author's name.
      package var by: String
      package var points: [PicturePoint]
    }

    /// A Boolean value that indicates whether this participant draws.
    package var isDrawing = false
    /// The lines from the lowest to the uppermost.
    package var strokes: [Line] = []
  }

  /// The progress of a scan of the media folders.
  package struct Scan: Hashable, Sendable, Encodable {
    package enum Phase: String, Hashable, Sendable, Encodable {
      case looking, reading
      /// The scan is over, or hasn't begun.
      case idle
    }

    package var phase: Phase
    /// The number of films and audio files that were found.
    package var seen: Int
    /// The number of new or changed files that have been examined; ``toRead`` is the number of all of them.
    package var read: Int
    package var toRead: Int
    /// The number of folders that can't be read, or aren't mounted.
    package var unreadable: Int

    package init(phase: Phase, seen: Int, read: Int, toRead: Int, unreadable: Int) {
      self.phase = phase
      self.seen = seen
      self.read = read
      self.toRead = toRead
      self.unreadable = unreadable
    }
  }
}

extension ScreeningEvent.ListedFilm: Encodable {
  private enum CodingKeys: String, CodingKey {
    case isCurrent = "current"
  }

  package func encode(to encoder: any Encoder) throws {
    try film.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(isCurrent, forKey: .isCurrent)
  }
}

extension ScreeningEvent.FilmQuestion: Encodable {
  private enum CodingKeys: String, CodingKey {
    case host, origin, url, copy, commands
    case isInOwnNetwork = "ownNetwork"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(host, forKey: .host)
    try container.encode(origin, forKey: .origin)
    try container.encode(url, forKey: .url)
    try container.encode(isInOwnNetwork, forKey: .isInOwnNetwork)
    try container.encode(copy?.path, forKey: .copy)
    try container.encode(["allow", "deny"] + (copy == nil ? [] : ["same-film"]), forKey: .commands)
  }
}

extension ScreeningEvent.Sketch.Line: Encodable {
  private enum CodingKeys: String, CodingKey { case by, points }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(by, forKey: .by)
    try container.encode(
      points.map { point in
        let place = point.fractions
        return [place.x.rounded(to: 4), place.y.rounded(to: 4)]
      }, forKey: .points)
  }
}

/// The reason why the group watches another film.
package enum FilmCause: String, Encodable, Hashable, Sendable, CaseIterable {
  /// A participant chose it.
  case chosen
  /// The previous film in the playlist ended.
  case following
  /// The party was already watching it when this participant joined.
  case current
  /// This participant opened the party with it.
  case own
}
