import Testing

import enum GroupActivities.RandomSource

@testable import NATSProtocol

@Suite("The parser of client operations")
struct ClientOperationParserTests {
  private static func parser(awaiting: Bool = false) -> ClientOperationParser {
    ClientOperationParser(lineLimit: 64, payloadLimit: 32, isAwaitingAuthorization: awaiting)
  }

  /// Returns a parser's result for some bytes: its operations as text, then the violation if any.
  private static func outcome(
    of pieces: some Sequence<ArraySlice<UInt8>>, awaiting: Bool = false
  ) -> [String] {
    var parser = parser(awaiting: awaiting)
    var result: [String] = []
    do throws(ProtocolViolation) {
      for piece in pieces {
        parser.append(Array(piece))
        while let operation = try parser.next() { result.append(describe(operation)) }
      }
    } catch {
      result.append("\(error)")
    }
    return result
  }

  private static func outcome(of text: String, awaiting: Bool = false) -> [String] {
    outcome(of: [Array(text.utf8)[...]], awaiting: awaiting)
  }

  private static func describe(_ operation: ClientOperation) -> String {
    func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    return switch operation {
    case .ping: "ping"
    case .pong: "pong"
    case .connect(let json): "connect\(text(json))"
    case .subscribe(let subject, let group, let sid):
      "sub \(subject) \(text(group ?? [])) \(text(sid))"
    case .unsubscribe(let sid): "unsub \(text(sid))"
    case .publish(let message): "pub \(message.subject) \(text(message.payload))"
    }
  }

  @Test(
    "It understands each operation",
    arguments: [
      ("PING\r\n", ["ping"]), ("PING\nPONG\r\n", ["ping", "pong"]),
      ("CONNECT {\"a\": 1}\r\n", ["connect {\"a\": 1}"]), ("SUB a 1\r\n", ["sub a  1"]),
      ("SUB\ta\tq \t 1 \r\n", ["sub a q 1"]), ("UNSUB 1\r\n", ["unsub 1"]),
      ("PUB a 2\r\nhi\r\n", ["pub a hi"]), ("PUB a 0\r\n\r\n", ["pub a "]),
      ("PUB a 4\r\n\r\n\r\n\r\n", ["pub a \r\n\r\n"]),
    ])
  func operations(text: String, operations: [String]) {
    #expect(Self.outcome(of: text) == operations)
  }

  @Test(
    "It refuses everything else",
    arguments: [
      ("X", .unknownOperation), ("\r\n", .unknownOperation), (" PING\r\n", .unknownOperation),
      ("\0", .unknownOperation), ("GET / HTTP/1.1\r\n", .unknownOperation),
      ("MSG a 1 0\r\n", .unknownOperation), ("PUX\r\n", .unknownOperation),
      ("SUBX a 1\r\n", .unknownOperation), ("ping\r\n", .unknownOperation),
      ("PING x\r\n", .unknownOperation), ("SUB\r\n", .malformed), ("SUB a\r\n", .malformed),
      ("SUB a b c d\r\n", .malformed), ("PUB a\r\n", .malformed), ("PUB a -1\r\n", .malformed),
      ("PUB a x\r\n", .malformed), ("PUB a 99999999999999999999999\r\n", .malformed),
      ("PUB a 33\r\n", .payloadExceeded), ("PUB a 2\r\nhix", .unknownOperation),
      ("PUB a 2\r\nhi\rx", .unknownOperation),
      ("SUB " + String(repeating: "a", count: 65), .controlLineExceeded),
      ("SUB " + String(repeating: "a", count: 60) + " 1\r\n", .controlLineExceeded),
      ("CONNECT " + String(repeating: "a", count: 65), .controlLineExceeded),
      // Parts of NATS that parties don't need.
      ("HPUB a 2 4\r\nXXhi\r\n", .unknownOperation), ("PUB a reply 2\r\nhi\r\n", .malformed),
      ("UNSUB 1 5\r\n", .malformed), ("+OK\r\n", .unknownOperation),
      ("-ERR 'x'\r\n", .unknownOperation),
      ("INFO {}\r\n", .unknownOperation),
    ] as [(String, ProtocolViolation)])
  func violations(text: String, violation: ProtocolViolation) {
    #expect(Self.outcome(of: text) == ["\(violation)"])
  }

  @Test("It accepts only CONNECT before the client is admitted")
  func awaiting() {
    for text in ["P", "PING\r\n", "X", "SUB a 1\r\n", "\0", "+OK\r\n"] {
      #expect(Self.outcome(of: text, awaiting: true) == ["authorizationViolation"], "\(text)")
    }
    #expect(Self.outcome(of: "CONNECT {}\r\n", awaiting: true) == ["connect {}"])
    #expect(Self.outcome(of: "CX\r\n", awaiting: true) == ["unknownOperation"])
  }

  @Test("It accepts a line of the greatest length, whatever its line end")
  func longestLine() {
    let subject = String(repeating: "a", count: 58)
    #expect(Self.outcome(of: "SUB \(subject) 1\r\n") == ["sub \(subject)  1"])
    #expect(Self.outcome(of: "SUB \(subject) 1\n") == ["sub \(subject)  1"])
    #expect(Self.outcome(of: "SUB \(subject) 1\r") == [])
  }

  /// Good and bad streams, each with its result in one piece.
  static let streams = [
    "CONNECT {\"verbose\":false}\r\nPING\r\nSUB a.> q 1\r\nPUB a.b 5\r\nhello\r\nUNSUB 1\r\n",
    "PUB a 4\r\n\r\n\r\n\r\nPING\r\nPUB a 3\r\nabcd\r\n", "PING\r\nSUB a\r\nPING\r\n",
    "PING\r\nSUB " + String(repeating: "x", count: 80) + "\r\n", "PUB a 2\r\nhiPING\r\n",
    "SUB a 1\r\nFOO\r\n", "PUB a 33\r\n", "UNSUB \r\n",
  ]

  @Test("The result is the same however the bytes were split", arguments: streams)
  func splits(stream: String) {
    let bytes = Array(stream.utf8)
    let whole = Self.outcome(of: stream)
    #expect(Self.outcome(of: bytes.indices.map { bytes[$0...$0] }) == whole)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
        #expect(Self.outcome(of: pieces) == whole, "split at \(first) and \(second)")
      }
    }
  }

  @Test("It survives any bytes, and holds no more than its limits", arguments: UInt64(0)..<20)
  func noise(seed: UInt64) {
    var random = RandomSource.seeded(seed)
    let pieces = [
      "PUB a 3\r\nabc\r\n", "SUB a q 1\r\n", "UNSUB 1\r\n", "PING\r\n", "PUB ", "SUB ",
      "a ", "1", "9", "\r\n", "\r", "\n", " ", "\t", "{", "\0", "-ERR ", "CONNECT ",
    ]
    var operations = 0
    for _ in 0..<200 {
      var parser = Self.parser()
      do throws(ProtocolViolation) {
        for _ in 0..<100 {
          // Mostly whole operations, so that the noise occurs in every state.
          let count = Int.random(in: 0..<4, using: &random) == 0 ? pieces.count : 4
          parser.append(Array(pieces[Int.random(in: 0..<count, using: &random)].utf8))
          while try parser.next() != nil { operations += 1 }
          #expect(parser.bufferedBytes <= 64 + 2 + 32, "seed \(seed)")
        }
      } catch {
        #expect(error != .authorizationViolation, "seed \(seed)")
      }
    }
    #expect(operations > 500, "seed \(seed)")
  }
}
