/// The servers of one cluster, as far as they are known, and what they were seen to ask for.
struct KnownServers: Sendable {
  /// In the order in which the user gave them.
  let given: [ServerAddress]
  /// Those that the last server told of.
  private(set) var learnt: [ServerAddress] = []
  /// Whether TLS is a must: because the user said so, or because one of them has had it. A server that
  /// no longer asks for it is then another one, or somebody is in between.
  private(set) var demandTLS: Bool
  /// Those that asked for TLS, whoever they are: no reason to ask it of the others.
  private var askingForTLS: Set<String> = []

  init(given: [ServerAddress], demandTLS: Bool) {
    self.given = given
    self.demandTLS = demandTLS
  }

  /// More than any cluster has, and few enough to try.
  private static let learntLimit = 16

  /// A connection was made with TLS, and the server proved who it is.
  mutating func haveTLS() { demandTLS = true }

  mutating func asksForTLS(_ server: ServerAddress) { askingForTLS.insert(server.description) }

  /// Takes note of a server's list of its cluster, which replaces the one before.
  mutating func learn(_ servers: [ServerAddress]) {
    learnt = []
    for server in servers where !all.contains(where: { $0.description == server.description }) {
      guard learnt.count < Self.learntLimit else { return }
      learnt.append(server)
    }
  }

  var all: [ServerAddress] { given + learnt }

  /// Whom to try after a server was lost, in which order: that one last, and the others shuffled, so that
  /// its clients spread over all that are left.
  func successors(
    of lost: ServerAddress, using random: inout some RandomNumberGenerator
  ) -> [ServerAddress] {
    others(than: lost, using: &random) + all.filter { $0.description == lost.description }.prefix(1)
  }

  /// All but one, shuffled.
  func others(
    than server: ServerAddress, using random: inout some RandomNumberGenerator
  ) -> [ServerAddress] {
    all.filter { $0.description != server.description }.shuffled(using: &random)
  }

  func usesTLS(_ server: ServerAddress) -> Bool {
    demandTLS || server.scheme == "tls" || askingForTLS.contains(server.description)
  }
}
