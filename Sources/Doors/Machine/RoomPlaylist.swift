import Timekeeping

/// The shared list of films of a room of Syncplay's protocol, as a member follows it.
struct RoomPlaylist: Hashable, Sendable {
  /// The file at which the list is now.
  struct Choice: Hashable, Sendable {
    /// The name of the file, without its folder.
    var name: String
    /// The name of the person who chose it; nil if the room doesn't say.
    var by: String?

    /// Returns whether a player has the file already.
    func isIn(_ file: SyncplayFile?) -> Bool {
      let listed = SyncplayFile(name: name, duration: 0, size: "")
      return file?.comparison(with: listed).name ?? false
    }
  }

  private var files: [String] = []
  private var index: Int?
  private static let limit = 250

  /// The server sent a change of the room.
  ///
  /// - Returns: the file at which the list is from now on; nil without a change of that.
  mutating func received(set: JSONValue) -> Choice? {
    if case .array(let names)? = set["playlistChange"]?["files"] {
      files = names.prefix(Self.limit).compactMap(\.string)
    }
    guard let index = set["playlistIndex"]?["index"]?.number.map({ Int(clampingRounded: $0) })
    else { return nil }
    self.index = index
    guard let name = name(at: index) else { return nil }
    return Choice(name: name, by: set["playlistIndex"]?["user"]?.string)
  }

  /// Clients in a console list the paths of their files.
  private func name(at index: Int) -> String? {
    guard files.indices.contains(index) else { return nil }
    return files[index].split(separator: "/").last.map(String.init)
  }

  /// This member went on to another film.
  ///
  /// - Returns: the message that takes the list along; nil if it is there, or doesn't have the film.
  mutating func moved(to file: SyncplayFile) -> JSONValue? {
    let places = files.indices.filter {
      name(at: $0).map { Choice(name: $0, by: nil).isIn(file) } ?? false
    }
    guard let place = places.first, !places.contains(where: { $0 == index }) else { return nil }
    index = place
    return ["Set": ["playlistIndex": ["index": .number(Double(place))]]]
  }
}
