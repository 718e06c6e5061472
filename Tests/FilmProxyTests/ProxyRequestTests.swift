import Testing

@testable import FilmProxy

@Suite("Requests to the proxy")
struct ProxyRequestTests {
  private func read(_ lines: String...) throws -> ProxyRequest {
    try ProxyRequest(head: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
  }

  private func problem(_ head: String) -> ProxyRequest.Problem? {
    do {
      _ = try ProxyRequest(head: Array(head.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "The server is read from an absolute URL or from a tunnel's target",
    arguments: [
      ("GET http://Films.example/a?b#c HTTP/1.1", "films.example", 80, false),
      ("GET http://films.example:8080 HTTP/1.0", "films.example", 8080, false),
      ("HEAD HTTP://films.example:/ HTTP/1.1", "films.example", 80, false),
      ("GET http://[::FFFF:127.0.0.1]:81/x HTTP/1.1", "::ffff:127.0.0.1", 81, false),
      ("GET http://0x7f.1/ HTTP/1.1", "0x7f.1", 80, false),
      ("GET http://h?x=http://g/ HTTP/1.1", "h", 80, false),
      ("CONNECT films.example:443 HTTP/1.1", "films.example", 443, true),
      ("CONNECT [fe80::1]:65535 HTTP/1.1", "fe80::1", 65535, true),
    ])
  func destinations(line: String, host: String, port: Int, isTunnel: Bool) throws {
    let request = try read(line)
    #expect(request.destination.host == host)
    #expect(request.destination.port == port)
    #expect(request.isTunnel == isTunnel)
    #expect(request.destination.isEncrypted == isTunnel)
  }

  @Test(
    "A head that two readers may read in two ways is refused",
    arguments: [
      "GET /film HTTP/1.1", "GET * HTTP/1.1", "GET https://h/ HTTP/1.1", "GET ftp://h/ HTTP/1.1",
      "GET http:///x HTTP/1.1", "GET http://a@h/ HTTP/1.1", "GET http://a:b@h:80/ HTTP/1.1",
      "GET http://h%2e/ HTTP/1.1", "GET http://h\\@g/ HTTP/1.1", "GET http://h:0/ HTTP/1.1",
      "GET http://h:65536/ HTTP/1.1", "GET http://h:+80/ HTTP/1.1", "GET http://h:080808/ HTTP/1.1",
      "GET http://h:80:90/ HTTP/1.1", "GET http://[fe80::1%25lo]/ HTTP/1.1",
      "GET http://[::1/ HTTP/1.1", "GET http://[::1]x/ HTTP/1.1", "GET http://[]/ HTTP/1.1",
      "GET http://ho\u{455}t/ HTTP/1.1", "GET http://h/ HTTP/2", "GET http://h/", "GET  HTTP/1.1",
      "GET http://h/ x HTTP/1.1", "get http://h/ HTTP/1.1", "GET\thttp://h/ HTTP/1.1", "",
      "CONNECT h HTTP/1.1", "CONNECT h: HTTP/1.1", "CONNECT h:0 HTTP/1.1",
      "CONNECT http://h:80/ HTTP/1.1", "CONNECT a@h:80 HTTP/1.1", "CONNECT :80 HTTP/1.1",
      "CONNECT ::1:80 HTTP/1.1",
    ])
  func ambiguous(line: String) {
    #expect(problem(line + "\r\n\r\n") == .malformed)
  }

  @Test("Fields that hide others, and bodies without a length, are refused")
  func fields() {
    let line = "POST http://h/ HTTP/1.1\r\n"
    for fields in [
      "Host: h\n\r\n", "Host: h\r\n X: folded\r\n", "Host : h\r\n", ": h\r\n", "Host\r\n",
      "A: \u{0}\r\n", "A: b\rC: d\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
      "Content-Length: +1\r\n", "Content-Length: -1\r\n", "Content-Length: \r\n",
      "Content-Length: 9999999999999999\r\n", "Content-Length: 0x1\r\n",
    ] {
      #expect(problem(line + fields + "\r\n") == .malformed, "\(fields.debugDescription)")
    }
    #expect(problem(line + "Transfer-Encoding: chunked\r\n\r\n") == .unknownLength)
    #expect(problem("CONNECT h:1 HTTP/1.1\r\nContent-Length: 1\r\n\r\n") == .malformed)
    #expect(problem(line) == .malformed, "no end")
    #expect(problem(line + "\r\n\r\n") == .malformed, "more than a head")
    let long = line + "A: " + String(repeating: "x", count: ProxyRequest.headLimit) + "\r\n\r\n"
    #expect(problem(long) == .tooLong)
  }

  @Test("A head is found once, byte by byte, and has a limit")
  func heads() {
    var buffer = HeadBuffer()
    let head = "GET http://h/ HTTP/1.1\r\n\r\n"
    let early = head.utf8.dropLast().map { buffer.append([$0]) }
    #expect(early.allSatisfy { $0 == .incomplete })
    let found = buffer.append(Array("\nrest".utf8))
    #expect(found == .complete(head: Array(head.utf8), rest: Array("rest".utf8)))
    var endless = HeadBuffer()
    let long = endless.append([UInt8](repeating: 0x0D, count: ProxyRequest.headLimit - 1))
    let tooLong = endless.append([0x0A])
    #expect(long == .incomplete)
    #expect(tooLong == .tooLong)
  }

  @Test("Only the right password opens the proxy")
  func credentials() throws {
    // RFC 7617's example.
    let right = "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
    func isAuthorized(_ fields: String...) throws -> Bool {
      let head = (["GET http://h/ HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
      return try ProxyRequest(head: Array(head.utf8)).isAuthorized(by: "Aladdin:open sesame")
    }
    #expect(try isAuthorized(right))
    #expect(try !isAuthorized())
    #expect(try !isAuthorized(right, right))
    #expect(try !isAuthorized(right.replacing("Q==", with: "R==")))
    #expect(try !isAuthorized(right.replacing("Proxy-", with: "")))
  }

  @Test("The server learns nothing of the proxy, and gets one request per connection")
  func forwarded() throws {
    let request = try read(
      "GET http://films.example:8080/a?b=c#d HTTP/1.1", "Host: evil.example", "User-Agent: libmpv",
      "Connection: keep-alive", "Proxy-Authorization: Basic x", "Range: bytes=0-", "Upgrade: h2c")
    #expect(
      String(decoding: request.forwarded(to: nil), as: UTF8.self)
        == "GET /a?b=c HTTP/1.1\r\nHost: films.example:8080\r\nConnection: close\r\n"
        + "User-Agent: libmpv\r\nRange: bytes=0-\r\n\r\n")
    let proxy = try #require(UpstreamProxy("http://Aladdin:open%20sesame@proxy:3128/"))
    #expect(
      String(decoding: request.forwarded(to: proxy), as: UTF8.self)
        == "GET http://films.example:8080/a?b=c HTTP/1.1\r\nHost: films.example:8080\r\n"
        + "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\nConnection: close\r\n"
        + "User-Agent: libmpv\r\nRange: bytes=0-\r\n\r\n")
    let tunnel = try read("CONNECT films.example:443 HTTP/1.1", "Host: films.example:443")
    #expect(
      String(decoding: tunnel.forwarded(to: UpstreamProxy("http://p")), as: UTF8.self)
        == "CONNECT films.example:443 HTTP/1.1\r\nHost: films.example:443\r\n\r\n")
    #expect(
      try read("GET http://h?x HTTP/1.1").forwarded(to: nil).starts(with: Array("GET /?x ".utf8)))
  }

  @Test("The user's own proxy is used by FFmpeg's rules")
  func upstream() throws {
    let proxy = try #require(
      UpstreamProxy("http://proxy:3128", exceptions: "localhost,.lan *.example  10.0.0.1"))
    for host in ["localhost", "a.localhost", "nas.lan", "a.example", "example", "10.0.0.1"] {
      #expect(!proxy.isUsed(for: host), "\(host)")
    }
    for host in ["localhost2", "xlan", "films.test", "10.0.0.11"] {
      #expect(proxy.isUsed(for: host), "\(host)")
    }
    #expect(UpstreamProxy("http://p", exceptions: "*")?.isUsed(for: "h") == false)
    #expect(UpstreamProxy("socks5://p:1") == nil)
    #expect(UpstreamProxy("http://") == nil)
  }
}
