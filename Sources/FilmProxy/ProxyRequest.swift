import Foundation

/// The head of a request to a proxy (RFC 9112), and the head that is sent on.
///
/// The parser is strict: it rejects a head that two parsers may read in two ways.
struct ProxyRequest: Hashable, Sendable {
  /// The reason why a head isn't accepted.
  enum Problem: Error, Hashable, Sendable {
    /// The head isn't a request, or two parsers may read it in two ways.
    case malformed
    /// The head exceeds ``headLimit``.
    case tooLong
    /// The request has a body of unknown length.
    case unknownLength
  }

  private struct Field: Hashable {
    /// The name in lower case.
    var name: String
    var value: ArraySlice<UInt8>
    var line: ArraySlice<UInt8>
  }

  /// The requested server.
  let destination: ProxyDestination
  /// A Boolean value that indicates whether the client requests a tunnel (CONNECT).
  let isTunnel: Bool
  /// The number of bytes that follow the head.
  let bodyLength: Int
  private let method: String
  private let target: String
  private let version: String
  private let fields: [Field]

  /// The maximum size of a head, in bytes. Cookies may be long.
  static let headLimit = 64 * 1024

  /// Parses a head in one pass.
  ///
  /// - Parameter head: the bytes up to and including the empty line.
  init(head: [UInt8]) throws(Problem) {
    guard head.count <= Self.headLimit else { throw .tooLong }
    guard let lines = Self.lines(of: head), let first = lines.first else { throw .malformed }
    let words = first.split(separator: 0x20, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3, first.allSatisfy({ (0x20...0x7E).contains($0) }),
      (1...16).contains(words[0].utf8.count),
      words[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) }),
      words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0"
    else { throw .malformed }
    (method, target, version) = (words[0], words[1], words[2])
    isTunnel = method == "CONNECT"
    guard
      let destination = isTunnel
        ? ProxyDestination(tunnel: target) : ProxyDestination(url: target)
    else { throw .malformed }
    self.destination = destination
    var fields: [Field] = []
    for line in lines.dropFirst() {
      guard let field = Self.field(line) else { throw .malformed }
      fields.append(field)
    }
    self.fields = fields
    guard !fields.contains(where: { $0.name == "transfer-encoding" }) else {
      throw .unknownLength
    }
    let lengths = fields.filter { $0.name == "content-length" }.map(\.value)
    guard lengths.count <= 1 else { throw .malformed }
    guard let length = lengths.first else {
      bodyLength = 0
      return
    }
    guard !isTunnel, (1...15).contains(length.count),
      length.allSatisfy({ (0x30...0x39).contains($0) }),
      let count = Int(String(decoding: length, as: UTF8.self))
    else { throw .malformed }
    bodyLength = count
  }

  /// Splits a head into its lines, without the empty one at its end.
  private static func lines(of head: [UInt8]) -> [ArraySlice<UInt8>]? {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    var index = 0
    while index < head.count {
      switch head[index] {
      case 0x0D:
        guard index + 1 < head.count, head[index + 1] == 0x0A else { return nil }
        lines.append(head[start..<index])
        index += 2
        start = index
      case 0x09, 0x20...0x7E, 0x80...0xFF: index += 1
      default: return nil
      }
    }
    guard start == head.count, lines.last?.isEmpty == true else { return nil }
    lines.removeLast()
    return lines.contains(where: \.isEmpty) ? nil : lines
  }

  private static func field(_ line: ArraySlice<UInt8>) -> Field? {
    guard let colon = line.firstIndex(of: 0x3A) else { return nil }
    let name = line[..<colon]
    guard !name.isEmpty, name.allSatisfy(isTokenByte) else { return nil }
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var value = line[line.index(after: colon)...].drop(while: isSpace)
    while let last = value.last, isSpace(last) { value.removeLast() }
    return Field(
      name: String(decoding: name, as: UTF8.self).lowercased(), value: value, line: line)
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Returns whether the request contains these credentials (`Proxy-Authorization`, RFC 7617), in constant time.
  func isAuthorized(by credentials: String) -> Bool {
    let given = fields.filter { $0.name == "proxy-authorization" }.map(\.value)
    guard given.count == 1, let value = given.first else { return false }
    let expected = Array(Self.authorization(credentials).utf8)
    guard value.count == expected.count else { return false }
    return zip(value, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  static func authorization(_ credentials: String) -> String {
    "Basic " + Data(credentials.utf8).base64EncodedString()
  }

  /// Fields for the next server only, and `Host`, over which the request's target takes precedence.
  private static let droppedFields: Set = [
    "host", "connection", "keep-alive", "te", "trailer", "upgrade", "proxy-authorization",
    "proxy-connection", "proxy-authenticate",
  ]

  /// Returns the head to send on: to the server itself, or to the user's own proxy. Each connection carries one
  /// request.
  func forwarded(to proxy: UpstreamProxy?) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ line: String) { bytes += Array((line + "\r\n").utf8) }
    let standard = isTunnel ? 0 : 80
    let server =
      destination.port == standard
      ? destination.host.urlHost : "\(destination.host.urlHost):\(destination.port)"
    let wanted = isTunnel ? server : proxy == nil ? path : "http://" + server + path
    add("\(method) \(wanted) \(version)")
    add("Host: \(server)")
    if let authorization = proxy?.authorization { add("Proxy-Authorization: \(authorization)") }
    if !isTunnel { add("Connection: close") }
    for field in fields where !Self.droppedFields.contains(field.name) {
      bytes += field.line + [0x0D, 0x0A]
    }
    return bytes + [0x0D, 0x0A]
  }

  /// The target in the form for an origin server (RFC 9112, 3.2.1).
  private var path: String {
    let rest = target.dropFirst(7).drop { !"/?#".contains($0) }.prefix { $0 != "#" }
    return rest.hasPrefix("/") ? String(rest) : "/" + rest
  }
}
