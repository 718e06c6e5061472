import BrokerTesting
import Foundation
import GroupActivities
import ProcessTesting

/// A non-blocking NATS client that counts what comes and how long it took.
final class Client {
  let descriptor: CInt
  /// PUB with a payload whose first bytes are replaced by the time of sending.
  private var frame: [UInt8]
  private let stampOffset: Int
  /// Of a delivered message, from `MSG` to its end, and where its stamp lies.
  private let deliveryBytes: Int
  private let deliveryStamp: Int
  private var rest: [UInt8] = []
  private(set) var received = 0
  private(set) var refusedSends = 0

  private var greeting: Greeting
  private let subject: String

  /// Connects. A broker that waits for the first bytes of a client greets later: ``open()`` continues.
  init(port: Int, greeting: Greeting) throws {
    self.greeting = greeting
    descriptor = try Loopback.connect(to: port) { descriptor in
      var one: CInt = 1
      setsockopt(
        descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    }
    subject = greeting.prefix + ".all"
    let head = Array("PUB \(subject) \(Load.payloadBytes)\r\n".utf8)
    frame = head + [UInt8](repeating: 0x78, count: Load.payloadBytes) + Array("\r\n".utf8)
    stampOffset = head.count
    deliveryStamp = "MSG \(subject) 1 \(Load.payloadBytes)\r\n".utf8.count
    deliveryBytes = deliveryStamp + Load.payloadBytes + 2
  }

  /// Proves the party's key where the broker asks for it, and subscribes; blocks.
  func open() throws {
    let nonce = try Greeting.info(from: Array(try readLine().utf8))["nonce"]
    greeting.options += #","echo":false,"protocol":1"#
    let line =
      if let nonce { try greeting.line(nonce: nonce) } else { "CONNECT {\(greeting.options)}\r\n" }
    try sendAll(Array((line + "SUB \(subject) 1\r\nPING\r\n").utf8))
    while true {
      let answer = try readLine()
      if answer == "PONG" { break }
      guard answer == "PING" else { throw TestFailure("the broker said \(answer)") }
      try sendAll(Array("PONG\r\n".utf8))
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit { close(descriptor) }

  /// A message, as it is sent.
  var message: [UInt8] { frame }

  /// Sends one message, stamped.
  func send() {
    var now = Clock.nanoseconds().bigEndian
    withUnsafeBytes(of: &now) { stamp in
      frame.replaceSubrange(stampOffset..<stampOffset + 8, with: stamp)
    }
    let count = frame.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
    }
    // Part of a message would spoil all that follows, and a full buffer means that the broker has
    // stopped reading: either way the run isn't worth its figures.
    if count != frame.count { refusedSends += 1 }
  }

  /// Reads what is there.
  ///
  /// - Parameter record: given the nanoseconds between sending and now, for each message.
  func receive(into buffer: UnsafeMutableRawBufferPointer, record: (UInt64) -> Void) throws {
    // What is left of the last reading goes in front, so that messages are whole.
    rest.withUnsafeBytes { buffer.copyMemory(from: $0) }
    let start = rest.count
    let count = recv(descriptor, buffer.baseAddress! + start, buffer.count - start, 0)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      throw TestFailure("the broker closed a connection (\(count), errno \(errno))")
    }
    let end = start + count
    let now = Clock.nanoseconds()
    var position = 0
    while position < end {
      switch buffer[position] {
      case UInt8(ascii: "M"):
        guard end - position >= deliveryBytes else { break }
        let sent = buffer.loadUnaligned(
          fromByteOffset: position + deliveryStamp, as: UInt64.self
        ).bigEndian
        record(now - sent)
        received += 1
        position += deliveryBytes
        continue
      case UInt8(ascii: "P"):
        guard end - position >= 6 else { break }
        if buffer[position + 1] == UInt8(ascii: "I") { try sendAll(Array("PONG\r\n".utf8)) }
        position += 6
        continue
      case UInt8(ascii: "I"):
        // Another INFO, with the servers of a cluster say.
        guard let lineFeed = buffer[position..<end].firstIndex(of: UInt8(ascii: "\n")) else {
          break
        }
        position = lineFeed + 1
        continue
      default:
        throw TestFailure(
          "the broker said \(String(decoding: buffer[position..<end], as: UTF8.self))")
      }
      break
    }
    rest = Array(buffer[position..<end])
  }

  // MARK: Blocking

  private func sendAll(_ bytes: [UInt8]) throws {
    let count = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
    }
    guard count == bytes.count else { throw TestFailure("send: errno \(errno)") }
  }

  /// One line, without its end. Byte by byte: only while connecting.
  private func readLine() throws -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      guard recv(descriptor, &byte, 1, 0) == 1 else {
        throw TestFailure(
          "the broker hung up after \(String(decoding: line, as: UTF8.self)) (errno \(errno))")
      }
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}

enum Clock {
  /// `CLOCK_MONOTONIC`, which sender and receiver share.
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
