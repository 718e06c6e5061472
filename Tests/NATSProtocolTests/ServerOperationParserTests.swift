import Testing

@testable import NATSProtocol

@Suite("The parser of server operations")
struct ServerOperationParserTests {
  /// Returns a parser's result for some bytes: its operations as text, then the violation if any.
  private static func outcome(of text: String, chunk: Int = 4096) -> [String] {
    var parser = ServerOperationParser()
    var rest = Array(text.utf8)[...]
    var result: [String] = []
    do throws(ProtocolViolation) {
      while !rest.isEmpty {
        parser.append(Array(rest.prefix(chunk)))
        rest = rest.dropFirst(chunk)
        while let operation = try parser.next() { result.append(describe(operation)) }
      }
    } catch {
      result.append("\(error)")
    }
    return result
  }

  private static func describe(_ operation: ServerOperation) -> String {
    switch operation {
    case .ping: "ping"
    case .pong: "pong"
    case .ok: "ok"
    case .info(let info): "info \(info.identifier ?? "")"
    case .message(let message):
      "\(message.subject) \(message.sid) \(String(decoding: message.payload, as: UTF8.self))"
    case .error(let error): "\(error.kind) \(error.text)"
    }
  }

  @Test(
    "It understands each operation",
    arguments: [
      ("PING\r\n", ["ping"]), ("PONG\r\n+OK\r\n", ["pong", "ok"]),
      ("INFO {\"server_id\":\"x\",\"unknown\":[1]} \r\n", ["info x"]),
      ("MSG a.b 12 2\r\nhi\r\n", ["a.b 12 hi"]), ("MSG a 1 0\r\n\r\n", ["a 1 "]),
      ("MSG a 1 _INBOX.x 4\r\n\r\n\r\n\r\n", ["a 1 \r\n\r\n"]),
      ("-ERR 'Authorization Violation'\r\n", ["authorization Authorization Violation"]),
      (
        "-ERR 'Permissions Violation for Subscription to \"a.>\"'\r\n",
        ["subscriptionRefused(\"a.>\") Permissions Violation for Subscription to \"a.>\""]
      ),
      (
        "-ERR 'Permissions Violation for Publish to \"x\"'\r\n",
        ["publishRefused Permissions Violation for Publish to \"x\""]
      ),
      ("-ERR 'User Authentication Expired'\r\n", ["authorization User Authentication Expired"]),
      ("-ERR 'Authentication Timeout'\r\n", ["other Authentication Timeout"]),
      ("-ERR 'Stale Connection'\r\n", ["staleConnection Stale Connection"]),
      ("-ERR x\r\n", ["other x"]), ("-ERR '\r\n", ["other '"]),
    ])
  func operations(text: String, operations: [String]) {
    #expect(Self.outcome(of: text) == operations)
  }

  private static let hostile = [
    "MSG a 1 2147483647\r\nxx", "MSG a 1 2147483630\r\nxx", "HMSG a 1 12 2147483647\r\nxx",
    "HMSG a 1 2147483647 2147483647\r\nxx", "MSG a 1 1500000000\r\nxx", "MSG a 1 6\r\nxxxxxx\r\n",
    "PING\r\nMSG a 1 9223372036854775807\r\n", "MSG a 1 99999999999999999999999\r\nxx",
    "MSG a 1 -5\r\nxx", "MSG a 1 +5\r\n", "MSG a 1 \r\n", "MSG a 1\r\n", "MSG a x 0\r\n\r\n",
    "MSG a 1 r s 5\r\nxxxxx\r\n", "msg a 1 2147483647\r\nxx", "MSG\ta\t1\t2147483647\r\nxx",
    "HMSG a 1 9 5\r\nxxxxx\r\n", "MSG a 1 3\r\nxxxMSG a 1 2147483647\r\n",
    "MSG a 1 3\r\nxxx\rMSG a 1 2147483647\r\n", "PING x\r\n", "PINGMSG a 1 2147483647\r\n",
    "+OK\rMSG a 1 2147483647\r\n", "GET / HTTP/1.1\r\n", "\r\n", "\n", "\0\r\n", "-ERR\r\n",
    "INFO {\"max_payload\":-1}\r\n", "INFO {\"max_payload\":\"x\"}\r\n", "INFO x\r\n", "INFO\r\n",
  ]

  @Test(
    "A hostile server's bytes are refused, however they are split", arguments: hostile,
    [1, 2, 7, 4096])
  func refused(text: String, chunk: Int) {
    let before = "INFO {\"max_payload\":5}\r\nPONG\r\nMSG a 1 0\r\n\r\n"
    let accepted = Self.outcome(of: before, chunk: chunk)
    #expect(accepted == ["info ", "pong", "a 1 "])
    let all = Self.outcome(of: before + text, chunk: chunk)
    #expect(all.last.map(["unknownOperation", "malformed", "payloadExceeded"].contains) == true)
    #expect(all.count <= accepted.count + 2)
  }

  @Test(
    "Endless lines are refused before they take memory", arguments: ["MSG ", "INFO ", "x", "-ERR "])
  func endless(start: String) {
    var parser = ServerOperationParser()
    let part = Array(start.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 8192)
    let violation = #expect(throws: ProtocolViolation.self) {
      for _ in 0..<1000 {
        parser.append(part)
        _ = try parser.next()
      }
    }
    #expect(violation != nil)
    #expect(parser.bufferedBytes <= ServerOperationParser.infoLimit + 2 * part.count)
  }

  @Test("A message is held to the program's own limit, whatever the server announces")
  func greatestMessage() {
    let limit = ServerOperationParser.messageLimit
    let info = "INFO {\"max_payload\":999999999}\r\n"
    #expect(Self.outcome(of: info + "MSG a 1 \(limit)\r\n") == ["info "])
    #expect(Self.outcome(of: info + "MSG a 1 \(limit + 1)\r\n") == ["info ", "payloadExceeded"])
    let usual = ServerOperationParser.usualMessageLimit
    #expect(
      Self.outcome(of: "INFO {}\r\nMSG a 1 \(usual + 1)\r\n") == ["info ", "payloadExceeded"])
  }

  @Test(
    "The bytes of real servers pass, however they are split", arguments: [1, 2, 3, 1000, 1 << 20])
  func honest(chunk: Int) {
    let payload = String(repeating: "MSG a 1 9999999\r\n", count: 4000)
    let text = """
      INFO {"server_id":"x","max_payload":1048576,"connect_urls":["[::1]:4222"]} \r\nPING\r\nPONG\r\n+OK\r
      -ERR 'Permissions Violation for Subscription to "a.>"'\r\nMSG a.b 12 \(payload.utf8.count)\r\n\(payload)\r
      MSG a.b 12 _INBOX.x 0\r\n\r\nINFO {"ldm":true}\r\nPING\r\n
      """
    let outcome = Self.outcome(of: text, chunk: chunk)
    #expect(outcome.count == 9)
    #expect(outcome[5] == "a.b 12 \(payload)")
    #expect(outcome.last == "ping")
  }
}

@Suite("What a client sends")
struct ClientOperationTests {
  @Test("A server parses each operation as it was")
  func roundTrip() throws {
    let operations: [ClientOperation] = [
      .ping, .pong, .subscribe(Subject("a.>"), group: nil, sid: [49]),
      .subscribe(Subject("a.*"), group: Array("g".utf8), sid: [50]), .unsubscribe(sid: [50]),
      .publish(ClientMessage(subject: Subject("a"), payload: [])),
      .publish(ClientMessage(subject: Subject("a.b"), payload: [13, 10, 0, 255])),
    ]
    var parser = ClientOperationParser(
      lineLimit: 64, payloadLimit: 32, isAwaitingAuthorization: false)
    for operation in operations {
      parser.append(operation.bytes)
      #expect(try parser.next() == operation)
    }
    #expect(parser.bufferedBytes == 0)
  }

  @Test("CONNECT asks for no echo, no answers and no headers")
  func connect() throws {
    var options = ConnectOptions()
    options.nkey = "U"
    options.token = "t"
    let text = String(decoding: try options.json(), as: UTF8.self)
    for member in [
      #""echo":false"#, #""verbose":false"#, #""pedantic":false"#, #""headers":false"#,
      #""protocol":1"#, #""nkey":"U""#, #""auth_token":"t""#,
    ] { #expect(text.contains(member), "\(member)") }
    #expect(!text.contains("jwt"))
    #expect(try ConnectOptions(json: options.json()[...]) == options)
  }
}
