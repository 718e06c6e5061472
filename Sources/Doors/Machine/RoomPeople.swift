import GroupActivities
import Timekeeping

/// The other people in a room of Syncplay's protocol, by their names there.
struct RoomPeople: Hashable, Sendable {
  struct Person: Hashable, Sendable {
    /// The file in the person's player; nil for none.
    var file: SyncplayFile?
    /// Nil if the person hasn't said.
    var isReady: Bool?
    /// The time at which the person opened the file, if that was seen.
    var openedAt: HostTime?
    /// A Boolean value that indicates whether the person controls a managed room.
    var isOperator = false
    /// The key of a person with Matinee; nil for others.
    var key: String?
    /// The invite that the person has sealed for this member; nil for none.
    var invitation: String?
  }

  private let room: String
  /// This member's own name in the room.
  var ownName: String
  /// This member's key.
  private let ownKey: String
  private(set) var all: [String: Person] = [:]
  /// A Boolean value that indicates whether there are more than this member follows.
  private(set) var isFull = false

  /// The people that become participants: a party's roster isn't made for crowds.
  static let limit = 32
  private static let nameLimit = 150
  /// The time in which a client plays a file from its beginning, before it goes to the room's position.
  private static let openingTime = Duration.seconds(6)

  init(room: String, ownName: String, ownKey: String) {
    (self.room, self.ownName, self.ownKey) = (room, ownName, ownKey)
  }

  /// A Boolean value that indicates whether a person has a film.
  var haveFilm: Bool { all.values.contains { $0.file != nil } }

  mutating func removeAll() { (all, isFull) = ([:], false) }

  /// The server sent what changed about people.
  mutating func received(users: JSONValue, at now: HostTime) {
    for (name, user) in users.object ?? [:] {
      let isElsewhere = user["room"]?["name"]?.string.map { $0 != room } ?? false
      if isElsewhere || user["event"]?["left"] != nil {
        all[name] = nil
      } else {
        let before = all[name]
        set(name, user)
        // A person who wasn't known yet has had the file open before.
        if let before, all[name]?.file != before.file { all[name]?.openedAt = now }
      }
    }
  }

  /// Returns whether a person has just opened a file, whose position says nothing yet.
  func isOpening(_ name: String?, at now: HostTime) -> Bool {
    name.flatMap { all[$0]?.openedAt }.map { now - $0 < Self.openingTime } ?? false
  }

  /// The server sent the list of rooms.
  mutating func received(list: JSONValue) {
    let listed = list[room]?.object ?? [:]
    all = all.filter { listed[$0.key] != nil }
    for (name, user) in listed { set(name, user) }
  }

  mutating func received(ready: JSONValue) {
    guard let name = ready["username"]?.string else { return }
    all[name]?.isReady = ready["isReady"]?.bool
  }

  /// The server answered a person who asked to control the room.
  mutating func received(control answer: JSONValue) {
    guard let name = answer["user"]?.string, answer["success"]?.bool == true else { return }
    all[name]?.isOperator = true
  }

  private mutating func set(_ name: String, _ user: JSONValue) {
    guard name != ownName, name.count <= Self.nameLimit, PartyText.name(name) != nil else { return }
    guard all[name] != nil || all.count < Self.limit else { return isFull = true }
    var person = all[name] ?? Person()
    if let file = user["file"] {
      person.file = SyncplayFile(file)
      let sealed = file["matinee"]?[ownKey]?.string
      person.invitation = sealed.flatMap { $0.utf8.count <= RoomInvitations.sealedLimit ? $0 : nil }
    }
    if let features = user["features"] ?? user["event"]?["features"] {
      let key = features["matinee"]?["key"]?.string
      person.key = key.flatMap { $0.utf8.count <= RoomInvitations.keyLimit ? $0 : nil }
    }
    if let isReady = user["isReady"] { person.isReady = isReady.bool }
    if let isOperator = user["controller"]?.bool { person.isOperator = isOperator }
    all[name] = person
  }

  /// Returns the differences of a person's film from another, in words; nil without any.
  func difference(of name: String, from file: SyncplayFile?) -> String? {
    guard let file, let other = all[name]?.file else { return nil }
    let same = file.comparison(with: other)
    let parts = [
      same.name ? nil : "name", same.size ? nil : "size", same.duration ? nil : "duration",
    ]
    .compactMap(\.self)
    guard !parts.isEmpty else { return nil }
    let title = PartyText.clean(other.name, limit: 80)
    return
      "\(PartyText.clean(name, limit: PartyText.nameLimit)) has another file, by its \(parts.joined(separator: " and ")): \(title)"
  }
}
