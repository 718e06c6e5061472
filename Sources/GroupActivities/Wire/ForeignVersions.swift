/// The versions of the protocol that other programs in the party speak instead of this one's.
///
/// Versions don't understand each other, but all of a party's programs use the same subjects, and each message begins
/// with its version. So a program can say what is wrong, instead of being silent.
struct ForeignVersions: Hashable, Sendable {
  private(set) var heard: [UInt8] = []

  /// The number of versions that are reported. There are few programs, but a participant could invent some.
  private static let limit = 4

  /// - Returns: a text for users the first time that a version is heard; else nil.
  mutating func note(_ version: UInt8) -> String? {
    guard heard.count < Self.limit, !heard.contains(version) else { return nil }
    heard.append(version)
    return Self.description(of: version)
  }

  private static func description(of version: UInt8) -> String {
    "Somebody in this party uses a version of the program that speaks another protocol (\(version)); "
      + "this one speaks \(EnvelopeSealer.version). Update both to the same version."
  }
}
