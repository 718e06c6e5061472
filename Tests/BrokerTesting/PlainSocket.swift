import Foundation
import ProcessTesting

#if canImport(Glibc)
  import Glibc
#endif

/// A blocking TCP connection to 127.0.0.1 on which a test sends any bytes that it wants.
package final class PlainSocket {
  private let descriptor: CInt
  package private(set) var received: [UInt8] = []
  package private(set) var isAtEnd = false

  /// - Parameters:
  ///   - source: the address to connect from; nil for the system's choice, 127.0.0.1.
  ///   - receiveBuffer: the number of unread bytes that the kernel may hold; nil for its default.
  package init(
    port: Int, from source: String? = nil, receiveBuffer: CInt? = nil, deadlineSeconds: Int = 20
  ) throws {
    descriptor = try Loopback.connect(to: port, from: source) { descriptor in
      if var size = receiveBuffer {
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
      }
      var one: CInt = 1
      setsockopt(
        descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
      var limit = timeval(tv_sec: deadlineSeconds, tv_usec: 0)
      for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
      }
    }
  }

  deinit { close(descriptor) }

  /// Sends all bytes, or as many as a peer that hangs up accepts.
  ///
  /// - Returns: a Boolean value that indicates whether the peer accepted all of them.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Announces that no more bytes will come, which makes a server answer the received ones and hang
  /// up.
  package func finish() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Reads until the peer hangs up, one way or another.
  ///
  /// - Throws: if the peer doesn't hang up before the deadline.
  package func readToEnd() throws -> [UInt8] {
    while try readSome() {}
    return received
  }

  /// Reads until `text` has come, and returns all bytes that have come so far.
  ///
  /// - Throws: if the peer hangs up or the deadline passes before.
  @discardableResult
  package func read(until text: String) throws -> [UInt8] {
    let wanted = Array(text.utf8)
    var searched = 0
    while !contains(wanted, from: searched) {
      searched = max(0, received.count - wanted.count + 1)
      guard try readSome() else {
        throw TestFailure(
          "the peer hung up before \(text.debugDescription): "
            + String(decoding: received.suffix(500), as: UTF8.self).debugDescription)
      }
    }
    return received
  }

  private func contains(_ wanted: [UInt8], from start: Int) -> Bool {
    guard received.count - start >= wanted.count else { return false }
    return received.withUnsafeBytes { all in
      (start...all.count - wanted.count).contains { offset in
        all[offset] == wanted[0]
          && memcmp(all.baseAddress! + offset, wanted, wanted.count) == 0
      }
    }
  }

  /// Discards the bytes that were read.
  package func forget() { received = [] }

  private func readSome() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    if count > 0 {
      received += buffer.prefix(count)
      return true
    }
    if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) {
      throw TestFailure(
        "nothing came in time after "
          + String(decoding: received.suffix(500), as: UTF8.self).debugDescription)
    }
    isAtEnd = true
    return false
  }
}
