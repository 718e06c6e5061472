import BrokerTesting
import Foundation
import GroupActivities
import Logging
import Testing

@testable import Relay

/// The same bytes to the relay and to a real `nats-server` with the same configuration: the answers
/// have to be the same, byte for byte.
@Suite("The relay and nats-server")
struct DifferentialTests {
  /// A client's text, with the nonce that it was given; sent piece by piece.
  struct Script: Sendable {
    let name: String
    let pieces: @Sendable (_ nonce: String, _ greeting: Greeting) throws -> [String]

    /// Makes a script that begins with a proper CONNECT.
    init(_ text: String, options: String = Script.plain) {
      name = options == Script.plain ? text : "[\(options)] \(text)"
      pieces = { nonce, greeting in
        var greeting = greeting
        greeting.options = options
        return [try greeting.line(nonce: nonce) + Script.expand(text, greeting)]
      }
    }

    init(
      named name: String,
      _ pieces: @escaping @Sendable (_ nonce: String, _ greeting: Greeting) throws -> [String]
    ) {
      self.name = name
      self.pieces = pieces
    }

    /// Replaces `P` in the text by the party's prefix.
    static func expand(_ text: String, _ greeting: Greeting) -> String {
      text.replacingOccurrences(of: "P.", with: greeting.prefix + ".")
    }

    static let plain = #""verbose":false,"pedantic":false,"headers":true,"no_responders":true"#
    static let verbose = #""verbose":true,"pedantic":false,"headers":true,"no_responders":true"#
    static let pedantic = #""verbose":false,"pedantic":true,"headers":true,"no_responders":true"#
    static let silent =
      #""verbose":false,"pedantic":false,"echo":false,"headers":true,"no_responders":true"#
    static let simple = #""verbose":false,"pedantic":false"#
  }

  private let key = AdmissionKey()

  @Test("Both answer every script alike")
  func scripts() async throws {
    let greeting = Greeting(key: key)
    try await withBoth { relay, server in
      for script in Self.scripts {
        let (ours, theirs) = await (
          try onThread { try Self.transcript(script, port: relay, greeting) }.get(),
          try onThread { try Self.transcript(script, port: server, greeting) }.get()
        )
        #expect(ours == theirs, "\(script.name.prefix(200).debugDescription)")
      }
    }
  }

  /// `nats-server` can't be configured so: its permissions are patterns that a subscription has to
  /// lie within, and any that allows `_INBOX.x` allows `_INBOX.*`. It keeps users from others'
  /// inboxes by a prefix for each user, but members of a party share one key.
  @Test("Only the relay refuses a wildcard that matches subjects of other members")
  func stricter() async throws {
    let greeting = Greeting(key: key)
    try await withBoth { relay, server in
      for text in PermissionTests.refused {
        let script = Script("SUB \(text) 1\r\nPING\r\n")
        let (ours, theirs) = await (
          try onThread { try Self.transcript(script, port: relay, greeting) }.get(),
          try onThread { try Self.transcript(script, port: server, greeting) }.get()
        )
        let subject = Script.expand(text, greeting)
        #expect(
          ours == "-ERR 'Permissions Violation for Subscription to \"\(subject)\"'\r\nPONG\r\n")
        #expect(theirs == "PONG\r\n", "\(text)")
      }
    }
  }

  @Test("Both allow members the same other subscriptions")
  func alike() async throws {
    let greeting = Greeting(key: key)
    try await withBoth { relay, server in
      for text in PermissionTests.allowed {
        let script = Script("SUB \(text) 1\r\nPING\r\n")
        for port in [relay, server] {
          let answer = try await onThread {
            try Self.transcript(script, port: port, greeting)
          }.get()
          #expect(answer == "PONG\r\n", "\(text)")
        }
      }
    }
  }

  @Test("Both introduce themselves alike")
  func info() async throws {
    try await withBoth { relay, server in
      let (ours, theirs) = try await onThread {
        (try PlainSocket(port: relay).readInfo(), try PlainSocket(port: server).readInfo())
      }.get()
      // The relay doesn't imitate the version of Go that a server was built with.
      for name in theirs.keys where name != "go" {
        #expect(ours[name] != nil, "\(name) is missing")
      }
      for name in ["proto", "headers", "auth_required", "max_payload", "client_ip"] {
        #expect(ours[name] == theirs[name], "\(name)")
      }
      let nonce = try #require(ours["nonce"])
      #expect(nonce.utf8.count >= 22)
    }
  }

  @Test("Both refuse a connection alike if there are too many")
  func tooMany() async throws {
    try await withBoth { relay, server in
      for port in [relay, server] {
        let greeting = Greeting(key: key)
        let last = try await onThread {
          // The limit is 4; each is admitted before the next one comes.
          let full = try (0..<4).map { _ in
            let socket = try PlainSocket(port: port)
            try socket.greet(greeting)
            return socket
          }
          defer { withExtendedLifetime(full) {} }
          let socket = try PlainSocket(port: port)
          return String(decoding: try socket.readToEnd(), as: UTF8.self)
        }.get()
        #expect(last.hasPrefix("INFO "))
        #expect(last.hasSuffix("\r\n-ERR 'maximum connections exceeded'\r\n"), "\(port == relay)")
      }
    }
  }

  @Test("Both end a connection alike that never proves its key")
  func authorizationTimeout() async throws {
    try await withBoth { relay, server in
      for port in [relay, server] {
        let last = try await onThread {
          String(decoding: try PlainSocket(port: port).readToEnd(), as: UTF8.self)
        }.get()
        #expect(last.hasSuffix("\r\n-ERR 'Authentication Timeout'\r\n"), "\(port == relay)")
      }
    }
  }

  @Test("Both end a connection alike that doesn't answer")
  func stale() async throws {
    try await withBoth(pingSeconds: 1) { relay, server in
      let greeting = Greeting(key: key)
      async let transcripts = [relay, server].asyncMap { port in
        try await onThread {
          let socket = try PlainSocket(port: port)
          try socket.greet(greeting)
          return String(decoding: try socket.readToEnd(), as: UTF8.self)
        }.get()
      }
      for transcript in try await transcripts {
        #expect(transcript == "PING\r\nPING\r\n-ERR 'Stale Connection'\r\n")
      }
    }
  }

  // MARK: Both

  /// - Parameter pingSeconds: long by default, since these clients don't answer.
  private func withBoth(
    pingSeconds: Int = 120, _ body: (_ relay: Int, _ server: Int) async throws -> Void
  ) async throws {
    let greeting = Greeting(key: key)
    let subjects = "[\"\(greeting.prefix).>\", \"_INBOX.>\"]"
    let settings = """
      max_payload: 65536
      max_control_line: 4096
      max_subscriptions: 8
      max_connections: 4
      ping_interval: "\(pingSeconds)s"
      ping_max: 2
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
    configuration.limits.connections = 4
    configuration.limits.pingInterval = .seconds(pingSeconds)
    try await NATSServer.run(settings) { server in
      try await withRelay(configuration) { relay in
        try await body(relay.boundPort!, server.port)
      }
    }
  }

  /// Returns all that a server sent after INFO, up to the end of the connection.
  private static func transcript(
    _ script: Script, port: Int, _ greeting: Greeting
  ) throws -> String {
    let socket = try PlainSocket(port: port)
    let nonce = try socket.readNonce()
    for piece in try script.pieces(nonce, greeting) {
      guard socket.send(piece) else { break }
    }
    socket.finish()
    return String(decoding: try socket.readToEnd(), as: UTF8.self)
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows
    -> [Value]
  {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}
