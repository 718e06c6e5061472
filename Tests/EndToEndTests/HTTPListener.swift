import Foundation
import ProcessTesting

/// A server for HTTP requests on a port of this machine, with a thread for each; it closes after
/// the answer.
final class HTTPListener: Sendable {
  struct Request {
    /// The path, or the whole URL in a request to a proxy.
    var target: String
    /// The header's fields by name, in lower case.
    var fields: [String: String]
    var connection: CInt

    /// - Returns: false if the peer no longer reads.
    @discardableResult
    func send(_ data: Data) -> Bool {
      var rest = data
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Foundation.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  let port: UInt16
  private let listener: CInt

  /// - Parameter address: one of this machine's; all of 127.0.0.0/8 are.
  convenience init(
    at host: String = "127.0.0.1", answer: @escaping @Sendable (Request) -> Void
  ) throws {
    try self.init(connectionsAt: host) { connection in
      if let request = Self.read(connection) { answer(request) }
    }
  }

  /// Serves another protocol than HTTP.
  init(connectionsAt host: String, serve: @escaping @Sendable (CInt) -> Void) throws {
    let (listener, port) = try Loopback.listen(at: host)
    (self.listener, self.port) = (listener, UInt16(port))
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread {
          serve(connection)
          close(connection)
        }
      }
    }
  }

  deinit {
    shutdown(listener, CInt(SHUT_RDWR))
    close(listener)
  }

  /// - Returns: nil if no request came.
  private static func read(_ connection: CInt) -> Request? {
    var head = Data()
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard head.count < 65536, recv(connection, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return nil }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    return Request(target: String(words[1]), fields: fields, connection: connection)
  }
}
