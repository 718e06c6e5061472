extension WireMessage {
  /// A longer message isn't searched: chat and commands are shorter.
  private static let searchLimit = 16 << 10

  /// The types of messages that a person waits for, and the mark of a coordinator's command, as they are encoded.
  private static let urgentMarks: [[UInt8]] = [
    #""t":"chat""#, #""t":"session""#, #""t":"charter""#, #""t":"leave""#, #""isCommand":true"#,
  ].map { Array($0.utf8) }

  /// Returns a Boolean value that indicates whether an encoded event is chat, a command, or a change of the party.
  ///
  /// A wrong answer changes the order in which messages are processed, and nothing else: the message isn't decoded for
  /// it. A text can't contain a mark, since its quotation marks are escaped.
  static func isUrgent(encoded payload: ArraySlice<UInt8>) -> Bool {
    guard payload.count <= searchLimit, payload.first == UInt8(ascii: "{") else { return false }
    let quote = UInt8(ascii: "\"")
    return payload.withUnsafeBufferPointer { bytes in
      bytes.indices.contains { start in
        guard bytes[start] == quote else { return false }
        return urgentMarks.contains { mark in
          bytes.count - start >= mark.count && bytes[start + 1] == mark[1]
            && mark.indices.allSatisfy { bytes[start + $0] == mark[$0] }
        }
      }
    }
  }
}
