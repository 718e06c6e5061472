import GroupActivities
import STUN
import Timekeeping

@testable import DirectPath

/// A planted bug that tests whether the checkers find it.
struct PathMutation: Sendable {
  /// A Boolean value that indicates whether all pairs of participants have one key.
  var sharesKey = false
  /// A Boolean value that indicates whether an answer counts whatever question it answers.
  var believesEachAnswer = false
  /// A Boolean value that indicates whether a machine takes each check of an open path for answered.
  var answersOwnChecks = false
  /// Changes a machine before each of its events.
  var machine: @Sendable (inout PathMachine, HostTime) -> Void = { _, _ in }

  static let none = PathMutation()

  /// Returns the packet as a machine with the bug reads it: with a number for which it waits.
  func read(_ bytes: [UInt8], from remote: SocketAddress, by machine: PathMachine) -> [UInt8] {
    guard believesEachAnswer, let id = CheckPacket.pathID(of: bytes),
      let peer = machine.peers.first(where: { $0.keys.incoming.id == id }),
      var packet = CheckPacket(bytes, peer.keys.incoming), packet.kind.isAnswer,
      let pair = peer.pairs.first(where: { $0.remote == remote }),
      let waiting = pair.openTransactions.last
    else { return bytes }
    packet.transaction = waiting
    return packet.bytes(peer.keys.incoming)
  }

  /// Returns the answer that a machine with the bug imagines to a packet of its own.
  func imaginedAnswer(
    to bytes: [UInt8], at remote: SocketAddress, by machine: PathMachine
  ) -> [UInt8]? {
    guard answersOwnChecks, let id = CheckPacket.pathID(of: bytes),
      let peer = machine.peers.first(where: { $0.keys.outgoing.id == id }),
      peer.chosen == remote, let packet = CheckPacket(bytes, peer.keys.outgoing),
      !packet.kind.isAnswer
    else { return nil }
    return CheckPacket(
      peer.isControlling ? .response : .confirmation, isValidated: true,
      transaction: packet.transaction, observed: remote
    ).bytes(peer.keys.incoming)
  }
}
