/// A message type's name and version on the wire.
struct MessageName: Hashable, Sendable {
  let text: String
  let version: Int

  static let bytes = MessageName(text: "data", version: 1)
  /// A participant's action, for users.
  static let notice = MessageName(text: "notice", version: 1)
}
