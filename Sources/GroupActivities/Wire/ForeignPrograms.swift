/// Signs of programs that aren't of this version, each of which is reported once.
struct ForeignPrograms: Hashable, Sendable {
  var versions = ForeignVersions()
  /// The parts of messages that were reported as unknown.
  private var parts: Set<String> = []

  private static let partLimit = 16

  /// Returns a Boolean value that indicates whether an unknown part of a message is to be reported.
  mutating func isNew(part: String) -> Bool {
    parts.count < Self.partLimit && parts.insert(part).inserted
  }
}
