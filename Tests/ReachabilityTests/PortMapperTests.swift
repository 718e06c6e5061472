import Synchronization
import Testing

@testable import Reachability

/// The shell around the machine, with simulated routers.
@Suite("The port mapper")
struct PortMapperTests {
  /// A router that maps everything, and counts the requests.
  private final class Router: MappingGateway {
    let method = PortMapping.Method.upnp
    private let mappings = Mutex<[Int]>([])

    var mapped: [Int] { mappings.withLock { $0 } }

    func externalAddress() async throws(PortMappingError) -> String { "8.8.4.4" }

    func map(
      _ port: Int, externalPort: Int, lease: Duration?
    ) async throws(PortMappingError) -> MappingGrant {
      mappings.withLock { $0.append(externalPort) }
      return MappingGrant(externalPort: externalPort, lease: lease)
    }

    func unmap(_ mapping: PortMapping) async throws(PortMappingError) {
      mappings.withLock { $0.removeAll { $0 == mapping.externalPort } }
    }
  }

  private func mapper(_ routers: [Router]) -> PortMapper {
    PortMapper(machine: MappingMachine(port: 62846, otherPorts: [], lease: .seconds(600))) {
      AsyncStream { continuation in
        for router in routers {
          continuation.yield(
            FoundGateway(gateway: router, externalAddress: .success("8.8.4.4")))
        }
        continuation.finish()
      }
    }
  }

  @Test("It maps through one router only, and removes the mapping when it stops")
  func mapsAndUnmaps() async {
    let (first, second) = (Router(), Router())
    let mapper = mapper([first, second])
    await mapper.start()
    for await status in mapper.statuses {
      guard case .mapped(let mapping) = status else { continue }
      #expect(mapping.externalAddress == "8.8.4.4" && mapping.externalPort == 62846)
      break
    }
    #expect(first.mapped == [62846])
    await mapper.stop()
    #expect(first.mapped.isEmpty && second.mapped.isEmpty)
  }

  @Test("Its statuses end when it stops, also during a search")
  func stopsWhileSearching() async {
    let mapper = PortMapper(
      machine: MappingMachine(port: 62846, otherPorts: [], lease: .seconds(600))
    ) {
      // No router ever answers.
      AsyncStream { _ in }
    }
    await mapper.start()
    await mapper.stop()
    var last: PortMappingStatus?
    for await status in mapper.statuses { last = status }
    #expect(last == nil || last == .searching || last == .noRouter)
  }
}
