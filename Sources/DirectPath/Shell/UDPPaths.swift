import GroupActivities
import STUN

/// Direct paths over UDP: one socket for IPv4 and one for IPv6 lead to all participants.
///
/// A thread of its own waits for datagrams, stamps their arrival, and answers checks; another one reads this machine's
/// addresses every two seconds. All methods may be called from any thread or task, and none blocks.
public final class UDPPaths: DirectPaths {
  /// The options of direct paths.
  public struct Configuration: Hashable, Sendable {
    /// The UDP port for each of the two families; 0 lets the system choose.
    public var port: UInt16
    /// A Boolean value that indicates whether participants on this machine are reached by its loopback addresses: for a
    /// party whose relay is at such an address.
    public var allowsLoopback: Bool

    /// Creates the options.
    public init(port: UInt16 = 0, allowsLoopback: Bool = false) {
      self.port = port
      self.allowsLoopback = allowsLoopback
    }
  }

  /// The events on all paths, in order, for one consumer. Ends after ``close()``.
  public let events: AsyncStream<DirectPathEvent>
  /// The UDP port for IPv4; nil if there is no such socket.
  public let portIPv4: UInt16?
  /// The UDP port for IPv6; nil if there is no such socket.
  public let portIPv6: UInt16?
  private let loop: PathLoop
  private let watch: AddressWatch

  /// Opens the sockets. Nothing is sent before ``gather(servers:)`` or ``open(_:)``.
  ///
  /// - Parameters:
  ///   - configuration: the options.
  ///   - addresses: returns the numeric addresses of this machine's interfaces, best first. Called every two seconds on a
  ///     thread that may block; the addresses of one link, and those that only this machine knows, are left out.
  ///   - mappedPorts: returns the public addresses of ports that a router opened for ``portIPv4`` or ``portIPv6``.
  ///     Called like `addresses`.
  /// - Throws: ``DirectPathError`` if there is neither an IPv4 nor an IPv6 socket.
  public init(
    _ configuration: Configuration = Configuration(),
    addresses: @escaping @Sendable () -> [String],
    mappedPorts: @escaping @Sendable () -> [PathCandidate] = { [] }
  ) throws(DirectPathError) {
    var sockets: [PathSocket] = []
    var failure: DirectPathError?
    for isIPv6 in [false, true] {
      do throws(DirectPathError) {
        sockets.append(try PathSocket(isIPv6: isIPv6, port: configuration.port))
      } catch {
        failure = error
      }
    }
    if sockets.isEmpty, let failure { throw failure }
    portIPv4 = sockets.first { !$0.isIPv6 }?.port
    portIPv6 = sockets.first { $0.isIPv6 }?.port
    loop = PathLoop(
      PathMachine.Configuration(
        allowsLoopback: configuration.allowsLoopback, hasIPv4: portIPv4 != nil,
        hasIPv6: portIPv6 != nil), sockets: sockets, bell: try WakingPipe())
    events = loop.makeStream()
    watch = AddressWatch(
      loop, ports: (portIPv4, portIPv6), addresses: addresses, mapped: mappedPorts)
    try loop.start()
    do throws(DirectPathError) {
      try watch.start()
    } catch {
      loop.stop()
      throw error
    }
  }

  // The threads would outlive paths that were not closed.
  deinit {
    watch.stop()
    loop.stop()
  }

  /// Begins to gather candidates, with the help of these relays; replaces the earlier ones.
  public func gather(servers: [Invite.Address]) { watch.setServers(servers) }

  /// Opens a path, or takes the participant's new candidates.
  ///
  /// Beyond 32 participants it does nothing.
  public func open(_ invitation: PathInvitation) {
    loop.handle { machine, now in machine.open(invitation, at: now) }
  }

  /// Closes the path to a participant, and forgets its candidates.
  public func closePath(to peer: Participant.ID) {
    loop.handle { machine, _ in
      machine.closePath(to: peer)
      return []
    }
  }

  /// Sends a datagram on the open path to a participant, on the calling thread.
  ///
  /// - Returns: false if there is no open path, or if the datagram is too large.
  @discardableResult
  public func send(_ datagram: [UInt8], to peer: Participant.ID) -> Bool {
    loop.send(datagram, to: peer)
  }

  /// Closes all paths, and waits until the threads have ended. Idempotent.
  public func close() async {
    watch.stop()
    loop.stop()
    await loop.hasEnded()
    await watch.hasEnded()
  }
}
