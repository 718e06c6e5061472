import BrokerTesting
import Foundation

/// A connection to a program's control socket, for one thread at a time.
///
/// `@unchecked Sendable`: handed from the thread that made it to the thread that uses it.
final class UnixSocket: @unchecked Sendable {
  private let descriptor: CInt
  private var rest: [UInt8] = []

  /// - Parameter patience: the time limit for an answer, in seconds.
  init(path: String, patience: Int) throws {
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      let code = errno
      close(descriptor)
      throw TestFailure("the socket \(path): \(String(cString: strerror(code)))")
    }
  }

  deinit { close(descriptor) }

  func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
  }

  /// - Returns: the bytes before the next `end`; nil if none come in time, or the program has
  ///   ended.
  func read(until end: String) -> [UInt8]? {
    while true {
      if let found = rest.firstRange(of: Array(end.utf8)) {
        defer { rest.removeSubrange(..<found.upperBound) }
        return Array(rest[..<found.lowerBound])
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      rest += buffer.prefix(count)
    }
  }
}
