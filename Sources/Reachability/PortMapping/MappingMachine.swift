import Addresses

/// Decides about the requests to routers, and their times. The shell is ``PortMapper``.
struct MappingMachine: Sendable {
  enum State: Hashable, Sendable {
    /// The machine waits for the search to find a router → `asking`, or to end → `resting`.
    case searching
    /// The machine has asked a router for a port → `mapped`, or `searching` for another router.
    case asking(gateway: Int, externalPort: Int, others: [Int], lease: Duration?)
    /// The router maps the port, until its renewal → `mapped` or, if the router has forgotten it, `searching`.
    case mapped(gateway: Int, PortMapping)
    /// There is no mapping; after a while → `searching`.
    case resting
  }

  enum Action: Hashable, Sendable {
    /// Begin a new search.
    case search
    /// Wait for the next result of the search.
    case awaitGateway
    case map(gateway: Int, externalPort: Int, lease: Duration?)
    case rest(Duration)
  }

  /// The shell's knowledge about a router.
  struct Gateway: Hashable, Sendable {
    var method: PortMapping.Method
    var externalAddress: Result<String, PortMappingError>
  }

  /// A router's grant, and its outer address at that time.
  struct Answer: Hashable, Sendable {
    var grant: MappingGrant
    var address: String
  }

  private(set) var state = State.resting
  private(set) var status = PortMappingStatus.searching
  private var gateways: [Gateway] = []
  /// The most informative reason so far for the lack of a mapping.
  private var obstacle = PortMappingStatus.noRouter

  let port: Int
  /// The outer ports to try if the port itself is taken.
  let otherPorts: [Int]
  /// The lease to request; renewed at half of the granted one.
  let lease: Duration

  /// The wait before the next search for a router: a laptop may have come home.
  static let rest = Duration.seconds(120)
  /// The shortest time between renewals, since a router with shorter leases would cause constant requests.
  static let shortestRenewal = Duration.seconds(1)

  init(port: Int, otherPorts: [Int], lease: Duration) {
    self.port = port
    self.otherPorts = otherPorts
    self.lease = lease
  }

  /// The mapping that the router keeps, and the router's index.
  var held: (gateway: Int, mapping: PortMapping)? {
    if case .mapped(let gateway, let mapping) = state { (gateway, mapping) } else { nil }
  }

  mutating func begin() -> Action {
    state = .searching
    gateways = []
    obstacle = .noRouter
    return .search
  }

  mutating func found(_ gateway: Gateway) -> Action {
    gateways.append(gateway)
    switch outerAddress(of: gateway) {
    case .success: return ask(gateways.count - 1, externalPort: port, others: otherPorts, lease)
    case .failure(let found):
      // The same router may report less by the other method.
      if case .behindAnotherRouter(_, externalAddress: .some) = obstacle { return .awaitGateway }
      obstacle = found
      return .awaitGateway
    }
  }

  mutating func searchEnded() -> Action {
    state = .resting
    status = obstacle
    return .rest(Self.rest)
  }

  mutating func answered(_ outcome: Result<Answer, PortMappingError>) -> Action {
    switch (state, outcome) {
    case (.asking(let index, _, _, _), .success(let answer)),
      (.mapped(let index, _), .success(let answer)):
      return keep(answer.grant, address: answer.address, from: index)
    case (.asking(let index, let tried, var others, let lease), .failure(let error)):
      switch error.kind {
      case .portTaken where !others.isEmpty:
        return ask(index, externalPort: others.removeFirst(), others: others, lease)
      case .onlyPermanentLeases where lease != nil:
        return ask(index, externalPort: tried, others: others, nil)
      case .portTaken, .onlyPermanentLeases, .noAnswer, .noExternalAddress, .refused:
        obstacle = .refused(gateways[index].method, error)
        state = .searching
        return .awaitGateway
      }
    case (.mapped, .failure):
      // The router was restarted or replaced, or the network is another one: a new search finds the current router.
      status = .searching
      return begin()
    case (.searching, _), (.resting, _):
      preconditionFailure("an answer in state \(state), where nothing was asked")
    }
  }

  /// Returns the next action after the time of ``Action/rest(_:)``.
  mutating func rested() -> Action {
    switch state {
    case .mapped(let index, let mapping):
      return .map(
        gateway: index, externalPort: mapping.externalPort,
        lease: mapping.lease == nil ? nil : lease)
    case .resting: return begin()
    case .searching, .asking: preconditionFailure("no rest was asked for in state \(state)")
    }
  }

  private mutating func ask(
    _ index: Int, externalPort: Int, others: [Int], _ lease: Duration?
  ) -> Action {
    state = .asking(gateway: index, externalPort: externalPort, others: others, lease: lease)
    return .map(gateway: index, externalPort: externalPort, lease: lease)
  }

  private mutating func keep(
    _ grant: MappingGrant, address: String, from index: Int
  ) -> Action {
    let mapping = PortMapping(
      method: gateways[index].method, externalAddress: address, externalPort: grant.externalPort,
      port: port, lease: grant.lease)
    state = .mapped(gateway: index, mapping)
    gateways[index].externalAddress = .success(address)
    switch outerAddress(of: gateways[index]) {
    case .success: status = .mapped(mapping)
    // The address changed to one that can't be reached: the mapping is kept, for it may change back.
    case .failure(let obstacle): status = obstacle
    }
    // A mapping without end is checked as often: the router may have been restarted.
    return .rest(max(Self.shortestRenewal, min(grant.lease ?? lease, lease) / 2))
  }

  private enum Outer { case success, failure(PortMappingStatus) }

  private func outerAddress(of gateway: Gateway) -> Outer {
    switch gateway.externalAddress {
    case .success(let address):
      AddressScope(of: address) == .everywhere
        ? .success : .failure(.behindAnotherRouter(gateway.method, externalAddress: address))
    case .failure: .failure(.behindAnotherRouter(gateway.method, externalAddress: nil))
    }
  }
}
