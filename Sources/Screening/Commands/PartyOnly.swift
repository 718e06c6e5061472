/// A command that requires a party.
package struct PartyOnly: Error, Hashable, CustomStringConvertible {
  /// The command's name in ``UserCommandTable``.
  var name: String

  package static let chat = PartyOnly(name: "chat")

  package var description: String {
    switch name {
    case "catch-up": "Catching up needs a party. Press left to go back."
    case "step-away": "Stepping away needs a party."
    case "toggle-ready", "ready-check": "The ready check needs a party."
    case "chat": "The chat needs a party."
    case "react": "Reactions need a party."
    case "vote": "Votes need a party."
    case let drawing where UserCommandTable.row(drawing)?.section == .drawing:
      "Drawing needs a party."
    default: "“\(name)” needs a party."
    }
  }
}
