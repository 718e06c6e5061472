/// The others' unread messages: the position of a mark before them in the chat, and their number.
struct UnreadChat: Hashable, Sendable {
  /// The last entry that was on the screen while the terminal had the keyboard.
  private var lastRead: ChatEntry.ID?
  private var isLooking = true
  /// The entry before the mark, which stays until the user answers, or the chat is out of sight again.
  private(set) var mark: ChatEntry.ID?

  /// Updates the number and the mark.
  ///
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

  /// Removes the mark, since an answer shows that everything before it has been read.
  mutating func clearMark() { mark = nil }

  /// Returns the number of the others' messages since the last read one.
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
