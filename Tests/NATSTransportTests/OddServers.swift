import BrokerTesting
import Foundation
import ProcessTesting
import Synchronization

/// A socket that listens on 127.0.0.1.
final class Listener: Sendable {
  let descriptor: CInt
  let port: Int

  init() throws { (descriptor, port) = try Loopback.listen() }

  deinit { close(descriptor) }

  /// Blocks until a client connects, for at most 30 seconds.
  func acceptOne() throws -> CInt {
    var waiting = pollfd(fd: descriptor, events: CShort(POLLIN), revents: 0)
    guard poll(&waiting, 1, 30_000) == 1 else { throw TestFailure("nobody connected") }
    return accept(descriptor, nil, nil)
  }
}

/// A server that accepts connections and sends nothing, like a port that is forwarded to no
/// program.
final class SilentServer: Sendable {
  private let listener: Listener
  private let clients = Mutex<[CInt]>([])

  init() throws { listener = try Listener() }

  deinit { clients.withLock { for client in $0 { close(client) } } }

  var port: Int { listener.port }

  func waitForClient() throws {
    let client = try listener.acceptOne()
    clients.withLock { $0.append(client) }
  }
}

/// A server that greets clients as a NATS server does, and answers nothing afterwards, like a
/// machine whose cable was pulled.
final class MuteServer: Sendable {
  private let listener: Listener
  private let greetings = Mutex<[String]>([])

  /// - Parameter nonces: the nonce that each client in turn has to sign; as many clients are
  ///   served.
  init(nonces: [String]) throws {
    listener = try Listener()
    let listener = listener
    Thread { [self] in
      for nonce in nonces {
        guard let client = try? listener.acceptOne() else { return }
        greet(client, nonce: nonce)
      }
    }.start()
  }

  var port: Int { listener.port }

  /// The CONNECT lines that came, in order.
  var connects: [String] { greetings.withLock { $0 } }

  private func greet(_ client: CInt, nonce: String) {
    Self.say(
      #"INFO {"server_id":"x","version":"2.9.0","proto":1,"max_payload":1024,"nonce":"\#(nonce)"}"#,
      client)
    // CONNECT and PING come together, if they come.
    var said = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !said.contains("PING\r\n") {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else {
        close(client)
        return
      }
      said += String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    greetings.withLock { $0.append(String(said.prefix { $0 != "\r\n" })) }
    Self.say("PONG", client)
    // Until the client gives up.
    while recv(client, &buffer, buffer.count, 0) > 0 {}
    close(client)
  }

  private static func say(_ line: String, _ client: CInt) {
    _ = (line + "\r\n").withCString { send(client, $0, strlen($0), CInt(MSG_NOSIGNAL)) }
  }
}

/// A server that asks for TLS and then sends nothing, like a machine that freezes at the wrong
/// moment.
final class HangingServer: Sendable {
  private let listener: Listener
  private let connections = Mutex<[CInt]>([])

  /// - Parameter text: the text that follows INFO at once.
  init(after text: String = "") throws {
    listener = try Listener()
    let listener = listener
    Thread { [weak self] in
      let info =
        #"INFO {"server_id":"x","version":"2.9.0","proto":1,"max_payload":1024,"tls_required":true}"#
      while let client = try? listener.acceptOne() {
        guard let self else {
          close(client)
          return
        }
        _ = (info + "\r\n" + text).withCString { send(client, $0, strlen($0), CInt(MSG_NOSIGNAL)) }
        self.connections.withLock { $0.append(client) }
      }
    }.start()
  }

  var port: Int { listener.port }

  /// The number of clients that have connected.
  var clients: Int { connections.withLock { $0.count } }

  func hangUp() { connections.withLock { for client in $0 { shutdown(client, CInt(SHUT_RDWR)) } } }

  deinit { connections.withLock { for client in $0 { close(client) } } }
}
