import Foundation
import GroupActivities

/// Signs this participant's attachments, and verifies those of others.
struct AttachmentAuthorship: Sendable {
  /// Returns the bytes that the proof of a statement covers, which differ for each session.
  var provenBytes: @Sendable (_ statement: [UInt8]) -> [UInt8]
  var sign: @Sendable (_ statement: [UInt8]) -> Proof
  var isValid: @Sendable (_ proof: Proof, _ statement: [UInt8], _ author: Participant.ID) -> Bool
}

extension AttachmentAuthorship {
  /// An authorship that proves nothing, for simulations of whole groups of honest participants.
  static let trusting = AttachmentAuthorship {
    $0
  } sign: { _ in
    .empty
  } isValid: { _, _, _ in
    true
  }

  init(_ lane: GroupSessionLane) {
    self.init {
      lane.provenBytes(of: $0)
    } sign: {
      lane.proof(of: $0)
    } isValid: { proof, statement, author in
      lane.isProven(statement, by: author, proof)
    }
  }
}
