import Foundation

/// Which addresses from other people are opened: only with an allowed scheme, and from a new host only
/// once the user has said yes.
struct URLPolicy: Sendable {
  enum Verdict: Hashable, Sendable {
    case open
    case ask(host: String)
    case refuse(reason: String)
  }

  /// Lower case.
  var allowedSchemes: Set<String> = ["http", "https"]
  private(set) var knownHosts: Set<String> = []

  func verdict(on location: String) -> Verdict {
    guard location.utf8.count <= 4096,
      location.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value != 127 })
    else { return .refuse(reason: "the party's address for this film is not a URL") }
    guard let scheme = FilmIdentity.scheme(of: location), allowedSchemes.contains(scheme) else {
      return .refuse(
        reason: "the party's address for this film isn't one of http or https, so it isn't opened")
    }
    guard let host = URL(string: location)?.host?.lowercased(), !host.isEmpty else {
      return .refuse(reason: "the party's address for this film names no host")
    }
    return knownHosts.contains(host) ? .open : .ask(host: host)
  }

  mutating func allow(host: String) { knownHosts.insert(host.lowercased()) }

  /// The user named this address, and with it its host.
  mutating func allowHost(of location: String) {
    if let host = URL(string: location)?.host { allow(host: host) }
  }
}
