import Foundation
import GroupActivities

/// One NATS server's address, in the form that libnats takes and in a form to show: `HOST:PORT`, or `nats://` or
/// `tls://[USER:PASSWORD@]HOST[:PORT]`; the port is 4222 if absent. An IPv6 address is in brackets. `tls://` requires
/// TLS; with the other forms a server may ask for it.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  let scheme: String
  /// The name for which a certificate is valid, if that isn't ``host``.
  var certifiedName: String?
  /// `USER:PASSWORD` or a token; never shown.
  var userInfo: String?
  /// The host, with brackets if it is an IPv6 address.
  let host: String
  let port: Int

  /// - Throws: kind `unreachable`, with the fault in the text.
  public init(_ text: String) throws(TransportError) {
    var rest = Substring(text)
    func malformed(_ why: String) -> TransportError {
      // The text before an @ may be a password.
      let shown = text.split(separator: "@").last.map(String.init) ?? ""
      return TransportError(.unreachable, "\"\(shown)\" isn't the address of a relay: \(why)")
    }
    var scheme = "nats"
    if let range = rest.firstRange(of: "://") {
      scheme = rest[..<range.lowerBound].lowercased()
      rest = rest[range.upperBound...]
      guard ["nats", "tls"].contains(scheme) else {
        throw malformed("it must begin with nats:// or tls://")
      }
    }
    if let at = rest.lastIndex(of: "@") {
      userInfo = String(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    if rest.last == "/" { rest.removeLast() }
    var hostEnd = rest.endIndex
    var port = 4222
    let bracket = rest.lastIndex(of: "]")
    if let colon = rest[(bracket ?? rest.startIndex)...].lastIndex(of: ":") {
      guard let number = Int(rest[rest.index(after: colon)...]), (1...65535).contains(number)
      else { throw malformed("the port must be a number from 1 to 65535") }
      port = number
      hostEnd = colon
    }
    let host = rest[..<hostEnd]
    guard !host.isEmpty else { throw malformed("the host is missing") }
    guard host.hasPrefix("[") == host.hasSuffix("]") else {
      throw malformed("a bracket is missing")
    }
    guard host.hasPrefix("[") || !host.contains(":") else {
      throw malformed("an IPv6 address needs brackets, as in [::1]:4222")
    }
    // ASCII only: a mark that joins the slash before it would make another address of the same bytes.
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7f || $0 == UInt8(ascii: ",") }),
      !host.contains("/")
    else { throw malformed("it contains characters that aren't allowed") }
    self.scheme = scheme
    self.host = String(host)
    self.port = port
  }

  /// A Boolean value that indicates whether the address contains a user and password, or a token.
  public var hasUserInfo: Bool { userInfo != nil }

  /// The name that a certificate has to contain.
  var nameToCertify: String { certifiedName ?? bareHost }

  /// The host without brackets.
  private var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

  private var isNumeric: Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, bareHost, &address) == 1
      || inet_pton(AF_INET6, bareHost, &address) == 1
  }

  /// Returns the address of another server in this server's cluster, as this server announced it.
  ///
  /// Servers announce numeric addresses without a scheme: the user and password of this one, and the name by which it
  /// was certified, apply to the other one too.
  ///
  /// - Parameter isVerified: whether the list came from a server that had proved its name with TLS. Otherwise anyone on
  ///   the path may have named a server of theirs: the password goes only to the host that the user named.
  func member(_ text: String, isVerified: Bool) -> ServerAddress? {
    guard var other = try? ServerAddress(text) else { return nil }
    let isSameHost = other.host.lowercased() == host.lowercased()
    other.userInfo = isVerified || isSameHost ? userInfo : nil
    if other.isNumeric, certifiedName != nil || !isNumeric { other.certifiedName = nameToCertify }
    return other
  }

  var url: String { "\(scheme)://\(userInfo.map { $0 + "@" } ?? "")\(host):\(port)" }

  /// `HOST:PORT`, without the user and password.
  public var description: String { "\(host):\(port)" }
}
