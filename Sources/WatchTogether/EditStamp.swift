/// The age of an edit. The newest edit of a value wins at every participant.
struct EditStamp: Hashable, Sendable {
  /// The group time of the edit in nanoseconds, or one more than the newest stamp that its author knew, whichever is
  /// later. Outside a party the time is 0, and stamps only count.
  var time: Int64
  /// A random number, so that two participants never make the same stamp.
  var tie: UInt32

  /// The oldest stamp.
  static let oldest = EditStamp(time: .min, tie: 0)
}

extension EditStamp: Comparable {
  static func < (a: EditStamp, b: EditStamp) -> Bool {
    (a.time, a.tie) < (b.time, b.tie)
  }
}

extension EditStamp: Codable {
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    time = try container.decode(Int64.self)
    tie = try container.decode(UInt32.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(time)
    try container.encode(tie)
  }
}
