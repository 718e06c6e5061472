/// A message type's name and version on the wire.
package struct MessageName: Hashable, Sendable {
  package let text: String
  let version: Int

  package static let bytes = MessageName(text: "data", version: 1)
  /// A participant's action, for users.
  static let notice = MessageName(text: "notice", version: 1)

  /// The longest name, in bytes.
  package static let limit = 128
}
