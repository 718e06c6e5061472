import Foundation
import GroupActivities

/// Subtitles that a participant shares for one film.
package struct SharedSubtitles: Hashable, Sendable {
  /// The properties that the owner states.
  package struct Description: Codable, Hashable, Sendable {
    /// The film's identifier.
    package var film: String
    package var name: String
    /// The code of the language; nil if it isn't known.
    package var language: String?

    package init(film: String, name: String, language: String?) {
      (self.film, self.name, self.language) = (film, name, language)
    }
  }

  /// The number among everything that the party's participants share.
  package var id: UUID
  package var owner: Participant.ID
  /// The description, cleaned.
  package private(set) var description: Description
  package var text: SubtitleText

  package init(id: UUID, owner: Participant.ID, description: Description, text: SubtitleText) {
    (self.id, self.owner, self.text) = (id, owner, text)
    self.description = Description(
      film: description.film, name: PartyText.clean(description.name, limit: 60),
      language: description.language.flatMap { LanguageCode.checked($0) })
  }
}

/// The subtitles that participants share, and the files of this user's that it may share.
struct SubtitleSharing: Hashable, Sendable {
  /// Other participants' subtitles, in the order of their arrival.
  private(set) var shared: [SharedSubtitles] = []
  /// The numbers of those that the player has loaded with the film on the screen.
  private var loaded: Set<UUID> = []
  /// The numbers of those that the user knows.
  private var announced: Set<UUID> = []
  /// The item on the screen whose files are known.
  private var item: String?
  /// The files about which the user isn't asked.
  private var settled: Set<String> = []
  /// A file that the user loaded, and that the others don't have.
  private(set) var candidate: String?

  /// The largest number of subtitles for one film, and of them from one participant.
  private static let limits = (film: 16, owner: 4)

  /// Another session knows nothing of this one's subtitles.
  mutating func sessionBegan() { shared = [] }

  /// A film comes to the screen, which has none of the subtitles yet.
  mutating func filmOpens() {
    loaded = []
    (item, candidate) = (nil, nil)
  }

  mutating func arrived(_ subtitles: SharedSubtitles) {
    let others = shared.filter { $0.description.film == subtitles.description.film }
    guard others.count < Self.limits.film,
      others.count(where: { $0.owner == subtitles.owner }) < Self.limits.owner,
      !others.contains(where: { $0.id == subtitles.id })
    else { return }
    shared.append(subtitles)
  }

  /// Returns the subtitles that the player has yet to load.
  ///
  /// - Parameter film: the identifier of the film on the screen.
  mutating func load(for film: String) -> [SharedSubtitles] {
    shared.filter { $0.description.film == film && loaded.insert($0.id).inserted }
  }

  /// - Returns: whether the user doesn't know of the subtitles yet.
  mutating func announce(_ subtitles: SharedSubtitles) -> Bool {
    announced.insert(subtitles.id).inserted
  }

  /// Notes the subtitle files of the film on the screen: those that were opened with it, and those that the user adds.
  mutating func note(_ files: [String], of item: String?) {
    guard let item, item == self.item else {
      self.item = item
      settled.formUnion(item == nil ? [] : files)
      return
    }
    candidate = files.last { !settled.contains($0) }
  }

  /// The user decided about a file.
  mutating func settle(_ file: String) {
    settled.insert(file)
    if candidate == file { candidate = nil }
  }
}
