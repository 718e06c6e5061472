import Timekeeping

/// A part of a `Set` message of one of Syncplay's clients.
enum SyncplaySetting: Hashable, Sendable {
  /// The client's player has this file.
  case opened(SyncplayFile)
  case ready(Bool, isManual: Bool)
  /// The client made another list.
  case listed([String])
  /// The client chose the film with this index of the list.
  case chose(Int)
  /// The client asks to control the room by a password.
  case wantsControl
  case moved(to: String)

  /// Returns the parts of a message, in the order in which they count. Parts of another form are left out.
  static func all(in set: JSONValue) -> [SyncplaySetting] {
    let ready = set["ready"]
    let isReady = ready?["username"] == nil ? ready?["isReady"]?.bool : nil
    let parts: [SyncplaySetting?] = [
      set["file"].flatMap(SyncplayFile.init).map(opened),
      isReady.map { .ready($0, isManual: ready?["manuallyInitiated"]?.bool == true) },
      set["playlistChange"]?["files"]?.strings.map(listed),
      set["playlistIndex"]?["index"]?.number.map { .chose(Int(clampingRounded: $0)) },
      set["controllerAuth"].map { _ in .wantsControl },
      set["room"]?["name"]?.string.map(moved),
    ]
    return parts.compactMap(\.self)
  }
}
