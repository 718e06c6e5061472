import Foundation

@testable import GroupActivities
@testable import PlaybackCoordination

/// The form in which the machines' messages travel: encoded as on the wire, or, for speed, as the
/// values themselves. Both must have the same result.
struct MessageCodec {
  /// A Boolean value that indicates whether messages are encoded and decoded.
  let isEncoding: Bool
  /// The reports that were not encoded: their numbers travel instead.
  private var reports: [ParticipantReport] = []

  init(isEncoding: Bool) { self.isEncoding = isEncoding }

  mutating func data(_ report: ParticipantReport) -> Data {
    if isEncoding {
      return Data(report.binary)
    }
    reports.append(report)
    var data = Data(count: 8)
    for byte in 0..<8 { data[byte] = UInt8(truncatingIfNeeded: (reports.count - 1) >> (8 * byte)) }
    return data
  }

  func report(_ data: Data) -> ParticipantReport {
    if isEncoding {
      do {
        return try ParticipantReport(binary: data)
      } catch {
        preconditionFailure("a report of ours can't be decoded: \(error)")
      }
    }
    var number = 0
    for byte in 0..<8 { number |= Int(data[data.startIndex + byte]) << (8 * byte) }
    return reports[number]
  }

  func transported(_ message: WireMessage) -> WireMessage {
    guard isEncoding else { return message }
    do {
      let read = try WireMessage(decoding: message.encoded(), as: message.delivery)
      precondition(read == message, "\(message) is read as \(read)")
      return read
    } catch {
      preconditionFailure("a message of ours can't be decoded: \(error)")
    }
  }
}
