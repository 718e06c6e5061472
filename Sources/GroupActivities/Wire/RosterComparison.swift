/// The participants that one participant knows, itself included, each as a hash.
struct RosterComparison: Hashable, Sendable {
  var known: [UInt32]
  var purpose = Purpose.question

  enum Purpose: UInt8, Sendable {
    /// A question. The receiver sends the participants that the sender doesn't know, and asks for those that it doesn't
    /// know itself.
    case question = 0
    /// A question in return, from a receiver that doesn't know all of the sender's participants either.
    case answer = 1
    /// A request to send a beacon to all: a participant doesn't know the receiver, and the sender has no proof of it to
    /// pass on.
    case showYourself = 2
  }

  static let limit = 512

  /// Returns a part of an identity, which is a hash already.
  static func hash(_ id: Participant.ID) -> UInt32 { UInt32(truncatingIfNeeded: id.low) }
}

extension RosterComparison: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.byte(purpose.rawValue)
    writer.count(min(known.count, Self.limit))
    for hash in known.prefix(Self.limit) { writer.half(hash) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let number = try reader.byte()
    guard let purpose = Purpose(rawValue: number) else {
      throw .unknown("roster comparison \(number)")
    }
    self.purpose = purpose
    known = []
    for _ in 0..<(try reader.count(limit: Self.limit)) { known.append(try reader.half()) }
  }
}
