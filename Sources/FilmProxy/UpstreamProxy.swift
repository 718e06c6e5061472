import Foundation

/// The user's own HTTP proxy, and the hosts that are reached without it.
package struct UpstreamProxy: Hashable, Sendable {
  /// The proxy's name or address.
  package let host: String
  /// The TCP port, from 1 to 65535.
  package let port: Int
  let authorization: String?
  private let exceptions: [String]

  /// - Parameters:
  ///   - url: `http://[user:password@]host[:port]`, the form of the environment's `http_proxy`.
  ///   - exceptions: hosts separated by commas or spaces, the form of the environment's `no_proxy`.
  /// - Returns: nil for another kind of proxy. FFmpeg doesn't use those either.
  package init?(_ url: String, exceptions: String = "") {
    guard url.hasPrefix("http://"), let parts = URLComponents(string: url), let host = parts.host,
      !host.isEmpty, (1...65535).contains(parts.port ?? 80)
    else { return nil }
    self.host = host.bareHost
    port = parts.port ?? 80
    authorization = parts.user.map {
      ProxyRequest.authorization("\($0):\(parts.password ?? "")")
    }
    self.exceptions = exceptions.split { $0 == "," || $0 == " " }.map { $0.lowercased() }
  }

  /// Returns whether a host is reached through this proxy, by FFmpeg's rules.
  func isUsed(for host: String) -> Bool {
    !exceptions.contains { pattern in
      guard pattern != "*" else { return true }
      var name = pattern.hasPrefix("*") ? pattern.dropFirst() : pattern[...]
      if name.hasPrefix(".") { name = name.dropFirst() }
      return !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }
  }
}
