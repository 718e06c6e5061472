/// The parts of an HTTP request that the monitor answers to.
struct MonitorRequest: Hashable, Sendable {
  let method: String
  /// The target without a query.
  let path: String
}

extension MonitorRequest {
  /// - Parameter line: the first line of the request, without its end.
  fileprivate init?(line: ArraySlice<UInt8>) {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8),
      words[0...1].joined().allSatisfy({ (0x21...0x7e).contains($0) }), !words[1].isEmpty
    else { return nil }
    method = String(decoding: words[0], as: UTF8.self)
    path = String(decoding: words[1].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
  }
}

/// Collects the head of one HTTP/1.0 or HTTP/1.1 request (RFC 9112).
///
/// Its fields have no meaning here, nor have the bytes after the head: there is one request in a connection.
struct MonitorRequestParser: Sendable {
  enum Outcome: Hashable, Sendable { case incomplete, request(MonitorRequest), malformed }

  /// The limit for the head's size in bytes.
  static let headLimit = 16 << 10

  private var head: [UInt8] = []
  private var outcome = Outcome.incomplete

  /// Takes the next bytes.
  ///
  /// - Returns: the request or the refusal, again for all later bytes.
  mutating func append(_ bytes: some Sequence<UInt8>) -> Outcome {
    for byte in bytes where outcome == .incomplete {
      head.append(byte)
      // No method begins with a control character or a space.
      let isText = head[0] > 0x20 && head[0] < 0x7f
      if !isText || head.count > Self.headLimit {
        outcome = .malformed
      } else if head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        let line = head.prefix { $0 != UInt8(ascii: "\r") }
        outcome = MonitorRequest(line: line).map(Outcome.request) ?? .malformed
      }
    }
    return outcome
  }
}
