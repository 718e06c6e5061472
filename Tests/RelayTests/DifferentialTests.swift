import BrokerTesting
import Foundation
import GroupActivities
import Testing

@testable import Relay

/// The same bytes to the relay and to a real `nats-server` with the same configuration, in everything that a party's
/// programs send: the answers have to be the same, byte for byte.
@Suite("The relay and nats-server")
struct DifferentialTests {
  /// A client's text, with the nonce that it was given. In subjects, `P.` is replaced by the party's prefix.
  struct Script: Sendable {
    let name: String
    let text: @Sendable (_ nonce: String, _ greeting: Greeting) throws -> String

    /// Makes a script that begins with a proper CONNECT.
    init(_ text: String, options: String = Script.plain) {
      self.init(named: options == Script.plain ? text : "[\(options)] \(text)") { nonce, greeting in
        var greeting = greeting
        greeting.options = options
        return try greeting.line(nonce: nonce) + text
      }
    }

    init(
      named name: String,
      _ text: @escaping @Sendable (_ nonce: String, _ greeting: Greeting) throws -> String
    ) {
      self.name = name
      self.text = text
    }

    static let plain = #""verbose":false,"pedantic":false"#
    static let silent = plain + #","echo":false"#
  }

  private static let scripts: [Script] = [
    // Routing.
    Script("SUB P.a 1\r\nPUB P.a 1\r\nx\r\nUNSUB 1\r\nPUB P.a 1\r\nx\r\nPING\r\n"),
    Script("SUB P.a 1\r\nSUB P.b 1\r\nPUB P.a 2\r\nhi\r\nPUB P.b 0\r\n\r\nPING\r\n"),
    Script("SUB P.a q abc-9\r\nPUB P.a 2\r\nhi\r\nPING\r\n"),
    Script("SUB P.* 1\r\nPUB P.a 0\r\n\r\nPUB P.a.b 0\r\n\r\nPING\r\n"),
    Script("SUB P.x.> 1\r\nPUB P.x.a 0\r\n\r\nPUB P.x.a.b 0\r\n\r\nPING\r\n"),
    Script("SUB P.x.*.c 1\r\nPUB P.x.a.b 0\r\n\r\nPUB P.x.a.c 0\r\n\r\nPING\r\n"),
    Script("SUB P.a 1\r\nPUB P.a 0\r\n\r\nPING\r\n", options: Script.silent),
    // Refusals after which the connection continues.
    Script("SUB x 1\r\nSUB > 1\r\nPUB x 0\r\n\r\nPING\r\n"),
    Script("SUB P..b 1\r\nSUB P.a.>.b 1\r\nPING\r\n"),
    Script(
      (1...10).map { "SUB P.a\($0) \($0)\r\n" }.joined() + "UNSUB 1\r\nSUB P.z 11\r\nPING\r\n"),
    Script("PUB P.a 65536\r\n" + String(repeating: "x", count: 65536) + "\r\nPING\r\n"),
    // Violations that end it.
    Script("PUB P.a 65537\r\n"), Script("FOO\r\n"), Script("GET / HTTP/1.1\r\n\r\n"),
    Script("SUB P.a 1\r\nPUB P.a 2\r\nhi\r\nPUB P.a 2\r\nhixx"),
    Script("SUB " + String(repeating: "a", count: 4095) + " 1\r\n"),
    // Connecting.
    Script(named: "nothing") { _, _ in "PING\r\n" },
    Script(named: "no key") { _, _ in "CONNECT {}\r\nPING\r\n" },
    Script(named: "another key") { nonce, _ in
      try Greeting(key: .init()).line(nonce: nonce) + "PING\r\n"
    },
    Script(named: "another nonce's signature") { nonce, greeting in
      try greeting.line(nonce: nonce + "x") + "PING\r\n"
    },
  ]

  @Test("Both answer every script alike, introduce themselves alike, and end strangers alike")
  func scripts() async throws {
    let key = AdmissionKey()
    let greeting = Greeting(key: key)
    let subjects = "[\"\(greeting.prefix).>\", \"_INBOX.>\"]"
    let settings = """
      max_payload: 65536
      max_control_line: 4096
      max_subscriptions: 8
      ping_interval: "120s"
      authorization {
        timeout: 2
        users = [{
            nkey: \(greeting.nkey)
            permissions: { publish: \(subjects), subscribe: \(subjects) }
          }]
      }
      """
    var configuration = RelayConfiguration(admission: .only([key.publicKey]), host: "127.0.0.1")
    configuration.limits.subscriptionsPerConnection = 8
    // The server's own times: it greets at once.
    configuration.limits.greetingDelay = .milliseconds(10)
    configuration.limits.authorizationTimeout = .seconds(2)
    // These clients don't answer.
    configuration.limits.pingInterval = .seconds(120)
    try await NATSServer.run(settings) { server in
      try await withRelay(configuration) { relay in
        let ports = [try #require(relay.boundPort), server.port]
        for script in Self.scripts {
          let answers = try await onThread {
            try ports.map { try Self.transcript(script, port: $0, greeting) }
          }.get()
          #expect(answers[0] == answers[1], "\(script.name.prefix(200).debugDescription)")
        }
        let (information, ends) = try await onThread {
          let sockets = try ports.map { try PlainSocket(port: $0) }
          return (try sockets.map { try $0.readInfo() }, try sockets.map { try $0.readToEnd() })
        }.get()
        // There are no message headers, and a version of Go has no meaning.
        for name in information[1].keys where name != "go" && name != "headers" {
          #expect(information[0][name] != nil, "\(name) is missing")
        }
        for name in ["proto", "auth_required", "max_payload", "client_ip"] {
          #expect(information[0][name] == information[1][name], "\(name)")
        }
        #expect(try #require(information[0]["nonce"]).utf8.count >= 22)
        #expect(ends[0] == ends[1] && ends[0] == Array("-ERR 'Authentication Timeout'\r\n".utf8))
      }
    }
  }

  /// Returns all that a server sent after INFO, up to the end of the connection.
  private static func transcript(
    _ script: Script, port: Int, _ greeting: Greeting
  ) throws -> String {
    let socket = try PlainSocket(port: port)
    let text = try script.text(try socket.readNonce(), greeting)
    socket.send(text.replacingOccurrences(of: "P.", with: greeting.prefix + "."))
    socket.finish()
    return String(decoding: try socket.readToEnd(), as: UTF8.self)
  }
}
