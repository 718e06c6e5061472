import Timekeeping

/// Direct ways between this participant's machine and those of others, for datagrams that may be lost.
///
/// `GroupActivities` declares it; a program's edge implements it over UDP. Each way is opened by both ends at once: each
/// learns the other's candidates through the party, and proves itself with the key that only the two have.
public protocol DirectPaths: Sendable {
  /// The events of the paths, in order, for one consumer. The stream is bounded: when the consumer falls behind, new
  /// datagrams are dropped. Ends after ``close()``.
  var events: AsyncStream<DirectPathEvent> { get }

  /// Begins to gather this machine's candidates, which ``DirectPathEvent/candidates(_:)`` reports, now and after each
  /// change.
  ///
  /// - Parameter servers: the addresses of relays that tell a participant its public address (STUN); replaces the earlier
  ///   ones.
  func gather(servers: [Invite.Address])

  /// Opens a path to a participant, or changes the candidates of one that is being opened or is open.
  func open(_ invitation: PathInvitation)

  /// Closes the path to a participant, and forgets its candidates.
  func closePath(to peer: Participant.ID)

  /// Sends a datagram on the open path to a participant.
  ///
  /// - Parameters:
  ///   - datagram: at most ``PathInvitation/datagramLimit`` bytes.
  ///   - peer: the participant.
  /// - Returns: false if there is no open path, or if the datagram is too large.
  @discardableResult
  func send(_ datagram: [UInt8], to peer: Participant.ID) -> Bool

  /// Closes all paths and ends ``events``. Idempotent.
  func close() async
}

/// One of the two ends of a path to be opened.
public struct PathInvitation: Hashable, Sendable {
  /// The participant at the other end.
  public let peer: Participant.ID
  /// The secret that only the two ends have, 32 bytes. It proves each check.
  public let key: [UInt8]
  /// A Boolean value that indicates whether this end chooses the path (RFC 8445, controlling). It is true for exactly one
  /// of the two.
  public let isControlling: Bool
  /// The addresses at which the other end may be reached; at most ``candidateLimit``.
  public let candidates: [PathCandidate]

  /// The largest number of candidates of a participant.
  public static let candidateLimit = 12
  /// The largest datagram, in bytes, so that it needs no fragments on the usual paths.
  public static let datagramLimit = 1100

  /// Creates an invitation.
  public init(
    peer: Participant.ID, key: [UInt8], isControlling: Bool, candidates: [PathCandidate]
  ) {
    self.peer = peer
    self.key = key
    self.isControlling = isControlling
    self.candidates = candidates
  }
}

/// An address at which a participant's machine may be reached by UDP.
public struct PathCandidate: Hashable, Sendable {
  /// The way in which an address was found.
  public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// An address of the machine's own network interface.
    case host = 1
    /// The address that a relay saw (STUN).
    case serverReflexive = 2
    /// A port that the router opened on request (PCP, NAT-PMP or UPnP).
    case mapped = 3
  }

  /// The IP address: 4 bytes, or 16.
  public let address: [UInt8]
  /// The port.
  public let port: UInt16
  /// The way in which it was found.
  public let kind: Kind

  /// Creates a candidate.
  ///
  /// - Returns: nil if the address has neither 4 nor 16 bytes, or if the port is 0.
  public init?(address: [UInt8], port: UInt16, kind: Kind) {
    guard address.count == 4 || address.count == 16, port > 0 else { return nil }
    self.address = address
    self.port = port
    self.kind = kind
  }
}

/// An event on ``DirectPaths``.
public enum DirectPathEvent: Hashable, Sendable {
  /// This machine's candidates changed.
  case candidates([PathCandidate])
  /// A path to a participant is open, leads elsewhere now, or has another round trip.
  case opened(Participant.ID, OpenPath)
  /// The path to a participant is gone: no check was answered for a while. It is being opened again.
  case lost(Participant.ID)
  /// A datagram arrived on the path to a participant. Whether the participant sent it is for its content to prove.
  case received(Participant.ID, [UInt8], at: HostTime)
}

/// An open path to a participant.
public struct OpenPath: Hashable, Sendable {
  /// The participant's address, for users: `192.0.2.7:40112`.
  public let remote: String
  /// The round trip of the checks, the shortest recent one.
  public let roundTrip: Duration

  /// Creates a description.
  public init(remote: String, roundTrip: Duration) {
    self.remote = remote
    self.roundTrip = roundTrip
  }
}
