/// A session, as its party sees it: whatever the type of its activity is.
protocol PartySession: AnyObject, Sendable {
  var id: GroupSessionID { get }
  /// Processes a newer decision on the session's activity.
  func update(_ register: SessionRegister)
  func update(participants: [Participant])
  func didJoin()
  func invalidate(_ reason: InvalidationReason)
  /// - Returns: false if a reader could not read the message, or there was no room to keep it.
  func deliver(_ message: AppMessage, from source: Participant) -> Bool
}

/// The reason for which a session is over for this participant.
public enum InvalidationReason: Hashable, Sendable {
  /// This participant left the session.
  case left
  /// A participant ended the session for all.
  case ended(by: Participant.ID)
  /// A participant started another session with the same kind of activity. If the program takes part in more than four
  /// kinds, also one with another kind.
  case replaced(by: Participant.ID)
  /// The party ended, or this participant left it.
  case partyClosed
}

/// Creates sessions of one kind of activity and delivers them to its readers.
struct SessionFactory {
  struct Reader: Sendable {
    var deliver: @Sendable (any PartySession) -> Void
    var finish: @Sendable () -> Void
  }

  typealias Make = @Sendable (SessionRegister, Party) -> (any PartySession)?

  let make: Make
  var readers: [Int: Reader] = [:]
  private var lastReader = 0

  init(make: @escaping Make) { self.make = make }

  /// - Returns: the reader's number.
  mutating func add(_ reader: Reader) -> Int {
    lastReader += 1
    readers[lastReader] = reader
    return lastReader
  }
}
