/// A part of the chat as shown: a message, or events that followed each other.
struct ChatParagraph: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case said(TerminalText, by: TerminalText, isOwn: Bool)
    case happened([Note])
  }

  /// An event: "Ben joined"; with several names if several participants did the same.
  struct Note: Hashable, Sendable {
    private static let namedAtMost = 3

    private(set) var names: [TerminalText] = []
    private(set) var what: TerminalText

    /// Merges another participant's equal event into this one.
    ///
    /// - Returns: false if it was another event.
    mutating func merge(_ other: Note) -> Bool {
      guard what == other.what, names.isEmpty == other.names.isEmpty else { return false }
      names += other.names.filter { !names.contains($0) }
      return true
    }

    init(_ what: TerminalText, by name: TerminalText? = nil) {
      self.what = what
      if let name { names = [name] }
    }

    /// The event as text: "Ana joined", "Ana and Ben joined", "Ana, Ben and 3 others joined".
    var text: TerminalText {
      guard let first = names.first else { return what }
      let others = names.count - 1
      if others == 0 { return first + " " + what }
      if names.count > Self.namedAtMost {
        return first + ", " + names[1] + " and \(others - 1) others " + what
      }
      let list = names[1..<others].reduce(first) { $0 + ", " + $1 }
      return list + " and " + names[others] + " " + what
    }
  }

  /// The identifier of the paragraph's last entry.
  private(set) var lastID: ChatEntry.ID
  let hour: Int
  let minute: Int
  private(set) var content: Content

  /// The author of a message; nil for events.
  var author: TerminalText? {
    if case .said(_, let author, _) = content { author } else { nil }
  }

  init(_ entry: ChatEntry) {
    lastID = entry.id
    hour = entry.hour
    minute = entry.minute
    content =
      switch entry.content {
      case .said(let text, let author, let isOwn): .said(text, by: author, isOwn: isOwn)
      case .did(let what, let author): .happened([Note(what, by: author)])
      case .note(let text): .happened([Note(text)])
      }
  }

  /// Returns the paragraphs of the entries. Events within the same minute become one paragraph.
  ///
  /// - Parameter mark: an entry after which a new paragraph begins.
  static func all(in entries: some Sequence<ChatEntry>, mark: ChatEntry.ID?) -> [ChatParagraph] {
    entries.reduce(into: []) { paragraphs, entry in
      let next = ChatParagraph(entry)
      guard let last = paragraphs.last, last.lastID != mark,
        (last.hour, last.minute) == (next.hour, next.minute),
        case .happened(var notes) = last.content, case .happened(let more) = next.content
      else { return paragraphs.append(next) }
      for note in more where notes.isEmpty || !notes[notes.count - 1].merge(note) {
        notes.append(note)
      }
      paragraphs[paragraphs.count - 1].content = .happened(notes)
      paragraphs[paragraphs.count - 1].lastID = next.lastID
    }
  }
}
