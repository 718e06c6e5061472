import GroupActivities

/// The connections that share an admission key, with a subject space of their own.
struct Party: Sendable {
  var index = SubjectIndex()
  var members = 0
  private let prefix: Subject
  private static let inbox = Subject("_INBOX")

  init(admissionPublicKey: [UInt8]) {
    prefix = Subject(PartySubjects(admissionPublicKey: admissionPublicKey).prefix)
  }

  /// Whether a member may publish or subscribe to it: the party's subjects and its inboxes.
  func allows(_ subject: Subject) -> Bool {
    subject.isBelow(prefix) || subject.isBelow(Party.inbox)
  }
}
