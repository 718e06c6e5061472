import Crypto
import STUN
import Timekeeping

@testable import DirectPath
@testable import GroupActivities
@testable import Relay

/// The datagrams of direct paths, which anybody may send.
extension FuzzTarget {
  static let paths = [stunMessage, pathCheck, pathMachine]

  private static let beginning = HostTime(nanoseconds: 1_000_000_000_000)
  private static let near = SocketAddress(IPv4: 0xc0a8_0102, port: 4000)
  private static let far = SocketAddress(IPv4: 0xcb00_7101, port: 3478)
  private static let secret = (0..<32).map { UInt8($0) }

  private static var stunSeeds: [[UInt8]] {
    let transaction = STUNMessage.TransactionID(high: 7, low: 9)
    var padded = STUNMessage(.bindingRequest, transaction)
    padded.paddingCount = 13
    let answer = STUNMessage(.bindingResponse, transaction, mappedAddress: near, otherAddress: far)
    let plain = STUNMessage(.bindingError, transaction, hasFingerprint: false)
    return [padded, answer, plain].map(\.bytes)
  }

  private static let stunMessage = FuzzTarget(
    "stun-message", seeds: stunSeeds, isAccepted: { STUNMessage($0) != nil }
  ) { bytes in
    if let message = STUNMessage(bytes) {
      try hold(message.unknownAttributes.count <= STUNMessage.attributeLimit, "keeps too much")
      let again = STUNMessage(message.bytes)
      try hold(
        again?.transaction == message.transaction && again?.kind == message.kind, "another message")
      try hold(again?.mappedAddress == message.mappedAddress, "another address")
      try hold(again?.otherAddress == message.otherAddress, "another server")
    }
    var responder = STUNResponder(otherAddress: far, at: beginning)
    if let answer = responder.answer(to: bytes, from: near, at: beginning) {
      // The address's attribute is what an answer adds to a question.
      try hold(answer.count <= bytes.count + 12, "\(answer.count) bytes for \(bytes.count)")
      try hold(STUNMessage(answer)?.mappedAddress == near, "another address")
    }
  }

  private static var checks: [[UInt8]] {
    let direction = PathKeys(secret: secret, isControlling: true).outgoing
    return CheckPacket.Kind.allCases.map {
      CheckPacket($0, isValidated: true, transaction: 9, observed: $0.isAnswer ? near : nil).bytes(
        direction)
    }
  }

  /// Returns the bytes with the proof of the path's other end, which a fuzzer doesn't find.
  private static func proved(_ bytes: [UInt8], _ direction: PathKeys.Direction) -> [UInt8] {
    guard bytes.count == CheckPacket.size else { return bytes }
    let content =
      [CheckPacket.firstByte] + bytes[1..<4] + direction.id.bigEndianBytes + bytes[12..<38]
    return content + HMAC<SHA256>.authenticationCode(for: content, using: direction.key).prefix(16)
  }

  private static let pathCheck = FuzzTarget(
    "path-check", seeds: checks,
    isAccepted: { CheckPacket($0, PathKeys(secret: secret, isControlling: true).outgoing) != nil }
  ) { bytes in
    let direction = PathKeys(secret: secret, isControlling: true).outgoing
    if let packet = CheckPacket(proved(bytes, direction), direction) {
      let again = CheckPacket(packet.bytes(direction), direction)
      try hold(again == packet, "\(packet) becomes \(String(describing: again))")
    }
    if let (id, content) = DataPacket.read(bytes) {
      try hold([DataPacket.firstByte] + id.bigEndianBytes + content == bytes, "another datagram")
    }
  }

  /// Packets from two addresses to a machine with one path: a byte for the address, the proof and the time before it,
  /// one for the length, and the bytes.
  private static let pathMachine = FuzzTarget(
    "path-machine",
    seeds: [
      checks.flatMap { [2 | 64, UInt8($0.count)] + $0 },
      checks.flatMap { [3, UInt8($0.count)] + $0 },
      stunSeeds.flatMap { [1 | 128, UInt8($0.count)] + $0 },
    ], limit: 4096
  ) { bytes in
    let peer = Participant.ID(high: 2, low: 2)
    let keys = PathKeys(secret: secret, isControlling: false)
    var now = beginning
    var machine = PathMachine(PathMachine.Configuration(), random: .seeded(1), at: now)
    var actions = machine.addressesChanged(hosts: [near], mapped: [], at: now)
    actions += machine.gather(servers: [far], at: now)
    let candidate = PathCandidate(address: [203, 0, 113, 9], port: 5000, kind: .serverReflexive)
    actions += machine.open(
      PathInvitation(
        peer: peer, key: secret, isControlling: true, candidates: candidate.map { [$0] } ?? []),
      at: now)
    var isProved = false
    var rest = bytes[...]
    while let first = rest.popFirst(), let count = rest.popFirst() {
      var packet = Array(rest.prefix(Int(count)))
      rest = rest.dropFirst(Int(count))
      if first & 2 != 0 {
        packet = proved(packet, keys.outgoing)
        isProved = true
      }
      now = now + .milliseconds(1 << (first >> 4))
      let remote = first & 1 == 0 ? SocketAddress(IPv4: 0xcb00_7109, port: 5000) : far
      actions += machine.received(packet, from: remote, at: now)
      if let due = machine.nextDeadline, due <= now { actions += machine.timerFired(at: now) }
      try hold(machine.peers.count == 1 && machine.peers[0].pairs.count <= 64, "keeps too much")
    }
    for action in actions {
      switch action {
      case .send(let bytes, _):
        try hold(
          bytes.count == CheckPacket.size || STUNMessage(bytes)?.kind == .bindingRequest,
          "sends \(bytes.count) bytes")
      case .report(.candidates): break
      case .report(let event): try hold(isProved, "\(event) without a proof")
      }
    }
  }
}
