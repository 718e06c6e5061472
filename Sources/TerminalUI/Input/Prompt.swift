/// A request for a line of text.
struct Prompt: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case chat, openURL, join, name, goTo, search }

  var kind: Kind
  var editor: LineEditor
  /// The last completion by Tab of the text before the cursor.
  var completion: Completion?
  /// The reason why the line was not accepted.
  var complaint: TerminalText?

  init(_ kind: Kind, text: String = "") {
    self.kind = kind
    editor = LineEditor(text)
  }

  var label: TerminalText {
    switch kind {
    case .chat: "Chat"
    case .openURL: "Open"
    case .join: "Join"
    case .name: "Your name"
    case .goTo: "Go to"
    case .search: "Search"
    }
  }

  /// The text that is shown while nothing has been typed.
  var placeholder: TerminalText {
    switch kind {
    case .chat: "to everyone in the party"
    case .openURL: "a URL or the path of a file"
    case .join: "paste the invite: matinee://..."
    case .name: "as the others see it"
    case .goTo: "12:30, 1:02:03, +90, -10, 50%"
    case .search: "part of the name"
    }
  }
}
