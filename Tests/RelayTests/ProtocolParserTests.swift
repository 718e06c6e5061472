import NIOCore
import Testing

@testable import Relay

@Suite("The NATS protocol parser")
struct ProtocolParserTests {
  static let script =
    "CONNECT {\"a\":1}\r\nPING\r\nSUB foo.* q 1\r\nSUB bar 2\r\nUNSUB 1 5\r\nUNSUB 2\r\n"
    + "PUB foo.x 5\r\nhello\r\nPUB foo.x reply.1 0\r\n\r\nHPUB a 12 17\r\nNATS/1.0\r\n\r\nhello\r\npong\r\n"

  static let operations: [ClientOperation] = [
    .connect(ByteBuffer(string: "{\"a\":1}")), .ping,
    .subscribe(subject: "foo.*", queue: "q", sid: "1"),
    .subscribe(subject: "bar", queue: nil, sid: "2"), .unsubscribe(sid: "1", max: 5),
    .unsubscribe(sid: "2", max: nil),
    .publish(
      subject: "foo.x", reply: nil, headerLength: nil, payload: ByteBuffer(string: "hello")),
    .publish(subject: "foo.x", reply: "reply.1", headerLength: nil, payload: ByteBuffer()),
    .publish(
      subject: "a", reply: nil, headerLength: 12,
      payload: ByteBuffer(string: "NATS/1.0\r\n\r\nhello")), .pong,
  ]

  func parse(_ pieces: [String], payloadLimit: Int = 1024) throws -> [ClientOperation] {
    var parser = ProtocolParser(payloadLimit: payloadLimit)
    var operations: [ClientOperation] = []
    for piece in pieces {
      parser.feed(ByteBuffer(string: piece))
      while let operation = try parser.next() { operations.append(operation) }
    }
    return operations
  }

  @Test("However the network splits the bytes, the operations are the same")
  func splits() throws {
    #expect(try parse([Self.script]) == Self.operations)
    #expect(try parse(Self.script.unicodeScalars.map { String($0) }) == Self.operations)
    let bytes = Array(Self.script.utf8)
    for cut in 1..<bytes.count {
      let pieces = [bytes[..<cut], bytes[cut...]].map { String(decoding: $0, as: UTF8.self) }
      #expect(try parse(pieces) == Self.operations, "cut at \(cut)")
    }
  }

  @Test(
    "What isn't the protocol is refused",
    arguments: [
      ("FOO bar\r\n", ProtocolViolation.unknownOperation),
      ("GET / HTTP/1.1\r\n", .unknownOperation),
      ("PUB a 3\r\nhello\r\n", .unknownOperation),
      ("PUB a 99999\r\n", .payloadTooLarge),
      ("PUB a -1\r\n", .malformedArguments),
      ("PUB a\r\n", .malformedArguments),
      ("SUB a\r\n", .malformedArguments),
      ("HPUB a 9 3\r\n", .malformedArguments),
      ("SUB " + String(repeating: "a", count: 5000) + " 1\r\n", .controlLineTooLong),
      ("SUB " + String(repeating: "a", count: 5000), .controlLineTooLong),
    ])
  func violations(bytes: String, violation: ProtocolViolation) {
    #expect(throws: violation) { try parse([bytes]) }
  }
}

@Suite("The index of subjects")
struct SubjectIndexTests {
  @Test(
    "Wildcards match as in NATS",
    arguments: [
      ("a.b", "a.b", true), ("a.b", "a.c", false), ("a.*", "a.b", true), ("a.*", "a.b.c", false),
      ("a.>", "a.b", true), ("a.>", "a.b.c", true), ("a.>", "a", false), (">", "a.b", true),
      ("*.b", "a.b", true), ("*.b", "a.c", false), ("*.*", "a.b", true), ("a.*.c", "a.b.c", true),
    ])
  func matching(pattern: String, subject: String, matches: Bool) {
    var index = SubjectIndex<Int>()
    index.insert(1, subject: pattern)
    #expect(index.matches(subject).contains(1) == matches)
    index.remove(1, subject: pattern)
    #expect(index.matches(subject).isEmpty)
    #expect(index.count == 0)
  }

  @Test("Subjects are checked as nats-server does")
  func validity() {
    for subject in ["a", "a.b", "a.*", "a.>", ">"] { #expect(Subject.isValid(subject)) }
    for subject in ["", ".a", "a.", "a..b", "a.>.b"] { #expect(!Subject.isValid(subject)) }
    #expect(!Subject.isLiteral("a.*"))
    #expect(!Subject.isWithin("matinee.aa.x", prefix: "matinee.a"))
    #expect(Subject.isWithin("matinee.a.>", prefix: "matinee.a"))
    #expect(!Subject.isWithin(">", prefix: "matinee.a"))
  }
}
