import Foundation
import ProcessTesting
import Synchronization

/// A proxy between players and a relay that keeps all bytes in both directions: everything that a
/// broker sees.
final class RecordingProxy: Sendable {
  /// The recording, which outlives the proxy in the threads that still forward bytes.
  private final class Recording: Sendable {
    let data = Mutex(Data())
  }

  private let listener: HTTPListener
  private let seen: Recording

  var port: UInt16 { listener.port }
  var recorded: Data { seen.data.withLock { $0 } }

  /// - Parameter port: the relay's, on this machine.
  init(to port: Int) throws {
    let seen = Recording()
    self.seen = seen
    listener = try HTTPListener(connectionsAt: "127.0.0.1") { client in
      guard let server = try? Loopback.connect(to: port) else { return }
      let hasEnded = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Self.pass(server, client, seen)
        hasEnded.signal()
      }
      Self.pass(client, server, seen)
      hasEnded.wait()
      close(server)
    }
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
}
