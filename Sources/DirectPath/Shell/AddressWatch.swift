import Concurrency
import Glibc
import GroupActivities
import STUN
import Synchronization
import Timekeeping

/// Reads this machine's addresses again and again, and resolves the relays' names, on threads that may block.
final class AddressWatch: Sendable {
  typealias Addresses = @Sendable () -> [String]
  typealias MappedPorts = @Sendable () -> [PathCandidate]

  private struct State {
    var servers: [Invite.Address] = []
    /// Counts the changes of the servers.
    var change = 0
    var isResolving = false
    /// The time of the latest try to resolve names; nil if none is needed.
    var unresolvedSince: HostTime?
  }

  private let loop: PathLoop
  private let ports: (v4: UInt16?, v6: UInt16?)
  private let addresses: Addresses
  private let mapped: MappedPorts
  private let state = Mutex(State())
  private let isStopped = ThreadFlag()
  private let ended = OneShot<Bool>()

  private static let interval = Duration.seconds(2)
  /// The pause before a name that can't be resolved is tried again.
  private static let pause = Duration.seconds(30)

  init(
    _ loop: PathLoop, ports: (v4: UInt16?, v6: UInt16?), addresses: @escaping Addresses,
    mapped: @escaping MappedPorts
  ) {
    self.loop = loop
    self.ports = ports
    self.addresses = addresses
    self.mapped = mapped
  }

  func start() throws(DirectPathError) {
    do {
      try OwnedThread.make("path addresses") { [self] in run() }
    } catch {
      ended.fulfil(true)
      throw DirectPathError(code: error.code, operation: "Can't make a thread")
    }
  }

  /// Ends the thread after the reading that it may be in. Idempotent.
  func stop() { isStopped.set() }

  /// Waits until the thread has ended.
  func hasEnded() async { _ = await ended.certainValue() }

  /// Takes the relays' addresses. Numeric ones are used at once.
  func setServers(_ servers: [Invite.Address]) {
    state.withLock { state in
      state.servers = servers
      state.change += 1
      state.unresolvedSince = nil
    }
    let numeric = servers.compactMap { SocketAddress(text: $0.host, port: UInt16($0.port)) }
    loop.handle { machine, now in machine.gather(servers: numeric, at: now) }
    if numeric.count < servers.count { resolve() }
  }

  private func run() {
    var last: [SocketAddress]?
    while !isStopped.isSet {
      let hosts = addresses().compactMap(local)
      let mapped = mapped().compactMap { SocketAddress($0.address, port: $0.port) }
      loop.handle { machine, now in
        machine.addressesChanged(hosts: hosts, mapped: mapped, at: now)
      }
      let hasChanged = last != nil && last != hosts
      last = hosts
      let isDue = state.withLock { state in
        guard let since = state.unresolvedSince else { return false }
        return hasChanged || HostTime.now() - since >= Self.pause
      }
      if isDue { resolve() }
      isStopped.wait(atMost: Self.interval)
    }
    ended.fulfil(true)
  }

  private func local(_ text: String) -> SocketAddress? {
    guard let address = SocketAddress(text: text, port: 0) else { return nil }
    return (address.isIPv6 ? ports.v6 : ports.v4).map(address.with(port:))
  }

  // MARK: Names

  /// Resolves the servers' names on a thread of its own; there is one at most.
  private func resolve() {
    let isFirst = state.withLock { state in
      defer { state.isResolving = true }
      return !state.isResolving
    }
    guard isFirst else { return }
    do {
      try OwnedThread.make("path names") { [self] in resolveAll() }
    } catch {
      state.withLock { state in
        state.isResolving = false
        state.unresolvedSince = .now()
      }
    }
  }

  private func resolveAll() {
    while true {
      let (servers, change) = state.withLock { ($0.servers, $0.change) }
      let found = servers.map { Self.resolved($0) }
      let isCurrent = state.withLock { state in
        guard state.change == change else { return false }
        state.isResolving = false
        state.unresolvedSince = found.contains(where: \.isEmpty) ? .now() : nil
        return true
      }
      // Others came meanwhile.
      guard isCurrent || isStopped.isSet else { continue }
      loop.handle { machine, now in machine.gather(servers: found.flatMap(\.self), at: now) }
      return
    }
  }

  /// Returns an IPv4 and an IPv6 address of a server, as far as it has them. Blocks.
  private static func resolved(_ server: Invite.Address) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(server.host, String(server.port), &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [SocketAddress] = []
    for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
      guard let entry, let address = entry.pointee.ai_addr else { continue }
      var storage = sockaddr_storage()
      withUnsafeMutableBytes(of: &storage) { bytes in
        let size = min(Int(entry.pointee.ai_addrlen), bytes.count)
        bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
      }
      guard let address = SocketAddress(storage),
        !found.contains(where: { $0.isIPv6 == address.isIPv6 })
      else { continue }
      found.append(address)
    }
    return found
  }
}
