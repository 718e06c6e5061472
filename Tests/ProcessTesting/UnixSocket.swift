import Foundation

/// A connection to a program's control socket, for one thread at a time.
///
/// `@unchecked Sendable`: handed from the thread that made it to the one that uses it.
package final class UnixSocket: @unchecked Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package var path: String
    package var code: CInt
    package var description: String { "the socket \(path): \(String(cString: strerror(code)))" }
  }

  private let descriptor: CInt
  private var received: [UInt8] = []

  /// - Parameter patience: how long an answer may take, in seconds; nil for any time.
  package init(path: String, patience: Int? = nil) throws(Failure) {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: patience ?? 0, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      precondition(path.utf8.count < buffer.count, "the path is too long for a socket: \(path)")
      buffer.copyBytes(from: path.utf8)
    }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      let code = errno
      close(descriptor)
      throw Failure(path: path, code: code)
    }
  }

  deinit { close(descriptor) }

  /// - Returns: false when the program is gone.
  @discardableResult
  package func write(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// - Returns: what comes before the next `end`; nil when nothing comes in time, or the program is gone.
  package func read(until end: String) -> [UInt8]? {
    while true {
      if let found = received.firstRange(of: Array(end.utf8)) {
        defer { received.removeSubrange(..<found.upperBound) }
        return Array(received[..<found.lowerBound])
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      received += buffer.prefix(count)
    }
  }
}
