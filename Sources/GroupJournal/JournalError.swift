import Foundation
import GroupActivities

/// A failed call on a journal.
public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The party refused: not joined, session over, and the like.
  case party(PartyError)
  /// The content or metadata exceeds the limit of an attachment, of metadata, or of loading into memory; in
  /// bytes.
  case tooLarge(bytes: Int64, limit: Int64)
  /// This participant added the maximum number of attachments, or the journal is full.
  case tooMany
  /// A participant removed the attachment, or it belongs to another session.
  case removed
  /// No participant in the session has the whole attachment any more, or the part that a reader wants.
  case unavailable
  /// The attachment has another type than the requested one.
  case wrongType(String, wanted: String)
  /// The attachment was added without metadata.
  case noMetadata
  /// The value or its metadata can't be encoded as JSON; the text is the encoder's.
  case notEncodable(String)
  /// The content isn't a value of the requested type; the text is the decoder's.
  case notDecodable(String)
  /// The URL is not a file URL, or not of a regular file.
  case notAFile(String)
  /// A file exists there already.
  case fileExists(String)
  /// A system call failed; the text names the operation and the reason.
  case storage(String)
  /// The waiting task was cancelled. The pieces that have arrived are kept.
  case cancelled
  /// The read was released by ``AttachmentReader/interrupt()``, or the reader is closed.
  case interrupted

  public var description: String {
    switch self {
    case .party(let error): error.description
    case .tooLarge(let bytes, let limit):
      "\(bytes) bytes exceed the limit of \(limit). Load large attachments to a file."
    case .tooMany: "The limit of attachments is reached. Remove some before you add others."
    case .removed: "The attachment is no longer in the journal."
    case .unavailable:
      "No participant has the whole attachment any more. Ask for it to be added again."
    case .wrongType(let type, let wanted):
      "The attachment is of type \(type), not \(wanted). Load it as \(type) or as Data."
    case .noMetadata: "The attachment was added without metadata."
    case .notEncodable(let reason): "The attachment can't be encoded: \(reason)"
    case .notDecodable(let reason): "The attachment can't be decoded: \(reason)"
    case .notAFile(let address):
      "\(address) is not a regular file. Add other addresses as part of a value."
    case .fileExists(let path): "\(path) exists already. Choose another name."
    case .storage(let reason):
      "\(reason). Free some space, or choose another directory for the journal."
    case .cancelled: "The transfer was cancelled."
    case .interrupted: "The read was interrupted."
    }
  }
}
