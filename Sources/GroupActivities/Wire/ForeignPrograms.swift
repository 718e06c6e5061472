/// Signs of programs that aren't of this version, each of which is reported once.
struct ForeignPrograms: Hashable, Sendable {
  /// The version of the protocol that another program in the party speaks instead of this one's; nil while none is
  /// known.
  ///
  /// Versions don't understand each other, but all of a party's programs use the same subjects, and each message begins
  /// with its version. So a program can say what is wrong, instead of being silent.
  private(set) var version: UInt8?
  /// The parts of messages that were reported as unknown.
  private var parts: Set<String> = []

  private static let partLimit = 16

  /// Returns a Boolean value that indicates whether this is the first other version, which is to be reported.
  mutating func isFirst(version: UInt8) -> Bool {
    guard self.version == nil else { return false }
    self.version = version
    return true
  }

  /// Returns a Boolean value that indicates whether an unknown part of a message is to be reported.
  mutating func isNew(part: String) -> Bool {
    parts.count < Self.partLimit && parts.insert(part).inserted
  }
}
