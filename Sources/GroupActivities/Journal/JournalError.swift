import Foundation

/// A failed call on a journal.
public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the party says: not joined, session over, and the like.
  case party(PartyError)
  /// Larger than an attachment may be, than what goes with one, or than what is loaded into memory; in bytes.
  case tooLarge(bytes: Int64, limit: Int64)
  /// This participant added as many as one may in a session, or the journal is full.
  case tooMany
  /// Somebody removed it, or it belongs to another session.
  case removed
  /// Nobody who is here has it any more.
  case unavailable
  /// It is of another type than the one asked for.
  case wrongType(String, wanted: String)
  /// It came without what was asked for.
  case noMetadata
  case notEncodable(String)
  case notDecodable(String)
  /// Not a file's address, or not a regular file.
  case notAFile(String)
  /// A file is there already.
  case fileExists(String)
  /// The system refused something; with what, and why.
  case storage(String)
  /// The task that waited was cancelled; what came so far is kept.
  case cancelled

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
    }
  }
}
