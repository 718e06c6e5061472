/// The known servers of one cluster, and which of them use TLS.
struct KnownServers: Sendable {
  /// The servers that the user gave, in the given order.
  let given: [ServerAddress]
  /// The servers that the last connected server listed.
  private(set) var learnt: [ServerAddress] = []
  /// A Boolean value that indicates whether TLS is required: because the user asked for it, or because a connection has
  /// had it. A server that no longer asks for TLS is then a different one, or an attacker is in between.
  private(set) var demandTLS: Bool
  /// The servers that asked for TLS, proved identity or not: no reason to require it of the others.
  private var askingForTLS: Set<String> = []

  init(given: [ServerAddress], demandTLS: Bool) {
    self.given = given
    self.demandTLS = demandTLS
  }

  /// More than any cluster has, and few enough to try.
  private static let learntLimit = 16

  /// Requires TLS from now on: a connection was made with TLS, and the server proved its identity.
  mutating func haveTLS() { demandTLS = true }

  mutating func asksForTLS(_ server: ServerAddress) { askingForTLS.insert(server.description) }

  /// Replaces the learnt servers with a server's list of its cluster.
  mutating func learn(_ servers: [ServerAddress]) {
    learnt = []
    for server in servers where !all.contains(where: { $0.description == server.description }) {
      guard learnt.count < Self.learntLimit else { return }
      learnt.append(server)
    }
  }

  var all: [ServerAddress] { given + learnt }

  /// Returns the servers to try after one was lost, in order: the lost server last, and the others shuffled, so that
  /// its clients spread over the remaining servers.
  func successors(
    of lost: ServerAddress, using random: inout some RandomNumberGenerator
  ) -> [ServerAddress] {
    others(than: lost, using: &random) + all.filter { $0.description == lost.description }.prefix(1)
  }

  /// Returns all servers but one, shuffled.
  func others(
    than server: ServerAddress, using random: inout some RandomNumberGenerator
  ) -> [ServerAddress] {
    all.filter { $0.description != server.description }.shuffled(using: &random)
  }

  func usesTLS(_ server: ServerAddress) -> Bool {
    demandTLS || server.scheme.requiresTLS || askingForTLS.contains(server.description)
  }
}
