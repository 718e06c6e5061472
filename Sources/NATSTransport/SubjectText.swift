/// Which texts are subjects. libnats checks patterns only, and would let a blank in a subject that is
/// published to become part of the protocol.
enum SubjectText {
  /// One subject: no token is empty or a wildcard, and nothing in it could end a protocol's word.
  static func isLiteral(_ text: String) -> Bool {
    isMadeOfTokens(text) && !tokens(text).contains { $0.elementsEqual("*".utf8) || $0.isTail }
  }

  /// As a subscription takes it: `*` stands for a token, `>` at the end for one or more.
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
