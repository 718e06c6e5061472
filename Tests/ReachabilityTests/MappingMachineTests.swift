import Testing

@testable import Reachability

@Suite("Keeping a port mapped")
struct MappingMachineTests {
  private typealias Machine = MappingMachine

  private static let lease = Duration.seconds(600)
  private let lease = Self.lease
  private func machine() -> MappingMachine {
    Machine(port: 62846, otherPorts: [50001, 50002], lease: lease)
  }

  /// Returns a machine that has found a router.
  private func machineAtRouter() -> MappingMachine {
    var machine = machine()
    _ = machine.begin()
    _ = machine.found(router())
    return machine
  }

  private func router(
    _ address: String? = "8.8.4.4", _ method: PortMapping.Method = .natPMP
  ) -> MappingMachine.Gateway {
    Machine.Gateway(
      method: method,
      externalAddress: address.map { .success($0) } ?? .failure(error(.noExternalAddress)))
  }

  private func error(_ kind: PortMappingError.Kind) -> PortMappingError {
    PortMappingError(kind: kind, code: 1, operation: "test", text: "no")
  }

  private func grant(
    _ port: Int = 62846, lease: Duration? = Self.lease, address: String = "8.8.4.4"
  ) -> Result<MappingMachine.Answer, PortMappingError> {
    .success(.init(grant: MappingGrant(externalPort: port, lease: lease), address: address))
  }

  private func mapped(
    _ port: Int = 62846, lease: Duration? = Self.lease,
    _ method: PortMapping.Method = .natPMP, address: String = "8.8.4.4"
  ) -> PortMappingStatus {
    .mapped(
      PortMapping(
        method: method, externalAddress: address, externalPort: port, port: 62846, lease: lease))
  }

  @Test("The first router that answers maps the port, and the mapping is renewed at half the lease")
  func renewal() {
    var machine = machine()
    #expect(machine.begin() == .search)
    #expect(machine.status == .searching)
    #expect(machine.found(router()) == .map(gateway: 0, externalPort: 62846, lease: lease))
    #expect(machine.answered(grant()) == .rest(lease / 2))
    #expect(machine.status == mapped())
    #expect(machine.rested() == .map(gateway: 0, externalPort: 62846, lease: lease))
    #expect(machine.answered(grant()) == .rest(lease / 2))
    #expect(machine.held?.gateway == 0)
  }

  @Test("A router that grants less, or another port, is accepted")
  func otherGrant() {
    var machine = machineAtRouter()
    #expect(machine.answered(grant(50123, lease: .seconds(60))) == .rest(.seconds(30)))
    #expect(machine.status == mapped(50123, lease: .seconds(60)))
    // The same request again, for the full desired lease.
    #expect(machine.rested() == .map(gateway: 0, externalPort: 50123, lease: lease))
  }

  @Test("After a grant without a duration there is a pause before the next request")
  func noBusyLoop() {
    var machine = machineAtRouter()
    #expect(machine.answered(grant(lease: .zero)) == .rest(MappingMachine.shortestRenewal))
  }

  @Test("Another port is tried when the port is taken, and another router when none is left")
  func takenPorts() {
    var machine = machineAtRouter()
    for port in [50001, 50002] {
      #expect(
        machine.answered(.failure(error(.portTaken)))
          == .map(gateway: 0, externalPort: port, lease: lease))
    }
    #expect(machine.answered(.failure(error(.portTaken))) == .awaitGateway)
    #expect(
      machine.found(router("8.8.8.8", .upnp))
        == .map(gateway: 1, externalPort: 62846, lease: lease))
    _ = machine.answered(grant(address: "8.8.8.8"))
    #expect(machine.status == mapped(.upnp, address: "8.8.8.8"))
  }

  private func mapped(_ method: PortMapping.Method, address: String) -> PortMappingStatus {
    mapped(62846, lease: Self.lease, method, address: address)
  }

  @Test("A router with only permanent mappings gets such a request, and is checked as often")
  func permanent() {
    var machine = machineAtRouter()
    #expect(
      machine.answered(.failure(error(.onlyPermanentLeases)))
        == .map(gateway: 0, externalPort: 62846, lease: nil))
    #expect(machine.answered(grant(lease: nil)) == .rest(lease / 2))
    #expect(machine.status == mapped(lease: nil))
    #expect(machine.rested() == .map(gateway: 0, externalPort: 62846, lease: nil))
    // A router that then gives this answer to a permanent request too is given up.
    _ = machine.answered(grant(lease: nil))
  }

  @Test(
    "A router behind another one isn't used, and its address is reported",
    arguments: ["192.168.1.2", "100.64.3.4", "10.0.0.1", nil])
  func behindAnother(address: String?) {
    var machine = machine()
    _ = machine.begin()
    #expect(machine.found(router(address)) == .awaitGateway)
    // The same router by the other protocol, which reports less.
    #expect(machine.found(router(nil, .upnp)) == .awaitGateway)
    #expect(machine.searchEnded() == .rest(MappingMachine.rest))
    #expect(
      machine.status
        == .behindAnotherRouter(address == nil ? .upnp : .natPMP, externalAddress: address))
    #expect(machine.held == nil)
  }

  @Test("If no router is found the search is repeated later: a laptop may come home")
  func noRouter() {
    var machine = machine()
    _ = machine.begin()
    #expect(machine.searchEnded() == .rest(MappingMachine.rest))
    #expect(machine.status == .noRouter)
    #expect(machine.rested() == .search)
    #expect(machine.status == .noRouter)
    _ = machine.found(router())
    _ = machine.answered(grant())
    #expect(machine.status == mapped())
  }

  @Test("A refusal is reported with its reason")
  func refusal() {
    var machine = machineAtRouter()
    #expect(machine.answered(.failure(error(.refused))) == .awaitGateway)
    _ = machine.searchEnded()
    #expect(machine.status == .refused(.natPMP, error(.refused)))
  }

  @Test("If a router doesn't renew, the search begins again, and no mapping is assumed")
  func lostRouter() {
    var machine = machineAtRouter()
    _ = machine.answered(grant())
    _ = machine.rested()
    #expect(machine.answered(.failure(error(.noAnswer))) == .search)
    #expect(machine.status == .searching)
    #expect(machine.held == nil)
  }

  @Test("A new outer address is reported, and an unreachable one means no mapping")
  func newAddress() {
    var machine = machineAtRouter()
    _ = machine.answered(grant())
    _ = machine.rested()
    _ = machine.answered(grant(address: "8.8.8.8"))
    #expect(machine.status == mapped(.natPMP, address: "8.8.8.8"))
    _ = machine.rested()
    _ = machine.answered(grant(address: "100.64.0.9"))
    #expect(machine.status == .behindAnotherRouter(.natPMP, externalAddress: "100.64.0.9"))
    // The mapping still has to be removed.
    #expect(machine.held != nil)
  }
}
