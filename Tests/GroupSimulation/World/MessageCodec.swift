import Foundation

@testable import GroupActivities
@testable import PlaybackCoordination

/// How what machines say gets from one to another: as it goes over the wire, or, for speed, as the
/// value that it is. Both must come to the same.
struct MessageCodec {
  /// Whether messages are encoded and decoded.
  let isEncoding: Bool
  /// Reports that were not encoded: what travels is their number.
  private var reports: [ParticipantReport] = []

  init(isEncoding: Bool) { self.isEncoding = isEncoding }

  mutating func data(_ report: ParticipantReport) -> Data {
    if isEncoding {
      do {
        return try JSONEncoder().encode(report)
      } catch {
        preconditionFailure("a report of ours can't be encoded: \(error)")
      }
    }
    reports.append(report)
    var data = Data(count: 8)
    for byte in 0..<8 { data[byte] = UInt8(truncatingIfNeeded: (reports.count - 1) >> (8 * byte)) }
    return data
  }

  func report(_ data: Data) -> ParticipantReport {
    if isEncoding {
      do {
        return try JSONDecoder().decode(ParticipantReport.self, from: data)
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
      let read = try WireMessage(decoding: message.encoded())
      precondition(read == message, "\(message) is read as \(read)")
      return read
    } catch {
      preconditionFailure("a message of ours can't be decoded: \(error)")
    }
  }
}
