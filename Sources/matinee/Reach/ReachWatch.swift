import Reachability

/// Makes a relay reachable for others, as far as router and local network help, and tells how far that
/// went. The party opens without waiting for it.
actor ReachWatch {
  /// What is known before anybody was asked.
  nonisolated let initial: Reach
  /// Each change since. For one consumer; only the newest waits.
  nonisolated let changes: AsyncStream<Reach>
  private let continuation: AsyncStream<Reach>.Continuation
  private let host: String
  private let port: Int
  private let mapper: PortMapper?
  private let service: LocalService?
  private var announcement: ServiceAnnouncement?
  private var tasks: [Task<Void, Never>] = []
  /// What the router said last; nil when it isn't asked.
  private var mapping: PortMappingStatus?
  private var isAnnounced = false

  /// - Parameters:
  ///   - host: where the relay listens: `*`, `0.0.0.0` or `::` for all addresses.
  ///   - announcement: nil to tell the local network nothing.
  init(host: String, port: Int, mapsPort: Bool, announcement: LocalService?) {
    self.host = host
    self.port = port
    let interfaces = InterfaceAddress.all()
    let isForOthers = Self.isForOthers(host)
    // A router leads to IPv4 addresses of the local network: there has to be one that is listened on.
    let isMappable =
      isForOthers && host != "::"
      && LocalAddresses.usable(among: interfaces, limit: .max).contains { address in
        !address.isIPv6 && address.scope != .everywhere
          && (["*", "0.0.0.0"].contains(host) || host == address.text)
      }
    mapper = mapsPort && isMappable ? PortMapper(port: port) : nil
    service = isForOthers ? announcement : nil
    mapping = mapper == nil ? nil : .searching
    initial = Reach(host: host, port: port, interfaces: interfaces, mapping: mapping)
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Asks the router and tells the local network; returns at once.
  func start() async {
    guard tasks.isEmpty else { return }
    if let mapper {
      tasks.append(
        Task { [weak self] in
          for await status in mapper.statuses { await self?.take(status) }
        })
      await mapper.start()
    }
    if let service {
      let announcement = ServiceAnnouncement(of: service)
      self.announcement = announcement
      tasks.append(
        Task { [weak self] in
          for await isAnnounced in announcement.isAnnounced { await self?.take(isAnnounced) }
        })
    }
  }

  /// Takes everything back. Some seconds at most, while a router doesn't answer.
  func stop() async {
    announcement?.withdraw()
    announcement = nil
    for task in tasks { task.cancel() }
    await mapper?.stop()
    continuation.finish()
  }

  private func take(_ status: PortMappingStatus) {
    guard status != mapping else { return }
    mapping = status
    tell()
  }

  private func take(_ isAnnounced: Bool) {
    guard isAnnounced != self.isAnnounced else { return }
    self.isAnnounced = isAnnounced
    tell()
  }

  private func tell() {
    // The machine may be in another network by now.
    var reach = Reach(
      host: host, port: port, interfaces: InterfaceAddress.all(), mapping: mapping)
    reach.isAnnounced = isAnnounced
    continuation.yield(reach)
  }

  /// A name may be anybody's, and whoever gives one knows why.
  private static func isForOthers(_ host: String) -> Bool {
    if ["*", "0.0.0.0", "::"].contains(host) { return true }
    return AddressScope(of: host).map { $0 != .machine } ?? false
  }
}
