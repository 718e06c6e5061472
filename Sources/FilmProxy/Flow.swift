import Foundation

/// A buffer of bytes on their way from one socket to another.
struct Flow {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The number of bytes that the source may still send.
  private var left: Int
  /// A Boolean value that indicates whether the source has ended.
  private(set) var isOver = false

  private static let chunk = 64 * 1024

  init(limit: Int) { left = limit }

  var isEmpty: Bool { start == bytes.count }
  /// A Boolean value that indicates whether the source has sent all bytes that it may.
  var isDone: Bool { left == 0 }
  var wantsMore: Bool { isEmpty && !isOver && left > 0 }

  /// Adds bytes that don't come from the source.
  mutating func fill(_ more: [UInt8]) { bytes += more }

  /// Adds bytes before those of the source.
  mutating func prepend(_ more: [UInt8]) { bytes = more + bytes }

  /// Adds bytes that were read from the source earlier.
  ///
  /// - Returns: false if the source sent more bytes than it may.
  mutating func append(_ more: [UInt8]) -> Bool {
    guard more.count <= left else { return false }
    if left != .max { left -= more.count }
    bytes += more
    return true
  }

  /// - Returns: false on an error.
  mutating func read(from source: CInt) -> Bool {
    let count = min(Self.chunk, left)
    var received = 0
    bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      received = recv(source, buffer.baseAddress, count, 0)
      initialized = max(0, received)
    }
    start = 0
    if received == 0 { isOver = true }
    if received < 0 { return errno == EAGAIN || errno == EINTR }
    if left != .max { left -= received }
    return true
  }

  /// - Returns: false on an error.
  mutating func write(to target: CInt) -> Bool {
    let sent = bytes.withUnsafeBytes {
      send(
        target, $0.baseAddress?.advanced(by: start), $0.count - start, CInt(MSG_NOSIGNAL))
    }
    guard sent >= 0 else { return errno == EAGAIN || errno == EINTR }
    start += sent
    if isEmpty { (bytes, start) = ([], 0) }
    return true
  }
}
