import Foundation
import Timekeeping

/// What a playback coordinator needs of its party.
extension Party {
  /// What another participant's coordinator said.
  package struct CoordinationUpdate: Sendable {
    package var sender: Participant.ID
    package var session: GroupSessionID
    /// Empty where only ``brief`` is news.
    package var data: Data
    /// What of the report changes all the time.
    package var brief: Data?
    /// Its round trip to the clock's reference, as it says; nil while it doesn't know.
    package var roundTrip: Duration?
    /// Whose clock is the group's.
    package var reference: Participant.ID?
  }

  /// What each of the others' coordinators said last about a session.
  func coordinationReports(session: GroupSessionID) -> [CoordinationUpdate] {
    machine.peers.values.compactMap { peer in
      guard peer.isPresent, let report = peer.coordination, report.session == session else {
        return nil
      }
      return update(report, from: peer.id)
    }
  }

  func update(
    _ report: CoordinationReport, brief: Data? = nil, from sender: Participant.ID
  ) -> CoordinationUpdate {
    CoordinationUpdate(
      sender: sender, session: report.session, data: report.data, brief: brief,
      roundTrip: machine.peerClock(sender)?.roundTrip, reference: machine.knownReference)
  }

  /// Tells everybody what this participant's coordinator has to say, reliably.
  ///
  /// - Parameter isCommand: whether its user did something for everybody.
  package func setCoordination(_ data: Data, session: GroupSessionID, isCommand: Bool) {
    perform(machine.setCoordination(data, session: session, isCommand: isCommand))
  }

  /// Tells everybody with the next beacon; at most 64 bytes.
  package func setCoordinationBrief(_ data: Data, session: GroupSessionID) {
    machine.setCoordinationBrief(data, session: session)
  }

  /// Signs the group's state in a session, as this participant wrote it.
  package nonisolated func proof(ofState state: [UInt8], in session: GroupSessionID) -> Data {
    let proof = authorship.sign(Self.signedBytes(ofState: state, in: session))
    return proof.publicKey + proof.signature
  }

  /// Returns whether `author` wrote this state in this session.
  package nonisolated func isProven(
    state: [UInt8], in session: GroupSessionID, by author: Participant.ID, _ proof: Data
  ) -> Bool {
    guard proof.count == 96 else { return false }
    return authorship.isValid(
      Proof(publicKey: Data(proof.prefix(32)), signature: Data(proof.suffix(64))),
      Self.signedBytes(ofState: state, in: session), author)
  }

  /// The session belongs to the signed bytes: a state of an earlier session, played back, proves nothing in the next.
  static func signedBytes(ofState state: [UInt8], in session: GroupSessionID) -> [UInt8] {
    ProofPurpose.state.label + session.rawValue.bigEndianBytes + state
  }

  /// What a playback coordinator wants to hear of.
  package struct CoordinationHandler: Sendable {
    package var updated: @Sendable (CoordinationUpdate) -> Void
    package var rulesChanged: @Sendable (PartyRules) -> Void

    package init(
      updated: @escaping @Sendable (CoordinationUpdate) -> Void,
      rulesChanged: @escaping @Sendable (PartyRules) -> Void
    ) {
      self.updated = updated
      self.rulesChanged = rulesChanged
    }
  }

  /// - Returns: what is known now; the handler is told of everything that comes after.
  package func beginCoordination(
    session: GroupSessionID, handler: CoordinationHandler
  ) -> (rules: PartyRules, updates: [CoordinationUpdate]) {
    coordinationHandlers[session] = handler
    return (machine.rules, coordinationReports(session: session))
  }

  package func endCoordination(session: GroupSessionID) { coordinationHandlers[session] = nil }
}
