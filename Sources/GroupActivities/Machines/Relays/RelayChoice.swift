import Timekeeping

/// Decides which of a party's relays a participant uses: the first one in the party's order that answers it.
///
/// All participants have the same order, so those that lose their relay meet at the next one without a question, and
/// those that meet at different ones move to the first that all reach.
package struct RelayChoice: Hashable, Sendable {
  /// The relays, best first; empty for a party without any, whose servers are the user's choice.
  private(set) var routes: [RelayRoute] = []
  /// The owner of the relay in use; nil while the link is down, and for an unknown relay.
  private(set) var current: Participant.ID?
  /// A Boolean value that indicates whether a relay is in use.
  private var isConnected = false
  private var trials = RelayTrials()

  /// The interval between two attempts to reach a better relay than the one in use.
  package static let probeInterval = Duration.milliseconds(1500)
  /// The head start of an expected relay over the next one.
  static let headStart = Duration.milliseconds(500)

  package init() {}

  package var isEmpty: Bool { routes.isEmpty }

  package mutating func relaysChanged(to routes: [RelayRoute]) { self.routes = routes }

  /// - Parameter owner: the owner of the relay; nil if it isn't known which one this is.
  package mutating func connected(to owner: Participant.ID?) {
    isConnected = true
    current = owner
  }

  package mutating func linkLost() {
    isConnected = false
    current = nil
  }

  /// Returns the relays to try after the link was lost, each with the time for which the better ones have a head start.
  /// The relays of absent participants give none: most of them are gone. Addresses that were never reached are tried too,
  /// as rarely as ``RelayTrials`` says.
  package mutating func attempts(at now: HostTime) -> [(route: RelayRoute, delay: Duration)] {
    tried(routes[...], at: now)
  }

  /// Returns the relays to try while the one in use is about to stop.
  package mutating func alternatives(at now: HostTime) -> [(route: RelayRoute, delay: Duration)] {
    tried(routes.filter { $0.owner != current }[...], at: now)
  }

  /// Returns the relays to try that are better than the one in use. Other participants may be there.
  package mutating func better(at now: HostTime) -> [(route: RelayRoute, delay: Duration)] {
    isConnected ? tried(routes[..<rank], at: now) : []
  }

  /// Returns the relays to visit: those of silent owners that are worse than the one in use.
  ///
  /// When participants lose contact, the last changes of their ranks may not reach all. Each side then may have its own
  /// relay first, and none looks for the other one at a better relay.
  package mutating func visits(at now: HostTime) -> [(route: RelayRoute, delay: Duration)] {
    isConnected ? tried(silent, at: now) : []
  }

  /// A Boolean value that indicates whether the best relay is in use, and no owner of another one is silent.
  package var isSettled: Bool { isConnected && rank == 0 && silent.isEmpty }

  private var silent: ArraySlice<RelayRoute> {
    routes.dropFirst(rank + 1).filter { !$0.isPresent }[...]
  }

  private var rank: Int { routes.firstIndex { $0.owner == current } ?? routes.count }

  private mutating func tried(
    _ routes: ArraySlice<RelayRoute>, at now: HostTime
  ) -> [(route: RelayRoute, delay: Duration)] {
    let new = routes.map { route in route.addresses.filter { !route.reached.contains($0) } }
    let due = trials.due(new, at: now)
    return Self.staggered(routes) { route in { route.reached.contains($0) || due.contains($0) } }
  }

  /// - Parameter isUsable: returns whether an address of a relay is to be tried.
  private static func staggered(
    _ routes: ArraySlice<RelayRoute>,
    at isUsable: (RelayRoute) -> (Invite.Address) -> Bool
  ) -> [(route: RelayRoute, delay: Duration)] {
    var delay = Duration.zero
    return routes.compactMap { route in
      var route = route
      route.addresses = route.addresses.filter(isUsable(route))
      guard !route.addresses.isEmpty else { return nil }
      defer { if route.isPresent { delay += headStart } }
      return (route, delay)
    }
  }

  /// Returns the owner of the relay with an address; nil for an unknown address.
  package func owner(at address: String) -> Participant.ID? {
    routes.first { $0.addresses.contains { $0.text == address } }?.owner
  }
}
