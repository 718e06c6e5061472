import Foundation
import GroupActivities
import Synchronization

/// A server that admits all NATS clients, answers their pings and passes nothing on.
final class DeafRelay: Sendable {
  private let listener: HTTPListener
  private let count: Count

  private final class Count: Sendable {
    let value = Mutex(0)
  }

  init() throws {
    let count = Count()
    let info =
      "INFO {\"server_id\":\"\(UUID().uuidString)\",\"version\":\"2.10.0\",\"proto\":1,"
      + "\"max_payload\":65536,\"headers\":true,\"auth_required\":true,\"nonce\":\"abcdefgh\"}\r\n"
    self.count = count
    listener = try HTTPListener(connectionsAt: "127.0.0.1") { connection in
      count.value.withLock { $0 += 1 }
      Self.send(info, connection)
      var received: [UInt8] = []
      var byte: UInt8 = 0
      while recv(connection, &byte, 1, 0) == 1 {
        received = received.suffix(5) + [byte]
        if received.elementsEqual("PING\r\n".utf8) { Self.send("PONG\r\n", connection) }
      }
    }
  }

  var address: Invite.Address {
    Invite.Address(host: "127.0.0.1", port: Int(listener.port))!
  }

  /// The number of connections so far.
  var visits: Int { count.value.withLock { $0 } }

  private static func send(_ text: String, _ connection: CInt) {
    let bytes = Array(text.utf8)
    _ = Foundation.send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }
}
