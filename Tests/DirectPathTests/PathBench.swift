import GroupActivities
import STUN
import Testing
import Timekeeping

@testable import DirectPath

/// One machine, and the other end of one path as the test plays it.
struct PathBench {
  struct Packet {
    var bytes: [UInt8]
    /// The check, as the other end reads it; nil for another packet.
    var check: CheckPacket?
    var remote: SocketAddress
    var at: Duration
  }

  var machine: PathMachine
  var now = HostTime(nanoseconds: 1_000_000_000)
  /// The packets that were sent, with their times since the beginning.
  var sent: [Packet] = []
  var events: [DirectPathEvent] = []
  let keys: PathKeys
  let isControlling: Bool
  let secret: [UInt8]

  static let peer = Participant.ID(high: 2, low: 2)

  init(
    isControlling: Bool = true, allowsLoopback: Bool = false,
    hosts: [String] = ["192.168.1.2"]
  ) {
    secret = (0..<32).map { UInt8($0) }
    self.isControlling = isControlling
    keys = PathKeys(secret: secret, isControlling: !isControlling)
    machine = PathMachine(
      PathMachine.Configuration(allowsLoopback: allowsLoopback), random: .seeded(1), at: now)
    let addresses = hosts.compactMap { SocketAddress(text: $0, port: 4000) }
    handle { $0.addressesChanged(hosts: addresses, mapped: [], at: $1) }
  }

  mutating func handle(_ body: (inout PathMachine, HostTime) -> [PathMachine.Action]) {
    for action in body(&machine, now) {
      switch action {
      case .send(let bytes, let remote):
        sent.append(
          Packet(
            bytes: bytes, check: CheckPacket(bytes, keys.incoming), remote: remote,
            at: now - HostTime(nanoseconds: 1_000_000_000)))
      case .report(let event): events.append(event)
      }
    }
  }

  /// Moves the clock, with all deadlines in between.
  mutating func pass(_ duration: Duration) {
    let end = now + duration
    while let next = machine.nextDeadline, next <= end {
      now = max(now, next)
      handle { $0.timerFired(at: $1) }
    }
    now = end
  }

  mutating func open(_ candidates: [(String, PathCandidate.Kind)], peer: Participant.ID = peer) {
    let invitation = PathInvitation(
      peer: peer, key: secret, isControlling: isControlling,
      candidates: candidates.compactMap { text, kind in
        SocketAddress(text: text, port: 5000).flatMap {
          PathCandidate(address: $0.bytes, port: $0.port, kind: kind)
        }
      })
    handle { $0.open(invitation, at: $1) }
  }

  mutating func receive(_ bytes: [UInt8], from text: String, port: UInt16 = 5000) throws {
    let remote = try #require(SocketAddress(text: text, port: port))
    handle { $0.received(bytes, from: remote, at: $1) }
  }

  mutating func receive(_ packet: CheckPacket, from text: String, port: UInt16 = 5000) throws {
    try receive(packet.bytes(keys.outgoing), from: text, port: port)
  }

  /// The checks that were sent to an address, as the other end reads them.
  func checks(to text: String) -> [CheckPacket] {
    sent.filter { $0.remote.with(port: 0) == SocketAddress(text: text, port: 0) }
      .compactMap(\.check)
  }

  /// Answers the latest question to an address.
  mutating func answer(
    from text: String, _ kind: CheckPacket.Kind? = nil, isValidated: Bool = true
  ) throws {
    let question = try #require(checks(to: text).last { !$0.kind.isAnswer })
    try receive(
      CheckPacket(
        kind ?? (isControlling ? .response : .confirmation), isValidated: isValidated,
        transaction: question.transaction,
        observed: SocketAddress(text: "198.51.100.1", port: 4000)), from: text)
  }

  var opened: [String] {
    events.compactMap { if case .opened(_, let path) = $0 { path.remote } else { nil } }
  }
  var lostCount: Int { events.count { if case .lost = $0 { true } else { false } } }
}
