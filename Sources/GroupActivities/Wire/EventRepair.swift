/// Asks for events that didn't arrive.
struct ResendRequest: Hashable, Sendable {
  var from: UInt64
  var through: UInt64
  /// The author of the events, in a request to all participants: those that lack the same events then needn't ask.
  var of: Participant.ID?
}

/// Reports that events up to and including this one are no longer kept.
struct ResendRefusal: Hashable, Sendable {
  var through: UInt64
}

/// The events of the others that a participant has, as the next number of each.
struct EventVector: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var sender: Participant.ID
    var epoch: UInt64
    /// The number of the first event that the participant doesn't have.
    var next: UInt64
  }

  var entries: [Entry]
  /// A Boolean value that indicates whether all participants received the vector: one that has more events then sends
  /// them to all.
  var isPublic = false

  static let limit = 256
}

/// Messages of others to all participants, as they signed them: a participant that passes them on can't change them.
struct Originals: Hashable, Sendable {
  var signed: [[UInt8]]

  /// The bytes that fit into one message with its envelope: a broker accepts 64 KiB.
  static let sizeLimit = 56 * 1024
  static let limit = 256
}

extension ResendRequest: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.flags(of != nil)
    writer.number(from)
    writer.number(through)
    if let of { writer.value(of) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let isAboutOther = try reader.flag()
    from = try reader.number()
    through = try reader.number()
    if isAboutOther { of = try reader.value() }
  }
}

extension ResendRefusal: BinaryCodable {
  func write(to writer: inout BinaryWriter) { writer.number(through) }

  init(from reader: inout BinaryReader) throws(WireError) { through = try reader.number() }
}

extension EventVector: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.flags(isPublic)
    writer.list(entries.prefix(Self.limit))
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    isPublic = try reader.flag()
    entries = try reader.list(limit: Self.limit)
  }
}

extension EventVector.Entry: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.value(sender)
    writer.word(epoch)
    writer.number(next)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    sender = try reader.value()
    epoch = try reader.word()
    next = try reader.number()
  }
}

extension Originals: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.count(signed.count)
    for original in signed { writer.block(original) }
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    signed = []
    for _ in 0..<(try reader.count(limit: Self.limit)) {
      signed.append(try reader.block(limit: Self.sizeLimit))
    }
  }
}
