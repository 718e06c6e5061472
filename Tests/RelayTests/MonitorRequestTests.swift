import Testing

@testable import Relay

@Suite("The monitor's requests")
struct MonitorRequestTests {
  private func outcome(_ text: String) -> MonitorRequestParser.Outcome {
    var parser = MonitorRequestParser()
    return parser.append(text.utf8)
  }

  @Test(
    "A request is read, whatever its method, its fields and the bytes behind it",
    arguments: [
      ("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/metrics"),
      ("GET /metrics?a=?b HTTP/1.0\r\n\r\n", "GET", "/metrics"),
      ("HEAD / HTTP/1.1\r\nA:\r\nB: \t\u{e9} :\r\n\r\n", "HEAD", "/"),
      ("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\n\0\0\0", "POST", "/x"),
      ("GET / HTTP/1.1\r\n\r\nGET /second HTTP/1.1\r\n\r\n", "GET", "/"),
      ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 16_000))\r\n\r\n", "GET", "/"),
    ])
  func requests(text: String, method: String, path: String) {
    #expect(outcome(text) == .request(MonitorRequest(method: method, path: path)))
  }

  @Test(
    "Bytes that are no request are refused, and so is a long head",
    arguments: [
      "\u{1}", "\u{16}\u{3}\u{1}", " GET", "\r\nGET / HTTP/1.1\r\n\r\n", "GET\r\n\r\n",
      "GET  HTTP/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n", "GET /\u{e9} HTTP/1.1\r\n\r\n",
      "GET / HTTP/2\r\n\r\n", "GET / http\r\n\r\n", "GET / HTTP/1.1\nA: b\r\n\r\n",
      "GET /" + String(repeating: "x", count: 20_000), String(repeating: "x", count: 200_000),
      "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 20_000),
    ])
  func refusals(text: String) {
    #expect(outcome(text) == .malformed)
  }

  @Test("The result is the same however the bytes were split")
  func splits() {
    let texts = [
      "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\nmore", "HEAD / HTTP/1.0\r\n\r\n",
      "GET / HTTP/1.1\r\nHost",
    ]
    for text in texts {
      let bytes = Array(text.utf8)
      for first in 0...bytes.count {
        var parser = MonitorRequestParser()
        _ = parser.append(bytes[..<first])
        #expect(parser.append(bytes[first...]) == outcome(text), "split at \(first)")
      }
    }
  }

  @Test("An answer has its length, ends the connection, and leaves out the body for HEAD")
  func answers() {
    func page(_ method: String) -> MonitorPage {
      MonitorPage(answering: MonitorRequest(method: method, path: "/metrics")) { nil }
    }
    let pages = [(MonitorPage.badRequest, "400"), (page("PUT"), "405"), (page("GET"), "503")]
    for (page, status) in pages {
      let full = String(decoding: page.response(withBody: true), as: UTF8.self)
      let head = String(decoding: page.response(withBody: false), as: UTF8.self)
      #expect(full == head + page.body && head.hasSuffix("\r\nConnection: close\r\n\r\n"))
      #expect(head.hasPrefix("HTTP/1.1 \(status) "))
      #expect(head.contains("\r\nContent-Length: \(page.body.utf8.count)\r\n"))
    }
  }
}
