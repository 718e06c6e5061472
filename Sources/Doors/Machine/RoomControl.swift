/// The right to control a managed room of Syncplay's protocol. Its name has the form `+NAME:HASH`, and its operators are those
/// who know its password.
struct RoomControl: Hashable, Sendable {
  private let room: String
  private let password: String?
  /// A Boolean value that indicates whether the server accepted the password.
  private(set) var isGranted = false

  init(of room: String, password: String?) { (self.room, self.password) = (room, password) }

  private var isManaged: Bool { room.hasPrefix("+") }

  /// A Boolean value that indicates whether the room takes commands of its operators only, and this member is none.
  var isLacking: Bool { isManaged && !isGranted }

  /// The message that asks for the right; nil without a password or a managed room.
  var request: JSONValue? {
    guard isManaged, let password else { return nil }
    return ["Set": ["controllerAuth": ["room": .string(room), "password": .string(password)]]]
  }

  /// The server sent a change of the room.
  ///
  /// - Returns: its answer to the request, in words; nil for anything else.
  mutating func received(set: JSONValue, ownName: String) -> String? {
    guard let answer = set["controllerAuth"], request != nil,
      answer["user"]?.string == ownName, let isGranted = answer["success"]?.bool
    else { return nil }
    self.isGranted = isGranted
    return isGranted
      ? "You are an operator of the room."
      : "The room's server doesn't accept the operators' password: others control the room."
  }
}
