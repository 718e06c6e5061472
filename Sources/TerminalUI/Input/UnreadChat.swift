/// What others said while nobody looked: where it begins, for a mark in the chat, and how much it is.
struct UnreadChat: Hashable, Sendable {
  /// The last entry that was on the screen while it was looked at.
  private var lastRead: ChatEntry.ID?
  private var isLooking = true
  /// The mark stands after this entry until somebody says something here, or looks away again.
  private(set) var mark: ChatEntry.ID?

  /// - Parameter isLooking: the newest of the chat is on the screen, and the terminal has the keyboard.
  mutating func update(_ chat: [ChatEntry], isLooking: Bool) {
    if self.isLooking, !isLooking {
      mark = nil
      lastRead = chat.last?.id
    } else if !self.isLooking, isLooking {
      mark = count(in: chat) > 0 ? lastRead ?? .min : nil
    }
    self.isLooking = isLooking
    if isLooking { lastRead = chat.last?.id ?? lastRead }
  }

  /// Somebody answered: all that was there has been read.
  mutating func clearMark() { mark = nil }

  /// How many lines others said since.
  func count(in chat: [ChatEntry]) -> Int {
    guard !isLooking else { return 0 }
    return chat.reversed().prefix { $0.id > lastRead ?? .min }.count { $0.isSaidByOther }
  }
}

extension ChatEntry {
  var isSaidByOther: Bool {
    if case .said(_, by: _, isOwn: false) = content { return true }
    return false
  }
}
