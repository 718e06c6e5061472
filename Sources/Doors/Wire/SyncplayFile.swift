import Crypto
import Foundation

/// A film file, as Syncplay's clients describe theirs.
struct SyncplayFile: Hashable, Sendable {
  /// The file's name without its folder, or the hash of it, or empty if the client hides it.
  var name: String
  /// The duration in seconds; 0 if it isn't known.
  var duration: Double
  /// The size in bytes, or the hash of it; empty if it isn't known.
  var size: String

  /// The name that a client sends which hides it.
  private static let hiddenName = "**Hidden filename**"
  /// The longest name, in characters.
  static let nameLimit = 250
  /// The difference of durations from which copies are different films, in seconds.
  private static let durationTolerance = 2.5

  init(name: String, duration: Double, size: String) {
    (self.name, self.duration, self.size) = (name, duration, size)
  }

  /// - Returns: nil for a description without a name.
  init?(_ value: JSONValue) {
    guard let name = value["name"]?.string else { return nil }
    self.name = name == Self.hiddenName ? "" : String(name.prefix(Self.nameLimit))
    duration = max(0, value["duration"]?.number ?? 0)
    let size = value["size"]
    self.size =
      size?.number.map { $0 > 0 ? String(Int(clampingRounded: $0)) : "" }
      ?? size?.string.map { String($0.prefix(64)) } ?? ""
  }

  var value: JSONValue {
    [
      "name": .string(name.isEmpty ? Self.hiddenName : name), "duration": .number(duration),
      "size": Double(size).map { .number($0) } ?? .string(size.isEmpty ? "0" : size),
    ]
  }

  /// A comparison with another description, as Syncplay's clients make it: unknown and hidden parts are equal.
  func comparison(with other: SyncplayFile) -> (name: Bool, size: Bool, duration: Bool) {
    (
      Self.isSame(name, other.name, Self.plainName), Self.isSame(size, other.size) { $0 },
      duration == 0 || other.duration == 0
        || abs(duration.rounded() - other.duration.rounded()) < Self.durationTolerance
    )
  }

  private static func isSame(_ a: String, _ b: String, _ plain: (String) -> String) -> Bool {
    guard !a.isEmpty, !b.isEmpty, a != b else { return true }
    return plain(a) == plain(b) || hash(plain(a)) == b || hash(plain(b)) == a
  }

  /// The name without what programs that pass files on often change.
  private static func plainName(_ name: String) -> String {
    let name = name.removingPercentEncoding ?? name
    return name.filter { !" -~_.[]():".contains($0) }
  }

  private static func hash(_ text: String) -> String {
    SHA256.hash(data: Data(text.utf8)).prefix(6).map { String(format: "%02x", $0) }.joined()
  }
}
