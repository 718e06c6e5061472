import Foundation

/// An application's own message within a session, or one part of a message that is too large for a broker.
struct AppMessage: Hashable, Sendable, Codable {
  var session: GroupSessionID
  /// The message type's stable wire name.
  var type: String
  var version: Int
  var data: Data
  /// The recipients; nil for every participant.
  var recipients: [Participant.ID]?
  /// The part's number; nil for a message in one piece.
  var part: Part?

  struct Part: Hashable, Sendable, Codable {
    /// The message's number, the same for all of its parts and for no others.
    var message: UInt64
    /// The part's index, from 0.
    var index: Int
    var count: Int
  }

  /// The largest message, in bytes. It is Apple's limit since iOS 16.
  static let sizeLimit = 256 * 1024
  /// The largest part, in bytes. It fits a broker's 64 KiB after its encoding as text and its sealing.
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
