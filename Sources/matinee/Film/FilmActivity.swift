import GroupActivities

/// Watching films together, one after another.
struct FilmActivity: GroupActivity {
  static let activityIdentifier = "matinee.watch-together"

  /// One film of the playlist.
  struct Entry: Hashable, Sendable, Codable {
    /// Tells two entries of one film apart.
    var id: UInt32
    /// The same for everybody who has the same film: ``FilmIdentity``.
    var identifier: String
    var title: String
    /// Where everybody can get it; nil for a file that each needs a copy of.
    var location: String?
  }

  /// Never empty.
  private(set) var playlist: [Entry]
  /// The ``Entry/id`` of what is watched now.
  private(set) var currentID: UInt32

  /// What one message holds.
  static let entryLimit = 40

  init(_ film: FilmIdentity) {
    let entry = Self.entry(film)
    playlist = [entry]
    currentID = entry.id
  }

  var currentIndex: Int { playlist.firstIndex { $0.id == currentID } ?? 0 }
  var current: Entry { playlist[currentIndex] }
  var identifier: String { current.identifier }
  var title: String { current.title }
  var location: String? { current.location }

  var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .watchTogether, title: title, fallbackURL: location)
  }

  // MARK: - Changing it

  /// - Returns: false when it is full.
  mutating func enqueue(_ film: FilmIdentity) -> Bool {
    guard playlist.count < Self.entryLimit else { return false }
    playlist.append(Self.entry(film))
    return true
  }

  /// Watches a film now; the rest of the playlist comes after it.
  mutating func open(_ film: FilmIdentity) {
    let entry = Self.entry(film)
    let index = currentIndex
    if playlist.count >= Self.entryLimit {
      playlist[index] = entry
    } else {
      playlist.insert(entry, at: index + 1)
    }
    currentID = entry.id
  }

  /// - Returns: false when there is nothing so many entries on.
  mutating func advance(by step: Int) -> Bool {
    let index = currentIndex + step
    guard playlist.indices.contains(index), step != 0 else { return false }
    currentID = playlist[index].id
    return true
  }

  /// - Parameters:
  ///   - from: indices; `to` is where it is afterwards.
  /// - Returns: false if there are no such places.
  mutating func move(from: Int, to: Int) -> Bool {
    guard playlist.indices.contains(from), playlist.indices.contains(to) else { return false }
    playlist.insert(playlist.remove(at: from), at: to)
    return true
  }

  /// - Returns: false for no such place, and for what is being watched.
  mutating func remove(at index: Int) -> Bool {
    guard playlist.indices.contains(index), index != currentIndex else { return false }
    playlist.remove(at: index)
    return true
  }

  private static func entry(_ film: FilmIdentity) -> Entry {
    Entry(
      id: .random(in: .min ... .max), identifier: film.identifier, title: film.title,
      location: film.isStream ? film.location : nil)
  }
}

extension FilmActivity: Codable {
  private enum CodingKeys: String, CodingKey {
    case playlist
    case currentID = "current"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    playlist = try container.decode([Entry].self, forKey: .playlist)
    currentID = try container.decode(UInt32.self, forKey: .currentID)
    guard (1...Self.entryLimit).contains(playlist.count),
      playlist.contains(where: { $0.id == currentID })
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .playlist, in: container, debugDescription: "the playlist is empty or too long")
    }
  }
}
