import Foundation
import GroupActivities

/// The invites to a party by which members of a room who have Matinee find each other.
///
/// Each is sealed for one of them, since the room's server reads everything. It travels in the description of the inviter's
/// file, which servers pass on as it is, and other clients ignore it there.
struct RoomInvitations: Sendable {
  private let exchange = KeyExchange.fresh(for: "matinee room invite v1")
  /// The invite to this member's party; nil if the party isn't open to the room.
  private var invite: String?
  /// The sealed invites by the recipients' keys.
  private var sealed: [String: String] = [:]
  /// A Boolean value that indicates whether another invite is sealed.
  private var isOutdated = false

  /// The most characters that all sealed invites may have: a server takes lines of 16,384 bytes.
  private static let sizeLimit = 12_000
  private static let inviteLimit = 2048
  /// The most characters of a key, or of a sealed invite, of another member.
  static let keyLimit = 64
  static let sealedLimit = 4096

  /// This member's key, which the others see beside its name.
  var key: String { Data(exchange.publicKey).base64EncodedString() }

  /// A Boolean value that indicates whether this member's party is open to the room.
  var isOpen: Bool { invite != nil }

  /// The sealed invites; nil for none.
  var value: JSONValue? { sealed.isEmpty ? nil : .object(sealed.mapValues { .string($0) }) }

  /// Opens this member's party to the room, or closes it.
  mutating func offer(_ invite: Invite?) {
    let text = invite.map(\.text).flatMap { $0.utf8.count <= Self.inviteLimit ? $0 : nil }
    guard text != self.invite else { return }
    (self.invite, isOutdated) = (text, true)
  }

  /// Seals the invite for these members, as many as fit.
  ///
  /// - Returns: true if the others have to learn of it.
  mutating func seal(for keys: some Sequence<String>) -> Bool {
    let before = sealed
    let keys = Set(keys)
    sealed = isOutdated ? [:] : sealed.filter { keys.contains($0.key) }
    isOutdated = false
    for key in keys.sorted() where sealed[key] == nil {
      guard let invite, let publicKey = Data(base64Encoded: key),
        let box = exchange.seal(Array(invite.utf8), Array(publicKey), [])
      else { continue }
      let text = Data(box).base64EncodedString()
      guard sealed.reduce(0, { $0 + $1.key.count + $1.value.count }) + text.count < Self.sizeLimit
      else { break }
      sealed[key] = text
    }
    return sealed != before
  }

  /// Opens an invite that another member sealed for this one; nil if that isn't one.
  func open(_ sealed: String) -> Invite? {
    guard let box = Data(base64Encoded: sealed), let text = exchange.open(Array(box), []),
      text.count <= Self.inviteLimit
    else { return nil }
    return String(validating: text, as: UTF8.self).flatMap { try? Invite($0) }
  }
}
