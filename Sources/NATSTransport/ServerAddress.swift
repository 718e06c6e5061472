import Foundation
import GroupActivities

/// One NATS server's address: `HOST:PORT`, or `SCHEME://[USER:PASSWORD@]HOST[:PORT]`. An IPv6 address is in brackets.
/// Behind the port may follow `+tls`, which requires TLS, or `+` and the fingerprint of the server's certificate.
///
/// | scheme | protocol | port if absent |
/// | --- | --- | --- |
/// | `nats` | NATS; with TLS if the server asks for it | 4222 |
/// | `tls` | NATS; TLS is required, and begins when the server has introduced itself | 4222 |
/// | `tls-first` | NATS inside TLS from the first byte, as with `handshake_first` of `nats-server` | 4222 |
/// | `ws` | NATS in WebSocket frames, in clear text | 80 |
/// | `wss` | NATS in WebSocket frames, with TLS | 443 |
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The way in which a server is spoken to.
  enum Scheme: String, Hashable, Sendable, CaseIterable {
    case nats, tls, ws, wss
    case tlsFirst = "tls-first"

    /// A Boolean value that indicates whether nothing is ever sent in clear text.
    var requiresTLS: Bool { self == .tls || self == .tlsFirst || self == .wss }
    var usesWebSocket: Bool { self == .ws || self == .wss }

    fileprivate var port: Int {
      switch self {
      case .nats, .tls, .tlsFirst: 4222
      case .ws: 80
      case .wss: 443
      }
    }
  }

  private(set) var scheme: Scheme
  /// The proof of identity that the address names; nil for none, or for one that follows from the scheme.
  private let security: Invite.Address.Security?
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
    var scheme = Scheme.nats
    if let range = rest.firstRange(of: "://") {
      guard let known = Scheme(rawValue: rest[..<range.lowerBound].lowercased()) else {
        throw malformed("it must begin with nats://, tls://, tls-first://, ws:// or wss://")
      }
      scheme = known
      rest = rest[range.upperBound...]
    }
    if let at = rest.lastIndex(of: "@") {
      userInfo = String(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    if rest.last == "/" { rest.removeLast() }
    var security: Invite.Address.Security?
    if let plus = rest.lastIndex(of: "+") {
      security = Invite.Address.Security(String(rest[rest.index(after: plus)...]))
      guard security != nil else {
        throw malformed("+ must be followed by tls or by the fingerprint of a certificate")
      }
      if scheme == .nats { scheme = .tls }
      if scheme == .ws { scheme = .wss }
      rest = rest[..<plus]
    }
    var hostEnd = rest.endIndex
    var port = scheme.port
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
    self.security = security
    self.host = String(host)
    self.port = port
  }

  /// A Boolean value that indicates whether the address contains a user and password, or a token.
  public var hasUserInfo: Bool { userInfo != nil }

  /// The address in an invite, which requires TLS if this one does; nil for a host that can't be in an invite.
  public var inInvite: Invite.Address? {
    Invite.Address(
      host: bareHost, port: port,
      security: security ?? (scheme == .tls ? .authority : nil))
  }

  /// The address in a page, which speaks WebSocket to any server; nil as for an invite.
  package var inPage: Invite.Address? {
    Invite.Address(
      host: bareHost, port: port,
      security: security ?? (scheme.requiresTLS ? .authority : nil))
  }

  /// The fingerprint of the server's certificate, if that proves its identity instead of an authority.
  var fingerprint: CertificateFingerprint? {
    if case .certificate(let fingerprint) = security { fingerprint } else { nil }
  }

  /// The name that a certificate has to contain.
  var nameToCertify: String { certifiedName ?? bareHost }

  /// The host without brackets.
  var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

  private var isNumeric: Bool { Self.isNumeric(bareHost) }

  /// A Boolean value that indicates whether the certificate has to contain an address instead of a name.
  var hasNumericName: Bool { Self.isNumeric(nameToCertify) }

  private static func isNumeric(_ host: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
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
    other.scheme = scheme.usesWebSocket ? scheme : .nats
    let isSameHost = other.host.lowercased() == host.lowercased()
    other.userInfo = isVerified || isSameHost ? userInfo : nil
    if other.isNumeric, certifiedName != nil || !isNumeric { other.certifiedName = nameToCertify }
    return other
  }

  var url: String { "\(scheme.rawValue)://\(userInfo.map { $0 + "@" } ?? "")\(self)" }

  /// `HOST:PORT`, without the user and password, and perhaps `+` with the proof of identity that the address names.
  public var description: String { "\(host):\(port)" + (security.map { "+\($0.text)" } ?? "") }
}
