import Timekeeping
import WatchTogether

/// A film that the user named, compared with the party's film, of which the user has no copy.
///
/// Another encoding of a film has another identifier. It can take the place of the party's copy if both are of one length.
package struct CopyComparison: Hashable, Sendable {
  /// The purpose of a comparison.
  package enum Purpose: Hashable, Sendable {
    /// The question to the user who chose the film in a list.
    case question(FilmChoice.Number, Playlist)
    /// The answer to the user who opened the film for everyone.
    case refusal
    /// The film is to be watched in the place of the party's film.
    case use
    /// The film is the only file that the user named, beside the party's stream.
    case offer
  }

  package var film: FilmIdentity
  package var partys: PlaylistEntry
  /// The lengths; nil if they aren't known.
  package var length: MediaTime?
  package var partysLength: MediaTime?
  /// The film's times on the party's timeline, as they are remembered for these two copies; nil if they aren't.
  package var timeline: CopyTimeline?

  package init(
    film: FilmIdentity, partys: PlaylistEntry, length: MediaTime?, partysLength: MediaTime?,
    timeline: CopyTimeline? = nil
  ) {
    self.film = film
    self.partys = partys
    self.length = length
    self.partysLength = partysLength
    self.timeline = timeline
  }

  /// The largest difference between the lengths of two copies of one film.
  private static let tolerance = Duration.seconds(2)

  /// A Boolean value that indicates whether the film can be watched by time in the place of the party's film.
  package var isUsable: Bool {
    guard let length, let partysLength else { return false }
    return (length - partysLength).magnitude <= Self.tolerance
  }

  /// A Boolean value that indicates whether the user may say that the film is the party's: both are of one length, or
  /// nobody knows the length of the party's stream.
  var mayBeSame: Bool { isUsable || (partys.location != nil && partysLength == nil) }

  /// A Boolean value that indicates whether the film may be the party's in another version, as far as the lengths say.
  package var mayBeVersion: Bool {
    guard let length, let partysLength else { return true }
    return (length - partysLength).magnitude.inSeconds <= partysLength.seconds / 5
  }

  /// The difference of the lengths for the user: “24 s longer”; nil if one of them isn't known.
  package var difference: String? {
    guard let length, let partysLength else { return nil }
    let seconds = Int(((length - partysLength).inSeconds).rounded())
    if seconds == 0 { return "as long" }
    return "\(StoryWords.duration(abs(seconds))) \(seconds > 0 ? "longer" : "shorter")"
  }

  /// The film, to be opened in the place of the party's, whose title it then gets.
  var substitute: FilmIdentity {
    var film = film
    film.ownIdentifier = film.identifier
    film.identifier = partys.identifier
    film.timeline = timeline
    film.fileSize = partys.fileSize
    return film
  }

  /// The lengths, and the sizes of two files, for the user: “2:00, yours 1:59”, “party 2:00, 47 MB; yours 1:59, 10 MB”.
  package var facts: String {
    func text(_ length: MediaTime?) -> String {
      length.map { StoryWords.clock($0) } ?? "of unknown length"
    }
    let (mine, theirs) = (text(length), text(partysLength))
    guard let size = film.fileSize, let partysSize = partys.fileSize else {
      return "\(theirs), yours \(mine)"
    }
    return
      "party \(theirs), \(StoryWords.size(partysSize)); yours \(mine), \(StoryWords.size(size))"
  }
}
