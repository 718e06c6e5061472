/// Where to find a NATS server, and how to behave towards it.
public struct NATSConfiguration: Hashable, Sendable {
  /// One server: `HOST:PORT`, or `nats://[USER:PASSWORD@]HOST[:PORT]`.
  public struct Server: Hashable, Sendable {
    /// As libnats takes it; may hold a password.
    let url: String

    /// - Returns: nil for another scheme than `nats`, or without a host.
    public init?(_ text: String) {
      let address: Substring
      if let scheme = text.range(of: "://") {
        guard text[..<scheme.lowerBound].lowercased() == "nats" else { return nil }
        address = text[scheme.upperBound...]
      } else {
        address = text[...]
      }
      let host = address.split(separator: "@").last ?? ""
      guard !host.isEmpty, !host.hasPrefix(":"),
        address.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value < 127 && $0 != "/" })
      else { return nil }
      url = "nats://" + address
    }

    /// Without a password: what may be shown and logged.
    public var address: String {
      String(url.dropFirst(7).split(separator: "@").last ?? "")
    }
  }

  /// In the order in which to try them; at least one.
  public var servers: [Server]
  /// For each server, when connecting.
  public var connectTimeout = Duration.seconds(3)

  public init(servers: [Server]) {
    precondition(!servers.isEmpty, "a connection needs a server")
    self.servers = servers
  }
}
