import Screening

/// A request for a line of text.
struct Prompt: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case chat, openURL, join, name, goTo, search

    /// A Boolean value that indicates whether the arrow keys bring back earlier lines. Invites aren't kept.
    var keepsLines: Bool { [.chat, .openURL, .goTo].contains(self) }
  }

  var kind: Kind
  var editor: LineEditor
  /// The last completion by Tab of the text before the cursor.
  var completion: Completion?
  /// The path that the application is completing; nil for none.
  private var request: PathCompletion.Request?
  /// The names with which the path may go on.
  private(set) var candidates: TerminalText?
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
    case .name: "as everyone sees it"
    case .goTo: "12:30, 1:02:03, +90, -10, 50%"
    case .search: "part of the name"
    }
  }
}

extension Prompt {
  /// Begins to complete the path before the cursor.
  ///
  /// - Returns: nil if the text takes none.
  mutating func requestPath(number: Int) -> PathCompletion.Request? {
    request = pathRequest(number: number).flatMap {
      FilmIdentity.scheme(of: $0.path) == nil ? $0 : nil
    }
    return request
  }

  private func pathRequest(number: Int) -> PathCompletion.Request? {
    switch kind {
    case .openURL: return .init(path: editor.before, wantsFolder: false, number: number)
    case .chat:
      let words = editor.before.split(
        maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: \.isWhitespace)
      guard words.count == 2, words[0].hasPrefix("/"),
        let row = UserCommandTable.row(String(words[0].dropFirst())),
        row.takesLocation || row.takesFolder
      else { return nil }
      return .init(path: String(words[1]), wantsFolder: row.takesFolder, number: number)
    case .join, .name, .goTo, .search: return nil
    }
  }

  /// The text changed: what was said about it holds no longer.
  mutating func edited() { (complaint, request, candidates) = (nil, nil, nil) }

  /// Shows the answer to the last request, unless the text changed meanwhile.
  mutating func complete(with completion: PathCompletion) {
    guard request == completion.request else { return }
    let path = completion.request.path
    editor.replaceBefore(with: editor.before.dropLast(path.count) + completion.path)
    request = nil
    switch completion.candidates.count {
    case 0 where completion.path == path: complaint = "No file begins with this"
    case 0, 1: break
    default:
      let names = completion.candidates.prefix(Self.candidateLimit)
      candidates = TerminalText(names.joined(separator: "  "))
    }
  }

  /// More names than the rows above the prompt hold.
  private static let candidateLimit = 100
}
