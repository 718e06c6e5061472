import Addresses
import GroupActivities
import Reachability

/// Makes a relay reachable for other participants, as far as the router and the local network allow, and reports the
/// result. The party opens without waiting for it.
package actor ReachWatch {
  /// The addresses that are known before the router answers.
  nonisolated let initial: Reach
  /// Each later change. The stream has one consumer; only the newest change waits.
  nonisolated let changes: AsyncStream<Reach>
  private let continuation: AsyncStream<Reach>.Continuation
  private let host: String
  private let port: Int
  private let security: Invite.Address.Security?
  private let mapper: PortMapper?
  private let service: LocalService?
  private var announcement: ServiceAnnouncement?
  private var tasks: [Task<Void, Never>] = []
  /// The router's last state; nil if it isn't asked.
  private var mapping: PortMappingStatus?
  private var isAnnounced = false

  /// - Parameters:
  ///   - host: the address on which the relay listens: `*`, `0.0.0.0` or `::` for all addresses.
  ///   - security: the proof of identity that the relay gives; nil without TLS.
  ///   - announcement: the service to announce; nil for none.
  init(
    host: String, port: Int, security: Invite.Address.Security?, mapsPort: Bool,
    announcement: LocalService?
  ) {
    self.host = host
    self.port = port
    self.security = security
    let interfaces = InterfaceAddress.all()
    let isForOthers = Self.isForOthers(host)
    // A router forwards to IPv4 addresses of the local network, so the relay must listen on one.
    let isMappable =
      isForOthers && host != "::"
      && LocalAddresses.usable(among: interfaces, limit: .max).contains { address in
        !address.isIPv6 && address.scope != .everywhere
          && (["*", "0.0.0.0"].contains(host) || host == address.text)
      }
    mapper = mapsPort && isMappable ? PortMapper(port: port) : nil
    service = isForOthers ? announcement : nil
    mapping = mapper == nil ? nil : .searching
    initial = Reach(
      host: host, port: port, security: security, interfaces: interfaces, mapping: mapping)
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Asks the router and announces the party; returns at once.
  package func start() async {
    guard tasks.isEmpty else { return }
    if let mapper {
      tasks.append(
        Task { [weak self] in
          for await status in mapper.statuses { await self?.handle(status) }
        })
      await mapper.start()
    }
    if let service {
      let announcement = ServiceAnnouncement(of: service)
      self.announcement = announcement
      tasks.append(
        Task { [weak self] in
          for await isAnnounced in announcement.isAnnounced { await self?.handle(isAnnounced) }
        })
    }
  }

  /// Withdraws the mapping and the announcement. It takes some seconds at most if the router doesn't answer.
  package func stop() async {
    announcement?.withdraw()
    announcement = nil
    for task in tasks { task.cancel() }
    await mapper?.stop()
    continuation.finish()
  }

  private func handle(_ status: PortMappingStatus) {
    guard status != mapping else { return }
    mapping = status
    report()
  }

  private func handle(_ isAnnounced: Bool) {
    guard isAnnounced != self.isAnnounced else { return }
    self.isAnnounced = isAnnounced
    report()
  }

  private func report() {
    // The machine may have changed networks.
    var reach = Reach(
      host: host, port: port, security: security, interfaces: InterfaceAddress.all(),
      mapping: mapping)
    reach.isAnnounced = isAnnounced
    continuation.yield(reach)
  }

  /// Returns a Boolean value that indicates whether other machines can connect. It is false for a host name, because
  /// its scope is unknown.
  private static func isForOthers(_ host: String) -> Bool {
    if ["*", "0.0.0.0", "::"].contains(host) { return true }
    return AddressScope(of: host).map { $0 != .machine } ?? false
  }
}
