import Crypto
import Foundation
import GroupActivities

/// The party as a room of Syncplay, as one client sees it: the room has the name that the client gave it.
struct SyncplayRoom: Sendable {
  /// Another participant, as the client's list has it.
  struct Person: Hashable, Sendable {
    var name: String
    var file: SyncplayFile?
    var isReady: Bool?
    /// A Boolean value that indicates whether the participant is one of the few who control playback.
    var controls = false
  }

  /// The party's list, by the films' names, and the index of the one that it watches.
  struct Films: Hashable, Sendable {
    var names: [String] = []
    var index: Int?
  }

  var name = "" { didSet { name = String(name.prefix(Self.nameLimit)) } }
  /// The name of the client's participant.
  var ownName = ""
  /// The film in the client's player; nil for none.
  var file: SyncplayFile?
  /// The version of the client, which is sent back to it.
  var version = ""
  /// A Boolean value that indicates whether the client understands rates.
  var hasRates = false
  var isReady: Bool?
  var films = Films()
  /// The name of the door's keeper, as the author of the list.
  let keeper: String
  /// A Boolean value that indicates whether the client's participant is one of the few who control playback.
  var controls = false
  private(set) var people: [String: Person] = [:]

  init(keeper: String) { self.keeper = keeper }

  static let chatLimit = 150
  private static let nameLimit = 35
  /// The version of Syncplay's server whose messages these are.
  private static let serverVersion: JSONValue = "1.7.0"
  private static let features: JSONValue = [
    "sharedPlaylists": true, "chat": true, "featureList": true, "readiness": true,
    "managedRooms": false,
  ]

  /// The messages for a client that has come in.
  var welcome: [JSONValue] {
    [
      ["Set": ["ready": readiness(of: ownName, nil)]],
      // The list follows once the client has a player: it would look for the film.
      ["Set": ["playlistChange": ["user": nil, "files": .array([])]]],
      ["Set": ["playlistIndex": ["user": nil, "index": nil]]],
      [
        "Hello": [
          "username": .string(ownName), "room": ["name": .string(name)], "motd": "",
          "version": .string(version), "realversion": Self.serverVersion,
          "features": [
            "isolateRooms": true, "readiness": true, "managedRooms": false,
            "persistentRooms": false, "chat": true, "setOthersReadiness": false,
            "speedSync": true,
            "maxChatMessageLength": .number(Double(Self.chatLimit)),
            "maxUsernameLength": .number(Double(PartyText.nameLimit)),
            "maxRoomNameLength": .number(Double(Self.nameLimit)),
            "maxFilenameLength": .number(Double(SyncplayFile.nameLimit)),
          ],
        ]
      ],
    ]
  }

  /// The messages with the party's list.
  var playlist: [JSONValue] {
    let names = films.names.map { JSONValue.string($0) }
    return [
      ["Set": ["playlistChange": ["user": .string(keeper), "files": .array(names)]]], playlistIndex,
    ]
  }

  var playlistIndex: JSONValue {
    let index = films.index.map { JSONValue.number(Double($0)) } ?? .null
    return ["Set": ["playlistIndex": ["user": .string(keeper), "index": index]]]
  }

  /// The answer to a client that asks to control a room by a password.
  var noController: JSONValue {
    [
      "Set": [
        "controllerAuth": [
          "user": .string(ownName), "room": .string(name), "success": false,
        ]
      ]
    ]
  }

  /// The answer to a request for the list.
  var list: JSONValue {
    let all =
      Array(people.values) + [
        Person(name: ownName, file: file, isReady: isReady, controls: controls)
      ]
    let entries = all.map { person -> (String, JSONValue) in
      let entry: JSONValue = [
        "position": 0, "file": person.file?.value ?? [:], "controller": .bool(person.controls),
        "isReady": person.isReady.map { .bool($0) } ?? .null, "features": Self.features,
      ]
      return (person.name, entry)
    }
    return ["List": .object([name: .object(Dictionary(entries) { $1 })])]
  }

  /// Takes the others in the party.
  ///
  /// - Returns: the messages about what changed.
  mutating func change(to new: [Person]) -> [JSONValue] {
    let old = people
    people = Dictionary(new.map { ($0.name, $0) }) { $1 }
    var messages = old.keys.filter { people[$0] == nil }.sorted().map { gone -> JSONValue in
      [
        "Set": [
          "user": .object([gone: ["room": ["name": .string(name)], "event": ["left": true]]])
        ]
      ]
    }
    for person in new where old[person.name] != person {
      let before = old[person.name]
      if before == nil || before?.file != person.file {
        messages.append(user(person, joined: before == nil))
      }
      if before?.isReady != person.isReady {
        messages.append(["Set": ["ready": readiness(of: person.name, person.isReady)]])
      }
    }
    return messages
  }

  /// The message that a participant is in the room.
  func user(_ person: Person, joined: Bool = false) -> JSONValue {
    var user: [String: JSONValue] = ["room": ["name": .string(name)]]
    if joined {
      user["event"] = ["joined": true, "version": Self.serverVersion, "features": Self.features]
    }
    if let file = person.file { user["file"] = file.value }
    return ["Set": ["user": .object([person.name: .object(user)])]]
  }

  func readiness(of name: String, _ isReady: Bool?, isManual: Bool = false) -> JSONValue {
    [
      "username": .string(name), "isReady": isReady.map { .bool($0) } ?? .null,
      "manuallyInitiated": .bool(isManual),
    ]
  }

  /// A message of the chat, cut to the length that clients take.
  static func chat(_ text: String, by author: String) -> JSONValue {
    ["Chat": ["username": .string(author), "message": .string(cut(text, to: chatLimit))]]
  }

  /// Returns a text with at most so many characters; a mark shows that it was cut.
  static func cut(_ text: String, to limit: Int) -> String {
    text.count > limit ? text.prefix(limit - 1) + "…" : text
  }

  /// Returns a password in the form in which clients send it.
  static func digest(of password: String) -> String {
    Insecure.MD5.hash(data: Data(password.utf8)).map { String(format: "%02x", $0) }.joined()
  }
}
