extension Playlist: Codable {
  private enum CodingKeys: String, CodingKey {
    case items = "playlist"
    case removals = "removed"
    case currentID = "current"
    case chosenAt = "chosen"
  }

  /// A removal, as it travels.
  private struct Removal: Codable {
    var id: UInt32
    var at: EditStamp
  }

  /// Decodes a list from another participant, within the limits.
  ///
  /// - Throws: `DecodingError` for a list that is empty or too long.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let removals = try container.decodeIfPresent([Removal].self, forKey: .removals) ?? []
    guard
      let list = Playlist(
        items: try container.decode([Item].self, forKey: .items),
        removals: Dictionary(removals.map { ($0.id, $0.at) }) { max($0, $1) },
        currentID: try container.decode(UInt32.self, forKey: .currentID),
        chosenAt: try container.decode(EditStamp.self, forKey: .chosenAt))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .items, in: container, debugDescription: "the playlist is empty or too long")
    }
    self = list
  }

  /// Encodes the list with its stamps, so that other participants can merge it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    // In order, so that equal lists have equal encodings.
    try container.encode(items.sorted { $0.key < $1.key }.map(\.value), forKey: .items)
    if !removals.isEmpty {
      let sorted = removals.sorted { $0.key < $1.key }.map { Removal(id: $0.key, at: $0.value) }
      try container.encode(sorted, forKey: .removals)
    }
    try container.encode(currentID, forKey: .currentID)
    try container.encode(chosenAt, forKey: .chosenAt)
  }
}

extension Playlist {
  /// The size of an encoded list without its items in bytes, at most.
  static let frameSize = 128 + 64 * removalLimit
}

extension Playlist.Item {
  /// The size of the encoded item in bytes, at most: its keys and numbers, and its texts with what JSON escapes.
  var size: Int {
    104 + 11 * position.digits.count + Self.size(entry.title)
      + (entry.isIdentifiedByLocation ? 0 : Self.size(entry.identifier))
      + (entry.location.map(Self.size) ?? 0) + (entry.fileSize == nil ? 0 : 28)
  }

  /// The limit of ``size`` in lists of others: with it the current item always has room.
  private static let sizeLimit = 12 * 1024

  private static func size(_ text: String) -> Int {
    text.utf8.reduce(2) { size, byte in
      switch byte {
      case 0..<0x20: size + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): size + 2
      default: size + 1
      }
    }
  }
}

extension Playlist.Item: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, identifier, title, location
    case position = "at"
    case movedAt = "moved"
    case fileSize = "size"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let location = try container.decodeIfPresent(String.self, forKey: .location)
    let identifier =
      if let location, !container.contains(.identifier) {
        FilmIdentifier.ofStream(location)
      } else {
        try container.decode(String.self, forKey: .identifier)
      }
    entry = PlaylistEntry(
      id: try container.decode(UInt32.self, forKey: .id), identifier: identifier,
      title: try container.decode(String.self, forKey: .title), location: location,
      fileSize: try container.decodeIfPresent(Int.self, forKey: .fileSize).flatMap {
        $0 > 0 ? $0 : nil
      })
    position = try container.decode(ListPosition.self, forKey: .position)
    movedAt = try container.decode(EditStamp.self, forKey: .movedAt)
    guard entry.isWithinLimits, size <= Self.sizeLimit else {
      throw DecodingError.dataCorruptedError(
        forKey: .identifier, in: container, debugDescription: "an entry that is too long")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entry.id, forKey: .id)
    if !entry.isIdentifiedByLocation {
      try container.encode(entry.identifier, forKey: .identifier)
    }
    try container.encode(entry.title, forKey: .title)
    try container.encodeIfPresent(entry.location, forKey: .location)
    try container.encodeIfPresent(entry.fileSize, forKey: .fileSize)
    try container.encode(position, forKey: .position)
    try container.encode(movedAt, forKey: .movedAt)
  }
}
