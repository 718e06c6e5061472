import Foundation

/// The address of a room on a server of Syncplay's protocol: `syncplay://HOST[:PORT]/ROOM`.
package struct RoomAddress: Hashable, Sendable {
  package static let scheme = "syncplay"
  static let usualPort = 8999

  package var host: String
  package var port: Int
  package var room: String

  /// The reason why a text is no address, as a sentence.
  package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
  }

  /// Returns whether a text is meant as a room's address.
  package static func isMeant(by text: String) -> Bool {
    text.lowercased().hasPrefix(scheme + "://")
  }

  package init(_ text: String) throws(Problem) {
    guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == Self.scheme,
      let host = parts.host, !host.isEmpty
    else { throw Problem(description: "The address of a room is syncplay://HOST[:PORT]/ROOM.") }
    guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
      throw Problem(
        description:
          "Leave the password out of the address, where others can read it: you are asked for it, or use --password-file FILE."
      )
    }
    let room = parts.path.drop { $0 == "/" }
    guard !room.isEmpty else {
      throw Problem(
        description: "The address lacks the room: "
          + "syncplay://\(host)\(parts.port.map { ":\($0)" } ?? "")/ROOM.")
    }
    guard
      room.first != "+" || room.split(separator: ":", omittingEmptySubsequences: false).count < 3
    else {
      throw Problem(
        description:
          "Leave the operators' password out of the room's name, where everyone there can read it: "
          + "+NAME:HASH, with --operator-password-file FILE.")
    }
    self.host = host.trimmingCharacters(in: ["[", "]"])
    port = parts.port ?? Self.usualPort
    self.room = String(room)
    guard (1...65_535).contains(port) else {
      throw Problem(description: "A port is between 1 and 65535, not \(port).")
    }
  }
}

/// The reason why a room can't be joined, as text for the user.
package struct RoomProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The server asks for a password, or for another one.
    case password
    case refused
    case unreachable
  }

  package var kind: Kind
  package var description: String
}
