import Foundation
import Synchronization

/// A proxy between players and a relay that keeps all bytes in both directions: everything that a
/// broker sees.
final class RecordingProxy: Sendable {
  /// The recording, which outlives the proxy in the threads that still forward bytes.
  private final class Recording: Sendable {
    let data = Mutex(Data())
  }

  let port: UInt16
  private let listener: CInt
  private let seen = Recording()

  var recorded: Data { seen.data.withLock { $0 } }

  /// - Parameter port: the relay's, on this machine.
  init(to port: Int) throws {
    listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) + listen(listener, 16) + getsockname(listener, $0, &length)
      }
    }
    guard status == 0 else {
      throw MatineeProcess.Missing(description: "no proxy: errno \(errno)")
    }
    self.port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [seen] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var relay = Self.address(UInt16(port))
        let connected = withUnsafeMutablePointer(to: &relay) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
        guard connected == 0 else {
          close(client)
          close(server)
          continue
        }
        for (from, to) in [(client, server), (server, client)] {
          Thread.detachNewThread { Self.pass(from, to, seen) }
        }
      }
    }
  }

  deinit {
    shutdown(listener, CInt(SHUT_RDWR))
    close(listener)
  }

  private static func pass(_ from: CInt, _ to: CInt, _ seen: Recording) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(from, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      var rest = Data(buffer.prefix(count))
      seen.data.withLock { $0 += rest }
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { send(to, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        guard sent > 0 else { break }
        rest = rest.dropFirst(sent)
      }
    }
    shutdown(to, CInt(SHUT_WR))
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return address
  }
}
