import GroupActivities
import NATSProtocol

/// The connections that share an admission key, with a subject space of their own.
struct PartySpace: Sendable {
  let key: [UInt8]
  var index = SubjectIndex()
  var members = 0
  /// The work that is done for the party at once.
  var work: TokenBucket
  /// A Boolean value that indicates whether the party's input waits for the party's turn.
  var awaitsTurn = false
  /// The connections with input that waits, in the order in which it is processed.
  var waiting: [ConnectionID] = []
  private let prefix: Subject
  private static let inbox = Subject("_INBOX")
  private static let personal = ArraySlice("to".utf8)

  init(admissionPublicKey: [UInt8], work: TokenBucket) {
    key = admissionPublicKey
    self.work = work
    prefix = Subject(PartySubjects(admissionPublicKey: admissionPublicKey).prefix)
  }

  /// Returns the next connection with input that waits, while the party has work left.
  mutating func nextWaiting() -> ConnectionID? {
    work.isEmpty || waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Returns a Boolean value that indicates whether a member may publish to the subject: the
  /// party's subjects and its inboxes.
  func allowsPublishing(to subject: Subject) -> Bool {
    subject.isBelow(prefix) || subject.isBelow(PartySpace.inbox)
  }

  /// Returns a Boolean value that indicates whether a member may subscribe to the pattern.
  ///
  /// The party's subjects and its inboxes are allowed, except with a wildcard that matches subjects
  /// for one member only: an inbox, whose name only the member and its correspondent know, or
  /// subjects with the member's name (`to`).
  func allowsSubscribing(to pattern: Subject) -> Bool {
    if pattern.isBelow(PartySpace.inbox) { return !pattern.tokens[1].isWildcard }
    guard pattern.isBelow(prefix) else { return false }
    guard pattern.hasWildcard else { return true }
    let tokens = Subject(pattern.bytes.dropFirst(prefix.bytes.count + 1)).tokens
    if tokens[0] == Subject.anyTail { return false }
    if tokens[0] == Subject.anyToken { return tokens.count == 1 }
    return tokens[0] != PartySpace.personal
  }
}

extension Subject.Token {
  fileprivate var isWildcard: Bool { self == Subject.anyToken || self == Subject.anyTail }
}
