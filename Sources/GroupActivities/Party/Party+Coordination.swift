import Foundation
import Timekeeping

/// The services of a party for playback coordinators.
extension Party {
  /// A message of another participant's coordinator.
  package struct CoordinationUpdate: Sendable {
    package var sender: Participant.ID
    package var session: GroupSessionID
    /// The report; empty if only ``digest`` is new.
    package var data: Data
    /// The frequently changing part of the report: its digest.
    package var digest: Data?
    /// The hash of the item of which the sender's player has another copy, with ``digest``; nil for none.
    package var otherCopy: UInt32?
    /// The sender's round trip to the clock's reference, as it reports; nil while it doesn't know.
    package var roundTrip: Duration?
    /// The participant whose clock is the group's.
    package var reference: Participant.ID?
  }

  /// Returns the latest report of each other participant's coordinator about a session.
  func coordinationReports(session: GroupSessionID) -> [CoordinationUpdate] {
    machine.roster.present.compactMap { peer in
      guard let report = peer.coordination, report.session == session else {
        return nil
      }
      return update(report, from: peer.id)
    }
  }

  func update(
    _ report: CoordinationReport, digest: Data? = nil, otherCopy: UInt32? = nil,
    from sender: Participant.ID
  ) -> CoordinationUpdate {
    CoordinationUpdate(
      sender: sender, session: report.session, data: report.data, digest: digest,
      otherCopy: otherCopy,
      roundTrip: machine.peerClock(sender)?.roundTrip, reference: machine.keeper.known)
  }

  /// Sends this participant's coordinator's report to all participants, reliably.
  ///
  /// - Parameter isCommand: a Boolean value that indicates whether the user acted for the whole group.
  package func setCoordination(_ data: Data, session: GroupSessionID, isCommand: Bool) {
    perform(machine.setCoordination(data, session: session, isCommand: isCommand))
  }

  /// Sends the report's digest to all participants with the next beacon; at most 64 bytes.
  ///
  /// - Parameter otherCopy: the hash of the item of which the player has another copy; nil for none.
  package func setCoordinationDigest(_ data: Data, otherCopy: UInt32?, session: GroupSessionID) {
    machine.setCoordinationDigest(data, otherCopy: otherCopy, session: session)
  }

  /// Signs the group's state in a session, as this participant wrote it.
  package nonisolated func proof(ofState state: [UInt8], in session: GroupSessionID) -> Proof {
    authorship.sign(Self.signedBytes(ofState: state, in: session))
  }

  /// Returns whether `author` wrote this state in this session.
  package nonisolated func isProven(
    state: [UInt8], in session: GroupSessionID, by author: Participant.ID, _ proof: Proof
  ) -> Bool {
    authorship.isValid(proof, Self.signedBytes(ofState: state, in: session), author)
  }

  /// The signed bytes include the session, so that a replayed state of an earlier session proves nothing in
  /// the next.
  static func signedBytes(ofState state: [UInt8], in session: GroupSessionID) -> [UInt8] {
    ProofPurpose.state.label + session.binary + state
  }

  /// A playback coordinator's handlers for its party's events.
  package struct CoordinationHandler: Sendable {
    var updated: @Sendable (CoordinationUpdate) -> Void
    var rulesChanged: @Sendable (PartyRules) -> Void
    /// The connection to the relay was lost, or is back.
    var linkChanged: @Sendable (Bool) -> Void

    package init(
      updated: @escaping @Sendable (CoordinationUpdate) -> Void,
      rulesChanged: @escaping @Sendable (PartyRules) -> Void,
      linkChanged: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
      self.updated = updated
      self.rulesChanged = rulesChanged
      self.linkChanged = linkChanged
    }
  }

  /// - Returns: the current rules and reports, and whether the connection is up; the handler gets everything after them.
  package func beginCoordination(
    session: GroupSessionID, handler: CoordinationHandler
  ) -> (rules: PartyRules, updates: [CoordinationUpdate], isLinkUp: Bool) {
    coordinationHandlers[session] = handler
    return (machine.rules, coordinationReports(session: session), machine.isConnected)
  }

  func linkChanged(isUp: Bool) {
    updateLanes()
    for handler in coordinationHandlers.values { handler.linkChanged(isUp) }
  }

  package func endCoordination(session: GroupSessionID) { coordinationHandlers[session] = nil }
}
