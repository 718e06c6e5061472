import Testing

@testable import Relay

@Suite("The monitor's requests")
struct MonitorRequestTests {
  private func outcome(_ bytes: [UInt8]) -> MonitorRequestParser.Outcome {
    var parser = MonitorRequestParser()
    return parser.append(bytes)
  }

  private func outcome(_ text: String) -> MonitorRequestParser.Outcome { outcome(Array(text.utf8)) }

  @Test("A request is read, whatever its method, its fields and the bytes behind it")
  func requests() {
    let expected: [(String, String, String)] = [
      ("GET /varz HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/varz"),
      ("GET /varz?a=?b HTTP/1.0\r\n\r\n", "GET", "/varz"),
      ("\r\n\r\nHEAD / HTTP/1.1\r\nA:\r\nB: \t\u{e9} :\r\n\r\n", "HEAD", "/"),
      ("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\n\0\0\0", "POST", "/x"),
      ("OPTIONS * HTTP/1.1\r\n\r\n", "OPTIONS", "*"),
      ("GET / HTTP/1.1\r\n\r\nGET /second HTTP/1.1\r\n\r\n", "GET", "/"),
      ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 16_000))\r\n\r\n", "GET", "/"),
    ]
    for (text, method, path) in expected {
      #expect(
        outcome(text) == .request(MonitorRequest(method: method, path: path)),
        "\(text.debugDescription)")
    }
  }

  @Test("Bytes that the grammar doesn't allow are refused at once")
  func refusals() {
    let start = "GET / HTTP/1.1\r\n"
    let texts = [
      "\u{1}", "\u{16}\u{3}\u{1}", " GET", "GET\t", "GET  ", "GET /a b", "GET /\r", "GET /\u{e9}",
      "GET / HTTP/2", "GET / http", "GET / HTTP/1.2", "GET / HTTP/1.11", "GET / HTTP/1.1\n",
      "\(start) A: folded", "\(start):", "\(start)A :", "\(start)A\r", "\(start)A: b\n",
      "\(start)A: b\rC", "\(start)A: \0", "\(start)A: \u{7f}", "\(start)\rx", "\(start)\n",
    ]
    for text in texts { #expect(outcome(text) == .malformed, "\(text.debugDescription)") }
    for length in [20_000, 200_000] {
      let much = String(repeating: "x", count: length)
      for text in ["GET /\(much)", "\(start)A: \(much)", much, "\(start)\(much)"] {
        #expect(outcome(text) == .malformed)
      }
      #expect(outcome(String(repeating: "\r\n", count: length)) == .malformed)
    }
  }

  @Test("The result is the same however the bytes were split")
  func splits() {
    let texts = [
      "GET /varz HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\nmore",
      "GET / HTTP/1.1\r\nA: b\rC\r\n\r\n",
      "\r\nHEAD / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost",
    ]
    for text in texts {
      let bytes = Array(text.utf8)
      for first in 0...bytes.count {
        var parser = MonitorRequestParser()
        _ = parser.append(bytes[..<first])
        #expect(parser.append(bytes[first...]) == outcome(text), "split at \(first)")
      }
      var parser = MonitorRequestParser()
      for byte in bytes { _ = parser.append([byte]) }
      #expect(parser.append([]) == outcome(text))
    }
  }

  @Test("An answer has its length, ends the connection, and leaves out the body for HEAD")
  func answers() {
    let pages = [
      MonitorPage.badRequest, .methodNotAllowed, MonitorPage(path: "/", report: nil),
    ]
    for page in pages {
      let full = String(decoding: page.response(withBody: true), as: UTF8.self)
      let head = String(decoding: page.response(withBody: false), as: UTF8.self)
      #expect(full == head + page.body && head.hasSuffix("\r\nConnection: close\r\n\r\n"))
      #expect(head.hasPrefix("HTTP/1.1 \(page.status) "))
      #expect(head.contains("\r\nContent-Length: \(page.body.utf8.count)\r\n"))
    }
    let request = MonitorRequest(method: "PUT", path: "/varz")
    #expect(MonitorPage(answering: request) { nil } == .methodNotAllowed)
  }
}
