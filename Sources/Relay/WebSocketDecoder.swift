/// Parses the bytes of a WebSocket client (RFC 6455 §5) whose binary messages carry a stream of bytes.
///
/// It passes the stream on as it arrives, so that it holds no more than the head of a frame or a control frame, whatever
/// length a frame announces. The borders of frames and messages have no meaning in a stream.
struct WebSocketDecoder: Sendable {
  enum Event: Hashable, Sendable {
    /// A part of the stream.
    case bytes([UInt8])
    case ping([UInt8])
    case pong
    /// The end, with the payload that an answer repeats.
    case close([UInt8])
    /// The end, for bytes that are no frame.
    case violated(Violation)
  }

  /// A violation of the protocol, which ends the connection.
  enum Violation: Error, Hashable, Sendable {
    case unmasked, reservedBits, unknownOperation, notBinary, length, controlFrame, continuation

    /// The status code of the close frame that answers it (RFC 6455 §7.4.1).
    var code: UInt16 { self == .notBinary ? 1003 : 1002 }
  }

  private enum Operation: UInt8 {
    case continuation = 0
    case text, binary
    case close = 8
    case ping, pong
  }

  private static let controlLimit = 125

  /// The head of a frame, as far as it has arrived.
  private var head: [UInt8] = []
  /// The frame whose payload arrives; nil while its head does.
  private var frame: (operation: Operation, rest: UInt64)?
  private var mask: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
  /// The payload of a control frame, as far as it has arrived.
  private var control: [UInt8] = []
  /// A Boolean value that indicates whether a message has begun and not ended.
  private var isInMessage = false
  /// A Boolean value that indicates whether the stream has ended. Bytes that follow have no meaning.
  private var isOver = false
  /// The number of frames that have begun.
  private(set) var frames = 0

  /// Takes the next bytes.
  ///
  /// - Returns: the events in their order. None follows an end.
  mutating func append(_ bytes: [UInt8]) -> [Event] {
    var events: [Event] = []
    guard !isOver else { return events }
    do throws(Violation) {
      try parse(bytes[...], into: &events)
    } catch {
      isOver = true
      events.append(.violated(error))
    }
    return events
  }

  private mutating func parse(
    _ bytes: ArraySlice<UInt8>, into events: inout [Event]
  ) throws(Violation) {
    var rest = bytes
    while true {
      if frame == nil {
        while frame == nil, let byte = rest.popFirst() {
          head.append(byte)
          try parseHead()
        }
        if frame == nil { return }
      }
      let part = rest.prefix(Int(clamping: frame!.rest))
      rest = rest[part.endIndex...]
      frame!.rest -= UInt64(part.count)
      let payload = unmasked(part)
      switch frame!.operation {
      case .continuation, .text, .binary:
        if !payload.isEmpty { events.append(.bytes(payload)) }
        if frame!.rest > 0 { return }
      case .ping, .pong, .close:
        control += payload
        if frame!.rest > 0 { return }
        switch frame!.operation {
        case .ping: events.append(.ping(control))
        case .close:
          isOver = true
          return events.append(.close(control))
        case .continuation, .text, .binary, .pong: events.append(.pong)
        }
        control = []
      }
      frame = nil
    }
  }

  /// Begins a frame if its head is complete.
  private mutating func parseHead() throws(Violation) {
    guard head[0] & 0x70 == 0 else { throw .reservedBits }
    guard let operation = Operation(rawValue: head[0] & 0x0f) else { throw .unknownOperation }
    let isFinal = head[0] & 0x80 != 0
    guard operation != .text else { throw .notBinary }
    guard head.count >= 2 else { return }
    guard head[1] & 0x80 != 0 else { throw .unmasked }
    let short = head[1] & 0x7f
    let isControl = operation.rawValue >= Operation.close.rawValue
    guard !isControl || isFinal && short <= Self.controlLimit else { throw .controlFrame }
    guard isControl || (operation == .continuation) == isInMessage else { throw .continuation }
    let lengthBytes = short == 126 ? 2 : short == 127 ? 8 : 0
    guard head.count == 2 + lengthBytes + 4 else { return }
    var length = UInt64(short)
    if lengthBytes > 0 {
      length = head[2..<2 + lengthBytes].reduce(0) { $0 << 8 | UInt64($1) }
      guard length <= UInt64(Int64.max), length >= (lengthBytes == 2 ? 126 : 1 << 16) else {
        throw .length
      }
    }
    let key = Array(head.suffix(4))
    mask = (key[0], key[1], key[2], key[3])
    if !isControl { isInMessage = !isFinal }
    frame = (operation, length)
    frames += 1
    head.removeAll(keepingCapacity: true)
  }

  /// Removes the mask, and turns it for the bytes that follow.
  private mutating func unmasked(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      result.append(byte ^ mask.0)
      mask = (mask.1, mask.2, mask.3, mask.0)
    }
    return result
  }
}

/// The frames of a server, which are not masked.
enum WebSocketFrame {
  static let close: UInt8 = 8
  static let pong: UInt8 = 10
  private static let binary: UInt8 = 2

  /// Returns the head of a binary message in one frame.
  static func head(ofMessage length: Int) -> [UInt8] { head(binary, length) }

  /// Returns a control frame.
  ///
  /// - Parameter payload: 125 bytes at most.
  static func control(_ operation: UInt8, _ payload: [UInt8]) -> [UInt8] {
    head(operation, payload.count) + payload
  }

  private static func head(_ operation: UInt8, _ length: Int) -> [UInt8] {
    let first = 0x80 | operation
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
    }
    if length < 126 { return [first, UInt8(length)] }
    return length < 1 << 16 ? [first, 126] + bytes(2) : [first, 127] + bytes(8)
  }
}
