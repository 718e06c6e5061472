/// The parts of an HTTP request that the monitor answers to.
struct MonitorRequest: Hashable, Sendable {
  let method: String
  /// The target without a query.
  let path: String
}

/// Parses the head of one HTTP/1.0 or HTTP/1.1 request (RFC 9112), byte by byte.
///
/// It keeps the method and the target only, refuses the first byte that the grammar doesn't allow, and ignores all
/// bytes after the head: there is one request in a connection, and its body has no meaning.
struct MonitorRequestParser: Sendable {
  enum Outcome: Hashable, Sendable { case incomplete, request(MonitorRequest), malformed }

  /// The limit for the head's size in bytes.
  static let headLimit = 16 << 10

  private var state = State.beforeMethod
  private var count = 0
  private var method: [UInt8] = []
  private var target: [UInt8] = []
  /// The number of bytes of the version that have arrived.
  private var versionCount = 0

  private enum State: Hashable, Sendable {
    /// Before the request; line ends are skipped.
    case beforeMethod
    case method, target, version
    /// After the carriage return of a line.
    case lineFeed
    case lineStart, fieldName, fieldValue
    /// After the carriage return of the empty line.
    case lastLineFeed
    case ended(Outcome)
  }

  /// Parses the next bytes.
  ///
  /// - Returns: the request or the refusal, again for all later bytes.
  mutating func append(_ bytes: some Sequence<UInt8>) -> Outcome {
    for byte in bytes {
      if case .ended(let outcome) = state { return outcome }
      count += 1
      state = count > Self.headLimit ? .ended(.malformed) : next(byte)
    }
    if case .ended(let outcome) = state { return outcome }
    return .incomplete
  }

  private mutating func next(_ byte: UInt8) -> State {
    switch state {
    case .beforeMethod:
      if byte.isLineEnd { return .beforeMethod }
      guard byte.isToken else { return .ended(.malformed) }
      method.append(byte)
      return .method
    case .method:
      if byte == UInt8(ascii: " ") { return .target }
      guard byte.isToken else { return .ended(.malformed) }
      method.append(byte)
      return .method
    case .target:
      if byte == UInt8(ascii: " "), !target.isEmpty { return .version }
      guard (0x21...0x7e).contains(byte) else { return .ended(.malformed) }
      target.append(byte)
      return .target
    case .version: return version(byte)
    case .lineFeed:
      return byte == UInt8(ascii: "\n") ? .lineStart : .ended(.malformed)
    case .lineStart:
      if byte == UInt8(ascii: "\r") { return .lastLineFeed }
      return byte.isToken ? .fieldName : .ended(.malformed)
    case .fieldName:
      if byte == UInt8(ascii: ":") { return .fieldValue }
      return byte.isToken ? .fieldName : .ended(.malformed)
    case .fieldValue:
      if byte == UInt8(ascii: "\r") { return .lineFeed }
      let isText = byte >= 0x20 && byte != 0x7f || byte == UInt8(ascii: "\t")
      return isText ? .fieldValue : .ended(.malformed)
    case .lastLineFeed:
      return .ended(byte == UInt8(ascii: "\n") ? .request(request) : .malformed)
    case .ended: return state
    }
  }

  /// `HTTP/1.0` or `HTTP/1.1`, then the line's end.
  private mutating func version(_ byte: UInt8) -> State {
    let expected: StaticString = "HTTP/1."
    let index = versionCount
    versionCount += 1
    if index < expected.utf8CodeUnitCount {
      return byte == expected.utf8Start[index] ? .version : .ended(.malformed)
    }
    if index == expected.utf8CodeUnitCount {
      let isKnown = byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1")
      return isKnown ? .version : .ended(.malformed)
    }
    return byte == UInt8(ascii: "\r") ? .lineFeed : .ended(.malformed)
  }

  private var request: MonitorRequest {
    MonitorRequest(
      method: String(decoding: method, as: UTF8.self),
      path: String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self))
  }
}

extension UInt8 {
  fileprivate var isLineEnd: Bool { self == UInt8(ascii: "\r") || self == UInt8(ascii: "\n") }

  /// A Boolean value that indicates whether the byte may be part of a method or a field's name (RFC 9110, 5.6.2).
  fileprivate var isToken: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
