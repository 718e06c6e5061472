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
  private var task: Task<Void, Never>?

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
    initial = Reach(
      host: host, port: port, interfaces: interfaces, mapping: mapper == nil ? nil : .searching)
    (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Asks the router and tells the local network; returns at once.
  func start() async {
    announcement = service.map(ServiceAnnouncement.init)
    guard let mapper, task == nil else { return }
    await mapper.start()
    task = Task { [weak self] in
      for await status in mapper.statuses { await self?.take(status) }
    }
  }

  /// Takes everything back. Some seconds at most, while a router doesn't answer.
  func stop() async {
    announcement?.withdraw()
    announcement = nil
    await mapper?.stop()
    task?.cancel()
    continuation.finish()
  }

  private func take(_ status: PortMappingStatus) {
    guard status != .searching else { return }
    continuation.yield(
      // The machine may be in another network by now.
      Reach(host: host, port: port, interfaces: InterfaceAddress.all(), mapping: status))
  }

  /// A name may be anybody's, and whoever gives one knows why.
  private static func isForOthers(_ host: String) -> Bool {
    if ["*", "0.0.0.0", "::"].contains(host) { return true }
    return AddressScope(of: host).map { $0 != .machine } ?? false
  }
}
