/// A subject in the form of the protocol: bytes, in tokens separated by dots. All bytes but white
/// space may occur, valid UTF-8 or not, as with `nats-server`.
package struct Subject: Hashable, Sendable {
  package typealias Token = ArraySlice<UInt8>

  package let bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
  package init(_ text: String) { self.init(text.utf8) }

  package var tokens: [Token] {
    bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  }

  /// A Boolean value that indicates whether no token is empty.
  package var hasTokens: Bool {
    var wasDot = true
    for byte in bytes {
      let isDot = byte == UInt8(ascii: ".")
      if isDot && wasDot { return false }
      wasDot = isDot
    }
    return !wasDot
  }

  /// A Boolean value that indicates whether clients can subscribe to it: no empty token, and `>`
  /// only as the last one.
  package var isValidPattern: Bool {
    hasTokens && !tokens.dropLast().contains { $0 == Subject.anyTail }
  }

  /// A Boolean value that indicates whether it names one subject: no empty token, and no wildcard.
  package var isLiteral: Bool { hasTokens && !hasWildcard }

  /// A Boolean value that indicates whether the text has bytes that would end a word or a line of
  /// the protocol.
  package var hasBlanks: Bool { bytes.contains { $0 <= 0x20 || $0 == 0x7f } }

  package var hasWildcard: Bool {
    tokens.contains { $0 == Subject.anyToken || $0 == Subject.anyTail }
  }

  /// Returns a Boolean value that indicates whether it lies below `prefix`, that is whether `prefix
  /// + ".>"` covers all subjects that it matches.
  package func isBelow(_ prefix: Subject) -> Bool {
    hasTokens && bytes.count > prefix.bytes.count + 1 && bytes.starts(with: prefix.bytes)
      && bytes[prefix.bytes.count] == UInt8(ascii: ".")
  }

  /// `*`, which matches exactly one token.
  package static let anyToken = ArraySlice("*".utf8)
  /// `>`, which matches one token or more.
  package static let anyTail = ArraySlice(">".utf8)
}

extension Subject: CustomStringConvertible {
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The subject in quotes for an error text, with `?` for each byte that ends a line or that a terminal takes for more
  /// than text.
  package var quoted: String {
    let visible = bytes.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
    return "\"\(String(decoding: visible, as: UTF8.self))\""
  }
}
