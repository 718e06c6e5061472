import Addresses

/// Keeps a TCP port of this machine reachable from outside, for as long as a router supports it.
///
/// NAT-PMP and UPnP are tried at the same time. The first router that maps the port gets the request again before its
/// lease is over. ``stop()`` removes the mapping.
package actor PortMapper {
  /// The current status, and each later one. For one consumer; only the newest waits.
  package nonisolated let statuses: AsyncStream<PortMappingStatus>
  private let continuation: AsyncStream<PortMappingStatus>.Continuation
  private let search: @Sendable () -> AsyncStream<FoundGateway>
  private var machine: MappingMachine
  private var gateways: [FoundGateway] = []
  private var iterator: AsyncStream<FoundGateway>.AsyncIterator?
  private var task: Task<Void, Never>?
  private var reported: PortMappingStatus?

  /// - Parameters:
  ///   - port: the port that is listened on, 1 to 65535.
  ///   - lease: the time for which the router keeps the mapping without a new request, in whole seconds. Short, so that
  ///     a crash leaves nothing open for long.
  package init(port: Int, lease: Duration = .seconds(600)) {
    // The range without registered ports (RFC 6335 §6).
    let others = (0..<4).map { _ in Int.random(in: 49152...65535) }
    self.init(machine: MappingMachine(port: port, otherPorts: others, lease: lease)) {
      GatewaySearch.routers()
    }
  }

  init(
    machine: MappingMachine, search: @escaping @Sendable () -> AsyncStream<FoundGateway>
  ) {
    self.machine = machine
    self.search = search
    (statuses, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Begins; returns at once.
  package func start() {
    guard task == nil else { return }
    task = Task { await run() }
  }

  /// Removes the mapping, if there is one. Takes some seconds at most if the router doesn't answer.
  package func stop() async {
    task?.cancel()
    await task?.value
    if let (gateway, mapping) = machine.held {
      // A router that doesn't answer forgets the mapping when its lease is over.
      try? await gateways[gateway].gateway.unmap(mapping)
    }
    continuation.finish()
  }

  private func run() async {
    var action = machine.begin()
    while !Task.isCancelled {
      report()
      switch action {
      case .search:
        gateways = []
        iterator = search().makeAsyncIterator()
        action = .awaitGateway
      case .awaitGateway: action = await nextGateway()
      case .map(let gateway, let externalPort, let lease):
        action = machine.answered(
          await map(gateways[gateway], externalPort: externalPort, lease: lease))
      case .rest(let time):
        // After sleep, the machine finds its lease over: this clock continues meanwhile.
        try? await Task.sleep(for: time, clock: .continuous)
        if !Task.isCancelled { action = machine.rested() }
      }
    }
  }

  private func nextGateway() async -> MappingMachine.Action {
    var next = iterator
    let found = await next?.next(isolation: self)
    iterator = next
    guard let found else { return machine.searchEnded() }
    gateways.append(found)
    return machine.found(
      MappingMachine.Gateway(
        method: found.gateway.method, externalAddress: found.externalAddress))
  }

  private func map(
    _ found: FoundGateway, externalPort: Int, lease: Duration?
  ) async -> Result<MappingMachine.Answer, PortMappingError> {
    do throws(PortMappingError) {
      let grant = try await found.gateway.map(
        machine.port, externalPort: externalPort, lease: lease)
      // A provider may give another address at any time. This process must still be able to remove the mapping, so a
      // router that gives no address now is assumed to have the former one.
      let address: String
      do throws(PortMappingError) {
        address = try await found.gateway.externalAddress()
      } catch {
        address = try found.externalAddress.get()
      }
      return .success(MappingMachine.Answer(grant: grant, address: address))
    } catch {
      return .failure(error)
    }
  }

  private func report() {
    guard machine.status != reported else { return }
    reported = machine.status
    continuation.yield(machine.status)
  }
}

/// The progress of a ``PortMapper``.
package enum PortMappingStatus: Hashable, Sendable {
  /// Routers are being asked; no answer is decisive yet.
  case searching
  /// A router leads its outer port to this machine. The mapping is renewed automatically.
  case mapped(PortMapping)
  /// A router maps ports, but its own outer address isn't one of the internet: it is behind another router
  /// (AddressScope/site), or behind its provider's (AddressScope/carrier). Nothing is mapped, since the port couldn't
  /// be reached from outside. The address is nil if the router doesn't report it.
  case behindAnotherRouter(PortMapping.Method, externalAddress: String?)
  /// A router answered, but didn't map the port.
  case refused(PortMapping.Method, PortMappingError)
  /// No router that maps ports answers.
  case noRouter
}
