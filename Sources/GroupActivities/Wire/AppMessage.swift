import Foundation

/// An application's own message within a session, or one part of a message that is too large for a broker.
struct AppMessage: Hashable, Sendable {
  var session: GroupSessionID
  /// The message type's stable wire name.
  var type: String
  var version: Int
  var data: Data
  /// The recipients; nil for every participant.
  var recipients: [Participant.ID]?
  /// The part's number; nil for a message in one piece.
  var part: Part?

  struct Part: Hashable, Sendable {
    /// The message's number, the same for all of its parts and for no others.
    var message: UInt64
    /// The part's index, from 0.
    var index: Int
    var count: Int
  }

  /// The largest message, in bytes. It is Apple's limit since iOS 16.
  static let sizeLimit = 256 * 1024
  /// The largest part, in bytes. It fits a broker's 64 KiB with the names of many recipients.
  static let partSize = 32 * 1024
  static let partLimit = sizeLimit / partSize
  static let typeLimit = MessageName.limit
  static let recipientLimit = 512

  var isWithinLimits: Bool {
    data.count <= Self.partSize && (1...Self.typeLimit).contains(type.utf8.count)
      && recipients?.count ?? 0 <= Self.recipientLimit
      && part.map { (2...Self.partLimit).contains($0.count) && 0..<$0.count ~= $0.index } ?? true
  }

  /// Returns the message in pieces that each fit the broker.
  ///
  /// - Parameter id: a random number; not used for a message of one piece.
  func split(id: UInt64) -> [AppMessage] {
    guard data.count > Self.partSize else { return [self] }
    let starts = Array(stride(from: data.startIndex, to: data.endIndex, by: Self.partSize))
    return starts.enumerated().map { index, start in
      var piece = self
      piece.data = data[start..<min(start + Self.partSize, data.endIndex)]
      piece.part = Part(message: id, index: index, count: starts.count)
      return piece
    }
  }
}

extension AppMessage: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.flags(recipients != nil, part != nil)
    writer.value(session)
    writer.text(type)
    writer.signed(Int64(version))
    if let recipients { writer.list(recipients) }
    if let part { writer.value(part) }
    writer.block(data)
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    let has = try reader.flags(2)
    session = try reader.value()
    type = try reader.text(limit: Self.typeLimit)
    version = Int(try reader.signed())
    if has[0] { recipients = try reader.list(limit: Self.recipientLimit) }
    if has[1] { part = try reader.value() }
    data = Data(try reader.block(limit: Self.partSize))
    guard isWithinLimits else { throw .malformed }
  }
}

extension AppMessage.Part: BinaryCodable {
  func write(to writer: inout BinaryWriter) {
    writer.word(message)
    writer.number(UInt64(bitPattern: Int64(index)))
    writer.number(UInt64(bitPattern: Int64(count)))
  }

  init(from reader: inout BinaryReader) throws(WireError) {
    message = try reader.word()
    index = try reader.count(limit: AppMessage.partLimit)
    count = try reader.count(limit: AppMessage.partLimit)
  }
}

/// A message type's name and version on the wire.
package struct MessageName: Hashable, Sendable {
  package let text: String
  let version: Int

  package static let bytes = MessageName(text: "data", version: 1)
  /// A participant's action, for users.
  static let notice = MessageName(text: "notice", version: 1)

  /// The longest name, in bytes.
  package static let limit = 128
}
