import Addresses
import Foundation
import GroupActivities
import Reachability
import Screening

/// The addresses at which others reach the party that this program hosts, and the known problems.
package struct Reach: Hashable, Sendable {
  package struct Place: Hashable, Sendable {
    /// The network from which the address works. Scripts read the raw values.
    package enum Kind: String, Hashable, Sendable {
      /// An IPv4 address of the internet: the router's, which forwards to this machine, or this machine's own.
      case internet = "public"
      /// An IPv6 address of the internet. Most routers block incoming connections to it.
      case ipv6
      /// An address of the local network or a VPN.
      case network = "lan"
      /// An address that only this machine reaches.
      case machine
      /// An external NATS server.
      case relay
      /// The host that `--listen` names, whose network is unknown.
      case named

      package var words: String {
        switch self {
        case .internet: "from the internet"
        case .ipv6: "over IPv6"
        case .network: "in your network"
        case .machine: "on this machine"
        case .relay: "through a relay"
        case .named: "as --listen says"
        }
      }
    }

    package var kind: Kind
    package var address: Invite.Address
  }

  /// The result of the request to the router. Scripts read the raw values.
  enum Router: String, Hashable, Sendable {
    case searching, mapped, none, refused
    case behindAnother = "behind-another"
  }

  /// The addresses, best first; never empty.
  package var places: [Place]
  /// The router's result; nil if it isn't asked.
  var router: Router?
  /// A problem with its remedy; nil if there is none, or if it isn't known yet.
  package var advice: String?
  /// The people who can join while there is a problem, in one sentence; nil without a problem.
  package var limit: String?
  /// A Boolean value that indicates whether the party is announced on this network, so that `matinee join` finds it.
  package var isAnnounced = false
  /// A message for the host, once the result is known.
  var news: String?
}

extension Reach {
  /// - Parameters:
  ///   - host: the address on which the relay listens: `*`, `0.0.0.0` or `::` for all addresses.
  ///   - security: the proof of identity that the relay gives; nil without TLS.
  ///   - mapping: the router's state; nil if it isn't asked.
  package init(
    host: String, port: Int, security: Invite.Address.Security? = nil,
    interfaces: [InterfaceAddress], mapping: PortMappingStatus?
  ) {
    let own = Self.places(host: host, port: port, security, interfaces: interfaces)
    var mapped: [Place] = []
    if case .mapped(let mapping)? = mapping,
      let address = Invite.Address(
        host: mapping.externalAddress, port: mapping.externalPort, security: security)
    {
      mapped = [Place(kind: .internet, address: address)].filter { !own.contains($0) }
    }
    places = mapped + own
    router = mapping.map(Router.init)
    let isOutside = places.contains { $0.kind == .internet }
    let isForMachine = own.allSatisfy { $0.kind == .machine }
    let local = own.first { $0.kind == .network && !$0.address.host.contains(":") }?.address.host
    advice =
      if isForMachine {
        AddressScope(of: host) == .machine
          ? "Only programs on this machine can join. Without --listen, others can too."
          : "This machine isn't connected to a network. Only programs on it can join."
      } else if isOutside || own.contains(where: { $0.kind == .named }) {
        nil
      } else {
        Self.advice(mapping, port: port, local: local)
      }
    limit =
      advice.map { _ in
        isForMachine
          ? "Only programs on this machine can join." : "Only people in your network can join."
      }
    news =
      if let place = mapped.first {
        "Friends outside your network can connect: your router opened \(place.address.text)."
      } else {
        router == .searching ? nil : advice
      }
  }

  /// A Boolean value that indicates whether the router's answer decides about friends outside this network.
  package var awaitsRouter: Bool {
    router == .searching && !places.contains { $0.kind == .internet }
  }

  private static func places(
    host: String, port: Int, _ security: Invite.Address.Security?, interfaces: [InterfaceAddress]
  ) -> [Place] {
    func place(_ host: String, _ port: Int, kind: Place.Kind) -> Place? {
      Invite.Address(host: host, port: port, security: security)
        .map { Place(kind: kind, address: $0) }
    }
    guard ["*", "0.0.0.0", "::"].contains(host) else {
      return [place(host, port, kind: AddressScope(of: host).map(kind(host)) ?? .named)]
        .compactMap { $0 }
    }
    let usable = LocalAddresses.usable(
      among: interfaces.filter { host != "0.0.0.0" || !$0.isIPv6 })
    let places = usable.compactMap { address in
      place(address.text, port, kind: kind(address.text)(address.scope))
    }
    return places.isEmpty
      ? [place("127.0.0.1", port, kind: .machine)].compactMap { $0 } : places
  }

  private static func kind(_ host: String) -> (AddressScope) -> Place.Kind {
    { scope in
      switch scope {
      case .everywhere: host.contains(":") ? .ipv6 : .internet
      case .site, .carrier, .link: .network
      case .machine: .machine
      case .nowhere: .named
      }
    }
  }

  private static func advice(
    _ mapping: PortMappingStatus?, port: Int, local: String?
  ) -> String? {
    let problem = "Friends outside your network can't connect yet"
    let forward =
      "Forward TCP port \(port) to \(local ?? "this machine") on your router, "
      + "or use a relay (--relay)."
    switch mapping {
    case .searching, .mapped: return nil
    case nil, .noRouter: return "\(problem). \(forward)"
    case .refused(let method, let error):
      return "\(problem): your router (\(method.rawValue)) didn't open the port "
        + "(\(error.text)). \(forward)"
    case .behindAnotherRouter(let method, let external?)
    where AddressScope(of: external) == .carrier:
      return "\(problem): your provider shares one public address among many customers, and "
        + "your router (\(method.rawValue)) has only \(external). Use a relay (--relay), or ask the "
        + "provider for a public address."
    case .behindAnotherRouter(let method, let external):
      return "\(problem): your router (\(method.rawValue)) has no public address"
        + "\(external.map { ", only \($0)" } ?? ""), so it is behind another router. "
        + "Forward TCP port \(port) in both if both are yours, or use a relay (--relay)."
    }
  }
}

extension Reach.Router {
  package init(_ status: PortMappingStatus) {
    self =
      switch status {
      case .searching: .searching
      case .mapped: .mapped
      case .behindAnotherRouter: .behindAnother
      case .refused: .refused
      case .noRouter: .none
      }
  }
}

extension ScreeningEvent.Access {
  package init(_ invite: Invite, _ reach: Reach) {
    self.init(
      invite: invite.text,
      addresses: reach.places.map { .init(address: $0.address.text, kind: $0.kind.rawValue) },
      router: reach.router?.rawValue, announced: reach.isAnnounced, advice: reach.advice,
      news: reach.news)
  }
}
