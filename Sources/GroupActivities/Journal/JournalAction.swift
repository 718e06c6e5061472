import Foundation

/// What the shell of a journal has to do.
enum JournalAction: Hashable, Sendable {
  case send(JournalMessage, to: PartyAction.Recipient)
  /// Read a piece of what we have, and send it.
  case serve(UUID, Piece, to: Participant.ID)
  /// Make room for an attachment that is about to come.
  case begin(UUID, AttachmentLayout, isEager: Bool)
  /// Store a verified piece.
  case write(UUID, Piece, Data)
  /// Delete what is stored of it; nobody here gets it any more.
  case discard(UUID)
  /// The set of attachments is another one.
  case changed
  case progressed(UUID)
  /// All of it is stored.
  case completed(UUID)
  /// Whoever here waits for it waits in vain.
  case failed(UUID, JournalFailure)
  /// Somebody sent something that isn't what it should be.
  case lied(Participant.ID)
}

/// Why a transfer ended without the attachment.
enum JournalFailure: Hashable, Sendable {
  case removed
  case unavailable
}
