import Testing

@testable import Relay

@Suite("The protocol parser")
struct ProtocolParserTests {
  /// Returns a parser's result for some bytes: its operations as text, then the violation if any.
  static func outcome(
    of pieces: some Sequence<ArraySlice<UInt8>>, headers: Bool = true, awaiting: Bool = false
  ) -> [String] {
    var parser = ProtocolParser(
      controlLineLimit: 64, payloadLimit: 32, isAwaitingAuthorization: awaiting)
    parser.allowsHeaders = headers
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

  static func outcome(of text: String, headers: Bool = true, awaiting: Bool = false) -> [String] {
    outcome(of: [Array(text.utf8)[...]], headers: headers, awaiting: awaiting)
  }

  static func describe(_ operation: ClientOperation) -> String {
    switch operation {
    case .simple(let simple): "\(simple)"
    case .connect(let json): "connect \(text(json))"
    case .info(let json): "info \(text(json))"
    case .subscribe(let arguments):
      "sub \(arguments.subject) \(text(arguments.group ?? [])) \(text(arguments.sid))"
    case .unsubscribe(let arguments):
      "unsub \(text(arguments.sid)) \(arguments.maximum.map { "\($0)" } ?? "-")"
    case .publish(let message):
      "pub \(message.subject) \(message.reply?.description ?? "-") "
        + "\(message.headers.map(text) ?? "-") \(text(message.payload))"
    }
  }

  static func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  @Test("It understands each operation in its forms")
  func operations() {
    let expected: [(String, [String])] = [
      ("PING\r\n", ["ping"]), ("ping\n", ["ping"]), ("PiNg whatever \r\n", ["ping"]),
      ("PONG\r\n+OK\r\n", ["pong", "ok"]), ("CONNECT {\"a\":1}\r\n", ["connect {\"a\":1}"]),
      ("CONNECT{}\r\n", ["connect {}"]), ("INFO {}\r\n", ["info {}"]),
      ("SUB a 1\r\n", ["sub a  1"]), ("sub\ta\tq \t 1 \r\n", ["sub a q 1"]),
      ("UNSUB 1\r\n", ["unsub 1 -"]), ("UNSUB 1 5\r\n", ["unsub 1 5"]),
      ("UNSUB 1 x\r\n", ["unsub 1 -"]),
      ("PUB a 2\r\nhi\r\n", ["pub a - - hi"]), ("PUB a r 2\r\nhi\r\n", ["pub a r - hi"]),
      ("PUB a 0\r\n\r\n", ["pub a - - "]), ("PUB a 4\r\n\r\n\r\n\r\n", ["pub a - - \r\n\r\n"]),
      ("HPUB a 2 4\r\nXXhi\r\n", ["pub a - XX hi"]),
      ("HPUB a r 2 2\r\nXX\r\n", ["pub a r XX "]),
    ]
    for (text, operations) in expected {
      #expect(Self.outcome(of: text) == operations, "\(text.debugDescription)")
    }
  }

  @Test("It refuses an invalid operation as nats-server does")
  func violations() {
    let expected: [(String, ProtocolViolation)] = [
      ("X", .unknownOperation), ("PUX", .unknownOperation), ("\r\n", .unknownOperation),
      (" PING\r\n", .unknownOperation), ("\0", .unknownOperation), ("SUB\r\n", .unknownOperation),
      ("SUBX", .unknownOperation), ("GET / HTTP/1.1\r\n", .unknownOperation),
      ("MSG a 1 0\r\n", .unknownOperation), ("SUB a\r\n", .malformed), ("SUB \r\n", .malformed),
      ("SUB a b c d\r\n", .malformed), ("UNSUB 1 2 3\r\n", .malformed), ("PUB a\r\n", .malformed),
      ("PUB a b c 1\r\n", .malformed), ("PUB a -1\r\n", .malformed), ("PUB a x\r\n", .malformed),
      ("PUB a 99999999999999999999999\r\n", .malformed), ("PUB a 33\r\n", .payloadExceeded),
      ("HPUB a 4 2\r\n", .malformed), ("HPUB a 2\r\n", .malformed),
      ("PUB a 2\r\nhix", .unknownOperation), ("PUB a 2\r\nhi\rx", .unknownOperation),
      ("-ERR 'x'\r\n", .clientError), ("-ERR\r\n", .unknownOperation),
      ("SUB " + String(repeating: "a", count: 65), .controlLineExceeded),
      ("SUB " + String(repeating: "a", count: 63) + " 1\r\n", .controlLineExceeded),
      ("CONNECT " + String(repeating: "a", count: 65), .controlLineExceeded),
    ]
    for (text, violation) in expected {
      #expect(Self.outcome(of: text) == ["\(violation)"], "\(text.debugDescription)")
    }
    #expect(Self.outcome(of: "HPUB a 2 4\r\n", headers: false) == ["malformed"])
  }

  @Test("It accepts only CONNECT before the client is admitted")
  func awaiting() {
    for text in ["P", "PING\r\n", "X", "SUB a 1\r\n", "\0", "+OK\r\n"] {
      #expect(Self.outcome(of: text, awaiting: true) == ["authorizationViolation"], "\(text)")
    }
    #expect(Self.outcome(of: "CONNECT {}\r\n", awaiting: true) == ["connect {}"])
    #expect(Self.outcome(of: "CX", awaiting: true) == ["unknownOperation"])
  }

  @Test("It accepts a line of the greatest length, whatever its line end")
  func longestLine() {
    let argument = String(repeating: "a", count: 62)
    #expect(Self.outcome(of: "SUB \(argument) 1\r\n") == ["sub \(argument)  1"])
    #expect(Self.outcome(of: "SUB \(argument) 1\n") == ["sub \(argument)  1"])
    #expect(Self.outcome(of: "SUB \(argument) 1\r") == [])
    // Blanks before the arguments don't count.
    let blanks = String(repeating: " ", count: 200)
    #expect(Self.outcome(of: "SUB \(blanks)\(argument) 1\r\n") == ["sub \(argument)  1"])
  }

  /// Good and bad streams, each with its result in one piece.
  static let streams = [
    "CONNECT {\"verbose\":false}\r\nPING\r\nSUB a.> q 1\r\nPUB a.b r 5\r\nhello\r\nUNSUB 1 2\r\n",
    "hpub a 4 9\r\nHEADhello\r\npub b 0\r\n\r\nping  x\r\npong\r\n+ok\r\ninfo {}\r\nsub \t a 1\r\n",
    "PUB a 4\r\n\r\n\r\n\r\nPING\r\nPUB a 3\r\nabcd\r\n", "PING\r\nSUB a\r\nPING\r\n",
    "PING\r\nSUB " + String(repeating: "x", count: 80) + "\r\n", "PUB a 2\r\nhiPING\r\n",
    "SUB a 1\r\nFOO\r\n", "PUB a 33\r\n", "-ERR 'no'\r\nPING\r\n", "UNSUB \r\n",
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
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "PUB a 3\r\nabc\r\n", "SUB a q 1\r\n", "HPUB a 2 4\r\nXXhi\r\n", "PING\r\n", "PUB ", "SUB ",
      "a ", "1", "9", "\r\n", "\r", "\n", " ", "\t", "{", "\0", "-ERR ", "CONNECT ",
    ]
    var operations = 0
    for _ in 0..<200 {
      var parser = ProtocolParser(
        controlLineLimit: 64, payloadLimit: 32, isAwaitingAuthorization: false)
      parser.allowsHeaders = true
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
