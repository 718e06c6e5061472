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
  }

  package var film: FilmIdentity
  package var partys: PlaylistEntry
  /// The lengths; nil if they aren't known.
  package var length: MediaTime?
  package var partysLength: MediaTime?

  package init(
    film: FilmIdentity, partys: PlaylistEntry, length: MediaTime?, partysLength: MediaTime?
  ) {
    self.film = film
    self.partys = partys
    self.length = length
    self.partysLength = partysLength
  }

  /// The largest difference between the lengths of two copies of one film.
  private static let tolerance = Duration.seconds(2)

  /// A Boolean value that indicates whether the film can be watched by time in the place of the party's film.
  package var isUsable: Bool {
    guard let length, let partysLength else { return false }
    return (length - partysLength).magnitude <= Self.tolerance
  }

  /// The film, to be opened in the place of the party's, whose title it then gets.
  var substitute: FilmIdentity {
    var film = film
    film.identifier = partys.identifier
    film.isOtherCopy = true
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
