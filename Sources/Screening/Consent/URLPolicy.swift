import Foundation
import GroupActivities

/// The rule for addresses from other participants: they are opened only with an allowed scheme, and from a new
/// ``FilmOrigin`` only after the user agreed.
package struct URLPolicy: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    case open
    case ask(FilmOrigin)
    case refuse(reason: String)
  }

  /// The allowed schemes, in lower case.
  package var allowedSchemes: Set<String> = ["http", "https"]
  package private(set) var allowed: Set<FilmOrigin> = []
  /// The origins in ``allowed`` that were known to be on the user's own network when the user agreed.
  package private(set) var allowedOnOwnNetwork: Set<FilmOrigin> = []

  package init() {}

  package func verdict(on location: String) -> Verdict {
    // The URL must look the same on the screen, and two readers of URLs must find the same parts in it.
    guard location.utf8.count <= 4096, PartyText.clean(location, limit: 4096) == location,
      !location.unicodeScalars.contains(where: { " \\\"<>^`{|}".unicodeScalars.contains($0) })
    else { return .refuse(reason: "The party's address for this film isn't a URL.") }
    guard let scheme = FilmIdentity.scheme(of: location), allowedSchemes.contains(scheme) else {
      return .refuse(
        reason: "The party's address for this film isn't http or https. Matinee doesn't open it.")
    }
    guard let host = Self.host(of: location), URL(string: location)?.host?.lowercased() == host
    else {
      return .refuse(reason: "The party's address for this film has no host name.")
    }
    guard let origin = FilmOrigin(of: location) else {
      return .refuse(reason: "The party's address for this film has no port that exists.")
    }
    return allowed.contains(origin) ? .open : .ask(origin)
  }

  /// Returns the host that FFmpeg connects to: the text between the last @ and the port, before the path. FFmpeg
  /// decodes nothing.
  ///
  /// - Returns: the host in lower case; nil unless it is a plain name or address. Names in other scripts are written in
  ///   ASCII (RFC 5891), so that no question shows a host that only looks like another.
  package static func host(of location: String) -> String? {
    guard let start = location.range(of: "://") else { return nil }
    let authority = location[start.upperBound...].prefix { !"/?#".contains($0) }
    guard let named = authority.split(separator: "@", omittingEmptySubsequences: false).last else {
      return nil
    }
    let host =
      named.hasPrefix("[")
      ? named.dropFirst().prefix { $0 != "]" } : named.prefix { $0 != ":" }
    guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else { return nil }
    return host.lowercased()
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._:".utf8.contains(byte)
    }
  }

  /// Returns whether a connection to an origin may be made, given the network of its addresses now. If the name of an
  /// origin on the internet leads into the user's own network later, it is another server than the one that the user
  /// agreed to.
  package func admits(_ origin: FilmOrigin, on network: HostNetwork) -> Bool {
    guard allowed.contains(origin) else { return false }
    switch network {
    case .internet, .unknown: return true
    case .own:
      return allowedOnOwnNetwork.contains(origin)
        || HostNetwork(of: origin.host, addresses: nil, nearby: []) == .own
    }
  }

  /// Allows an origin, and its ``FilmOrigin/secured`` server, since sites redirect to their encrypted address.
  ///
  /// - Parameter network: the origin's network as known when the user agreed.
  package mutating func allow(_ origin: FilmOrigin, on network: HostNetwork) {
    for origin in [origin, origin.secured].compactMap({ $0 }) {
      allowed.insert(origin)
      if network == .own { allowedOnOwnNetwork.insert(origin) }
    }
  }

  /// Allows the origin of an address that the user named, in any network.
  package mutating func allow(originOf location: String) {
    if let origin = FilmOrigin(of: location) { allow(origin, on: .own) }
  }

  /// - Parameter trusted: an origin that is trusted permanently. Earlier versions stored hosts: a host means the
  ///   standard ports.
  package mutating func allow(trusted: String) {
    for text in FilmOrigin(of: trusted) == nil ? ["http://" + trusted] : [trusted] {
      if let origin = FilmOrigin(of: text) { allow(origin, on: .unknown) }
    }
  }

  /// - Parameter trusted: an origin, or a host for all of its origins.
  package mutating func forget(trusted: String) {
    allowed = allowed.filter { !Self.isMeant($0.description, by: trusted) }
    allowedOnOwnNetwork.formIntersection(allowed)
  }

  /// - Returns: whether the user's `text` means the stored origin or host `trusted`.
  package static func isMeant(_ trusted: String, by text: String) -> Bool {
    let text = text.lowercased()
    let origin = FilmOrigin(of: trusted)
    return trusted == text || origin?.host == text || origin?.server == text
  }
}
