import Timekeeping

/// Decides which of a party's relays a participant uses: the first one in the party's order that answers it.
///
/// All participants have the same order, so those that lose their relay meet at the next one without a question, and
/// those that meet at different ones move to the first that all reach.
package struct RelayChoice: Hashable, Sendable {
  /// The relays, best first; empty for a party without any, whose servers are the user's choice.
  private(set) var routes: [RelayRoute] = []
  /// The owner of the relay in use; nil while the link is down, and for an unknown relay.
  package private(set) var current: Participant.ID?
  /// A Boolean value that indicates whether a relay is in use.
  private var isConnected = false

  /// The interval between two attempts to reach a better relay than the one in use.
  package static let probeInterval = Duration.milliseconds(1500)
  /// The head start of an expected relay over the next one.
  package static let headStart = Duration.milliseconds(500)

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

  /// The relays to try after the link was lost, each with the time for which the better ones have a head start. The
  /// relays of absent participants give none: most of them are gone.
  package var attempts: [(route: RelayRoute, delay: Duration)] { Self.staggered(routes[...]) }

  /// The relays to try while one in use is about to stop.
  package var alternatives: [(route: RelayRoute, delay: Duration)] {
    Self.staggered(routes.filter { $0.owner != current }[...])
  }

  /// The relays that are better than the one in use, to be tried again and again. Other participants may be there.
  package var better: [(route: RelayRoute, delay: Duration)] {
    isConnected ? Self.staggered(routes[..<rank]) : []
  }

  /// The relays of silent owners that are worse than the one in use, to be visited again and again.
  ///
  /// When participants lose contact, the last changes of their ranks may not reach all. Each side then may have its own
  /// relay first, and none looks for the other one at a better relay.
  package var visits: [(route: RelayRoute, delay: Duration)] {
    guard isConnected else { return [] }
    return Self.staggered(routes.dropFirst(rank + 1).filter { !$0.isPresent }[...])
  }

  private var rank: Int { routes.firstIndex { $0.owner == current } ?? routes.count }

  private static func staggered(
    _ routes: ArraySlice<RelayRoute>
  ) -> [(route: RelayRoute, delay: Duration)] {
    var delay = Duration.zero
    return routes.map { route in
      defer { if route.isPresent { delay += headStart } }
      return (route, delay)
    }
  }

  /// Returns the owner of the relay with an address; nil for an unknown address.
  package func owner(at address: String) -> Participant.ID? {
    routes.first { $0.addresses.contains { $0.text == address } }?.owner
  }
}
