import DirectPath
import Foundation
import GroupActivities
import Reachability
import Screening
import Synchronization

/// The edge for the direct paths of one party, and the port that the router opens for them.
@ScreeningActor
final class PathRoom {
  private var mapper: PortMapper?
  private var task: Task<Void, Never>?
  /// A Boolean value that indicates whether the party has the edge.
  private(set) var isOpen = false

  /// Opens the sockets, and gives them to the party, which closes them at its end.
  ///
  /// - Parameter mapsPort: whether the router is asked to open the port.
  func open(in party: Party, mapsPort: Bool) async throws(DirectPathError) {
    let mapped = MappedPort()
    let isForOneMachine = party.invite.isForOneMachine
    let paths = try UDPPaths(
      UDPPaths.Configuration(allowsLoopback: isForOneMachine),
      addresses: { LocalAddresses.usable(among: InterfaceAddress.all(), limit: 6).map(\.text) },
      mappedPorts: { mapped.candidates })
    isOpen = true
    await party.useDirectPaths(paths)
    guard mapsPort, !isForOneMachine, let port = paths.portIPv4 else { return }
    let mapper = PortMapper(port: Int(port), transport: .udp)
    self.mapper = mapper
    task = Task {
      for await status in mapper.statuses { mapped.handle(status) }
    }
    await mapper.start()
  }

  /// Withdraws the router's mapping. It takes some seconds at most if the router doesn't answer.
  func end() async {
    isOpen = false
    task?.cancel()
    await mapper?.stop()
    mapper = nil
  }
}

/// The port that the router opened, as the thread of the paths reads it.
private final class MappedPort: Sendable {
  private let current = Mutex<PathCandidate?>(nil)

  var candidates: [PathCandidate] { current.withLock { $0.map { [$0] } ?? [] } }

  func handle(_ status: PortMappingStatus) {
    let candidate: PathCandidate? =
      switch status {
      case .mapped(let mapping):
        PathCandidate(
          address: mapping.externalAddress.split(separator: ".").compactMap { UInt8($0) },
          port: UInt16(clamping: mapping.externalPort), kind: .mapped)
      case .searching, .behindAnotherRouter, .refused, .noRouter: nil
      }
    current.withLock { $0 = candidate }
  }
}
