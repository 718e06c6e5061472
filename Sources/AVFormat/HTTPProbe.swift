import CAVFormat
import Foundation

/// Asks a server about an address without following redirects. mpv's messages about a failure rarely help a user, and
/// mpv must not decide where a redirect may lead.
///
/// Blocks for some seconds at most: call it on a separate thread.
package enum HTTPProbe {
  /// The outcome of a request.
  package enum Answer: Hashable, Sendable {
    /// The server answered with a status (RFC 9110).
    ///
    /// - Parameters:
    ///   - location: the target of a redirect, as an absolute URL; nil for other statuses.
    ///   - type: the media type that the server states, in lower case, without parameters.
    case status(Int, location: String?, type: String?)
    /// The host doesn't exist, or no name server can be asked.
    case unknownHost
    /// The host exists, but refuses connections.
    case refused
    /// No answer came in time.
    case silent
    /// The server's TLS certificate isn't trusted.
    case untrusted
    /// The server doesn't speak TLS at this port.
    case noTLS
    /// The answer isn't HTTP.
    case garbled
  }

  private static let patience = 5
  private static let headLimit = 64 * 1024

  /// The parts of a request's target.
  private struct Target {
    var url: URLComponents
    var isTLS: Bool
    /// Without brackets.
    var host: String
    var port: Int

    /// The host as URLs contain it.
    var name: String { host.contains(":") ? "[\(host)]" : host }
    var authority: String { url.port.map { "\(name):\($0)" } ?? name }

    init?(_ text: String) {
      guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
        scheme == "http" || scheme == "https", let host = url.host, !host.isEmpty
      else { return nil }
      self.url = url
      isTLS = scheme == "https"
      self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      port = url.port ?? (isTLS ? 443 : 80)
    }
  }

  /// Sends a request for one byte. While servers are verified, a server without a trusted certificate gets no request:
  /// the address may contain credentials.
  ///
  /// - Returns: nil if the text isn't an `http` or `https` URL.
  package static func ask(_ text: String, _ access: ServerAccess = ServerAccess()) -> Answer? {
    guard let target = Target(text) else { return nil }
    return access.look { ask(target, access, at: text) }
  }

  private static func ask(_ target: Target, _ access: ServerAccess, at text: String) -> Answer {
    let probe = StreamProbe()
    // Without TLS the proxy takes the request itself.
    let proxy = target.isTLS ? nil : access.proxy.flatMap(URLComponents.init(string:))
    guard
      let connection = open(
        proxy?.host ?? target.name, proxy?.port ?? target.port, isTLS: target.isTLS, access, probe)
    else { return failure(target, access, probe) }
    var context: UnsafeMutablePointer<AVIOContext>? = connection
    defer { withExtendedLifetime(probe) { _ = avio_closep(&context) } }
    guard let head = exchange(request(to: target, through: proxy), connection) else {
      return .silent
    }
    return answer(head, to: text)
  }

  private static func request(to target: Target, through proxy: URLComponents?) -> [String] {
    var path = target.url.percentEncodedPath.isEmpty ? "/" : target.url.percentEncodedPath
    if let query = target.url.percentEncodedQuery { path += "?" + query }
    if proxy != nil { path = "http://\(target.authority)\(path)" }
    var lines = [
      "GET \(path) HTTP/1.1", "Host: \(target.authority)", "User-Agent: libmpv", "Accept: */*",
      "Range: bytes=0-0", "Connection: close",
    ]
    if let user = target.url.user {
      lines.append("Authorization: \(credentials(user, target.url.password))")
    }
    return lines + (proxy.map(authorization) ?? [])
  }

  /// The field that a proxy asks for, if its URL has credentials.
  private static func authorization(_ proxy: URLComponents) -> [String] {
    proxy.user.map { ["Proxy-Authorization: \(credentials($0, proxy.password))"] } ?? []
  }

  private static func credentials(_ user: String, _ password: String?) -> String {
    "Basic " + Data("\(user):\(password ?? "")".utf8).base64EncodedString()
  }

  /// - Returns: the head of the answer; nil without an answer.
  private static func exchange(
    _ lines: [String], _ connection: UnsafeMutablePointer<AVIOContext>
  ) -> String? {
    let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    avio_write(connection, request, Int32(request.count))
    avio_flush(connection)
    return readHead(connection)
  }

  /// The reason why no connection was made.
  private static func failure(
    _ target: Target, _ access: ServerAccess, _ probe: StreamProbe
  ) -> Answer {
    if target.isTLS, access.verifiesServers {
      // The second connection only finds the reason. No request is sent.
      var lenient = access
      lenient.verifiesServers = false
      if let other = open(target.name, target.port, isTLS: true, lenient, probe) {
        var context: UnsafeMutablePointer<AVIOContext>? = other
        avio_closep(&context)
        return .untrusted
      }
    }
    let failure =
      access.proxy == nil
      ? reach(target.host, target.port) : reach(target, through: access, probe)
    return failure ?? (target.isTLS ? .noTLS : .silent)
  }

  /// Asks the proxy whether a tunnel leads to the server.
  ///
  /// - Returns: nil if it does.
  private static func reach(
    _ target: Target, through access: ServerAccess, _ probe: StreamProbe
  ) -> Answer? {
    guard let proxy = access.proxy.flatMap(URLComponents.init(string:)), let host = proxy.host,
      let connection = open(host, proxy.port ?? 80, isTLS: false, access, probe)
    else { return .silent }
    var context: UnsafeMutablePointer<AVIOContext>? = connection
    defer { withExtendedLifetime(probe) { _ = avio_closep(&context) } }
    let server = "\(target.name):\(target.port)"
    let lines = ["CONNECT \(server) HTTP/1.1", "Host: \(server)"] + authorization(proxy)
    guard let head = exchange(lines, connection) else { return .silent }
    let answer = answer(head, to: "")
    if case .status(200, _, _) = answer { return nil }
    return answer
  }

  private static func open(
    _ name: String, _ port: Int, isTLS: Bool, _ access: ServerAccess, _ probe: StreamProbe
  ) -> UnsafeMutablePointer<AVIOContext>? {
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    access.set(&options)
    // In microseconds.
    av_dict_set(&options, "timeout", String(patience * 1_000_000), 0)
    av_dict_set(&options, "rw_timeout", String(patience * 1_000_000), 0)
    av_dict_set(&options, "protocol_whitelist", "tcp,tls,httpproxy", 0)
    var context: UnsafeMutablePointer<AVIOContext>?
    var interrupt = probe.interrupt
    let code = avio_open2(
      &context, "\(isTLS ? "tls" : "tcp")://\(name):\(port)", AVIO_FLAG_READ_WRITE, &interrupt,
      &options)
    return code >= 0 ? context : nil
  }

  /// Returns the reason why a host takes no connection; nil if it takes one.
  private static func reach(_ host: String, _ port: Int) -> Answer? {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else {
      return .unknownHost
    }
    defer { freeaddrinfo(list) }
    var answer = Answer.silent
    for entry in sequence(first: first, next: { $0.pointee.ai_next }) {
      let connection = socket(
        entry.pointee.ai_family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      guard connection >= 0 else { continue }
      defer { close(connection) }
      var limit = timeval(tv_sec: patience, tv_usec: 0)
      // On Linux this also bounds the time for connecting (socket(7)).
      setsockopt(
        connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      if connect(connection, entry.pointee.ai_addr, entry.pointee.ai_addrlen) == 0 { return nil }
      if errno == ECONNREFUSED { answer = .refused }
    }
    return answer
  }

  /// - Returns: nil if the head didn't arrive, or was too long.
  private static func readHead(_ context: UnsafeMutablePointer<AVIOContext>) -> String? {
    var bytes: [UInt8] = []
    let deadline = Date() + TimeInterval(patience)
    while bytes.count < headLimit, Date() < deadline {
      var byte: UInt8 = 0
      guard avio_read_partial(context, &byte, 1) == 1 else {
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
      }
      bytes.append(byte)
      if bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    return nil
  }

  /// - Parameter head: the answer up to its body.
  static func answer(_ head: String, to url: String) -> Answer {
    let lines = head.split(whereSeparator: \.isNewline)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]),
      (100...599).contains(status)
    else { return .garbled }
    func field(_ name: String) -> String? {
      lines.dropFirst().lazy.compactMap { line -> String? in
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else {
          return nil
        }
        return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }.first
    }
    // The header field of this program's own proxy (`FilmProxy`).
    switch field("matinee-problem") {
    case "unknown-host": return .unknownHost
    case "refused": return .refused
    case "silent": return .silent
    case .some, nil: break
    }
    var location: String?
    if [301, 302, 303, 307, 308].contains(status), let target = field("location") {
      // Text that isn't a URL is passed on unchanged. The caller decides about it.
      location =
        URL(string: target, relativeTo: URL(string: url))?.absoluteURL.absoluteString ?? target
    }
    let type = field("content-type")?.split(separator: ";").first.map { $0.lowercased() }
    return .status(status, location: location, type: type)
  }
}
