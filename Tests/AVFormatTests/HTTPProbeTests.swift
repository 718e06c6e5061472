import Testing

@testable import AVFormat

@Suite("A server's answer")
struct HTTPProbeTests {
  private func answer(_ lines: String...) -> HTTPProbe.Answer {
    HTTPProbe.answer(
      lines.joined(separator: "\r\n") + "\r\n\r\n", to: "http://h.example:8080/films/a.mkv?x=1")
  }

  @Test("An answer has a status, a content type, and the address of a redirection")
  func answers() {
    #expect(
      answer("HTTP/1.1 206 Partial Content", "Content-Type: Video/MP4; codecs=x")
        == .status(206, location: nil, type: "video/mp4"))
    for (target, location) in [
      ("/b.mkv", "http://h.example:8080/b.mkv"), ("b.mkv", "http://h.example:8080/films/b.mkv"),
      ("//other.example/c", "http://other.example/c"), ("ftp://x/y", "ftp://x/y"),
      ("file:///etc/passwd", "file:///etc/passwd"),
    ] {
      #expect(
        answer("HTTP/1.0 302 Found", "LOCATION: \(target)")
          == .status(302, location: location, type: nil))
    }
    #expect(answer("HTTP/1.1 200 OK", "Location: /b") == .status(200, location: nil, type: nil))
    #expect(answer("HTTP/1.1 302 Found") == .status(302, location: nil, type: nil))
  }

  @Test(
    "A nonsensical answer is reported as garbled",
    arguments: ["", "SSH-2.0-x", "HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 9999 x"])
  func nonsense(line: String) {
    #expect(answer(line) == .garbled)
  }

  @Test("Only http and https addresses are requested")
  func schemes() {
    for url in ["file:///etc/passwd", "ftp://h/x", "http://", "x", "http:///x"] {
      #expect(HTTPProbe.ask(url) == nil)
    }
  }
}
