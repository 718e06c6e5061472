/// The rules for subjects. libnats checks patterns only, and would let a blank in a published
/// subject become part of the protocol.
enum SubjectText {
  /// Returns a Boolean value that indicates whether the text is one subject: no token is empty or a
  /// wildcard, and no character could end a word of the protocol.
  static func isLiteral(_ text: String) -> Bool {
    isMadeOfTokens(text) && !tokens(text).contains { $0.elementsEqual("*".utf8) || $0.isTail }
  }

  /// Returns a Boolean value that indicates whether a subscription accepts the text: `*` matches
  /// one token, `>` at the end one or more.
  static func isPattern(_ text: String) -> Bool {
    isMadeOfTokens(text) && !tokens(text).dropLast().contains(where: \.isTail)
  }

  private static func isMadeOfTokens(_ text: String) -> Bool {
    !text.utf8.contains { $0 <= 0x20 || $0 == 0x7f } && !tokens(text).contains(where: \.isEmpty)
  }

  private static func tokens(_ text: String) -> [Substring.UTF8View] {
    text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  }
}

extension Substring.UTF8View {
  fileprivate var isTail: Bool { elementsEqual(">".utf8) }
}
