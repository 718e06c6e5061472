import Foundation
import PartyTesting
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

extension HostileGuest {
  /// Asks for another participant's newest report about its playback.
  func report(of participant: Participant.ID, in session: GroupSessionID) async throws
    -> ParticipantReport
  {
    try send(
      .init(.coordinationRequest), .direct, 0, to: only(participant))
    return try await hear { heard in
      guard case .direct(.coordination(let report))? = heard.message,
        heard.envelope.sender == participant,
        report.session == session
      else { return nil }
      return try? SignedReport(binary: report.data).report
    }
  }

  /// A report with a state of its own making, signed as its author's.
  func signedReport(
    _ state: ItemState, in session: GroupSessionID, revision: UInt64
  ) throws -> Data {
    let report = ParticipantReport(
      revision: revision, item: state.item, suspensions: [], state: state)
    let proof = proof(of: Party.signedBytes(ofState: state.provenBytes, in: session))
    return Data(SignedReport(report: report, proof: proof).binary)
  }

  /// A stamp that is newer than all that honest members have.
  func stamp(after: Duration = .zero) -> Stamp {
    Stamp(time: (Self.groupTime + after).nanoseconds, participant: identity.id)
  }
}
