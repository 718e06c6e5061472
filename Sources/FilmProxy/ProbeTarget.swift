import Foundation
import NIOCore

/// The server and the path of an `http` or `https` URL, and the requests that lead there.
struct ProbeTarget: Hashable, Sendable {
  let text: String
  let isTLS: Bool
  /// Without brackets.
  let host: String
  let port: Int
  private let url: URLComponents

  init?(_ text: String) {
    guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let host = url.host, !host.isEmpty
    else { return nil }
    self.text = text
    self.url = url
    isTLS = scheme == "https"
    self.host = host.bareHost
    port = url.port ?? (isTLS ? 443 : 80)
  }

  /// The host's address as its bytes; nil for a name.
  var addressBytes: [UInt8]? {
    switch try? SocketAddress(ipAddress: host, port: port) {
    case .v4(let address): withUnsafeBytes(of: address.address.sin_addr, Array.init)
    case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr, Array.init)
    case .unixDomainSocket, nil: nil
    }
  }

  var hasNumericHost: Bool { addressBytes != nil }

  private var authority: String { url.port.map { "\(host.urlHost):\($0)" } ?? host.urlHost }

  /// The request for a range of the film's bytes.
  ///
  /// - Parameter proxy: the proxy that takes the request itself; nil for the server, also behind a tunnel.
  func request(for range: Range<Int>, to proxy: UpstreamProxy?) -> String {
    var path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
    if let query = url.percentEncodedQuery { path += "?" + query }
    if proxy != nil { path = "http://\(authority)\(path)" }
    let credentials = url.user.map { "\($0):\(url.password ?? "")" }
    return Self.head(
      "GET \(path) HTTP/1.1", "Host: \(authority)", "User-Agent: libmpv", "Accept: */*",
      "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)", "Connection: close",
      credentials.map { "Authorization: \(ProxyRequest.authorization($0))" },
      Self.field(for: proxy))
  }

  /// The request for a tunnel to the server.
  func tunnel(through proxy: UpstreamProxy) -> String {
    let server = "\(host.urlHost):\(port)"
    return Self.head("CONNECT \(server) HTTP/1.1", "Host: \(server)", Self.field(for: proxy))
  }

  private static func field(for proxy: UpstreamProxy?) -> String? {
    proxy?.authorization.map { "Proxy-Authorization: \($0)" }
  }

  private static func head(_ lines: String?...) -> String {
    lines.compactMap(\.self).map { $0 + "\r\n" }.joined() + "\r\n"
  }
}
