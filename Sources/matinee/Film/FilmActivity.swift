import GroupActivities

/// The group activity of watching films together, one after another.
struct FilmActivity: GroupActivity {
  static let activityIdentifier = "matinee.watch-together"

  /// One film of the playlist.
  struct Entry: Hashable, Sendable, Codable {
    /// The entry's identifier, which distinguishes two entries of one film.
    var id: UInt32
    /// The film's identifier: the same for all participants who have the same film, see ``FilmIdentity``.
    var identifier: String
    var title: String
    /// The URL from which each participant can load the film; nil for a file, of which each participant needs a copy.
    var location: String?
  }

  /// The entries in order, never empty.
  private(set) var playlist: [Entry]
  /// The ``Entry/id`` of the current film.
  private(set) var currentID: UInt32

  /// The maximum number of entries, so that the playlist fits into one message.
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

  // MARK: - Changes

  /// - Returns: false if the playlist is full.
  mutating func enqueue(_ film: FilmIdentity) -> Bool {
    guard playlist.count < Self.entryLimit else { return false }
    playlist.append(Self.entry(film))
    return true
  }

  /// Makes a film the current one. The rest of the playlist follows it.
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

  /// - Returns: false if the playlist has no entry at that distance.
  mutating func advance(by step: Int) -> Bool {
    let index = currentIndex + step
    guard playlist.indices.contains(index), step != 0 else { return false }
    currentID = playlist[index].id
    return true
  }

  /// - Parameters:
  ///   - from: the index of the entry.
  ///   - to: its index after the move.
  /// - Returns: false if an index is out of range.
  mutating func move(from: Int, to: Int) -> Bool {
    guard playlist.indices.contains(from), playlist.indices.contains(to) else { return false }
    playlist.insert(playlist.remove(at: from), at: to)
    return true
  }

  /// - Returns: false for an index out of range, and for the current film.
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
