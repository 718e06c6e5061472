import Foundation
import GroupActivities

/// An instruction of a journal's machine to its shell.
enum JournalAction: Hashable, Sendable {
  case send(JournalMessage, to: GroupSessionLane.Recipient)
  /// The shell reads a stored piece and sends it.
  case serve(UUID, Piece, to: Participant.ID)
  /// The shell reads a stored piece and sends it once to all that listen to the attachment's topic.
  case share(UUID, Piece, askers: [Participant.ID])
  /// The shell subscribes to the attachment's topic, and calls ``JournalMachine/listening(to:)`` once it is.
  case listen(UUID)
  case ignore(UUID)
  /// The shell creates the files of an attachment that is about to arrive.
  case begin(UUID, AttachmentLayout, isEager: Bool)
  /// The shell stores a verified piece.
  case write(UUID, Piece, Data)
  /// The shell deletes the attachment's stored files; no local caller gets it any more.
  case discard(UUID)
  /// The set of attachments has changed.
  case changed
  case progressed(UUID)
  /// All of the attachment is stored.
  case completed(UUID)
  /// Local callers that wait for the attachment get an error.
  case failed(UUID, JournalFailure)
  /// Reads that wait for a part of the attachment get an error.
  case unreadable(UUID)
  /// The participant sent data that doesn't match its hash.
  case lied(Participant.ID)
}

/// The reason for which a transfer ended without the attachment.
enum JournalFailure: Hashable, Sendable {
  case removed
  case unavailable
}
