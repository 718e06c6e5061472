import Foundation

/// A server, the unit of the user's consent: scheme, host and port (RFC 6454).
package struct FilmOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The scheme in lower case.
  package let scheme: String
  /// The host in lower case, without brackets.
  package let host: String
  package let port: Int

  /// - Returns: nil unless all readers of URLs find the same host and port in it (``URLPolicy/host(of:)``).
  package init?(of location: String) {
    guard let scheme = FilmIdentity.scheme(of: location),
      let standard = Self.standardPorts[scheme], let host = URLPolicy.host(of: location),
      let start = location.range(of: "://")
    else { return nil }
    let authority = location[start.upperBound...].prefix { !"/?#".contains($0) }
    let named = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    let rest = named.dropFirst(host.utf8.count + (named.hasPrefix("[") ? 2 : 0))
    if rest.isEmpty || rest == ":" {
      port = standard
    } else {
      let digits = rest.dropFirst()
      guard rest.hasPrefix(":"), (1...5).contains(digits.utf8.count),
        digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = Int(digits), (1...65535).contains(number)
      else { return nil }
      port = number
    }
    self.scheme = scheme
    self.host = host
  }

  /// A playlist on this machine, whose entries may then lead anywhere: no URL has this origin.
  package init(list path: String) { self.init(scheme: "file", host: path, port: 0) }

  private init(scheme: String, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }

  private static let standardPorts = ["http": 80, "https": 443]

  private var isStandard: Bool { port == Self.standardPorts[scheme] }

  /// The server at the standard port of `https` with the same host, to which sites redirect from `http`; nil for
  /// another port than that of `http`.
  package var secured: FilmOrigin? {
    scheme == "http" && isStandard ? FilmOrigin(scheme: "https", host: host, port: 443) : nil
  }

  /// "https://films.example", "http://192.168.1.1:8080"
  package var description: String { scheme + "://" + server }

  /// A Boolean value that indicates whether this is a playlist on this machine.
  package var isList: Bool { scheme == "file" }

  /// "films.example", "192.168.1.1:8080"; a playlist's path.
  package var server: String {
    if isList { return host }
    let name = host.contains(":") ? "[\(host)]" : host
    return isStandard ? name : "\(name):\(port)"
  }
}
