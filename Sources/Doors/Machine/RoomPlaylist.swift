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
  private static let limit = 250

  /// The server sent a change of the room.
  ///
  /// - Returns: the file at which the list is from now on; nil without a change of that.
  mutating func received(set: JSONValue) -> Choice? {
    if case .array(let names)? = set["playlistChange"]?["files"] {
      files = names.prefix(Self.limit).compactMap(\.string)
    }
    let index = set["playlistIndex"]?["index"]?.number.map { Int(clampingRounded: $0) }
    guard let index, files.indices.contains(index),
      // Clients in a console list the paths of their files.
      let name = files[index].split(separator: "/").last
    else { return nil }
    return Choice(name: String(name), by: set["playlistIndex"]?["user"]?.string)
  }
}
