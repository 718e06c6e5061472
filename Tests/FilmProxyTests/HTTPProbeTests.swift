import BrokerTesting
import Foundation
import ProcessTesting
import Testing

@testable import FilmProxy

@Suite("A server's answer")
struct HTTPProbeTests {
  private func answer(_ lines: String...) -> HTTPProbe.Answer {
    HTTPProbe.Answer(
      head: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8),
      from: "http://h.example:8080/films/a.mkv?x=1")
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

  @Test("Only http and https addresses are requested, and no host with an end of line in it")
  func schemes() async {
    for url in [
      "file:///etc/passwd", "ftp://h/x", "http://", "x", "http:///x", "http://h%0D%0AX:%20y/",
    ] {
      #expect(await HTTPProbe().ask(url) == nil)
    }
  }

  /// Asks a server that sends a text to each client, and closes the connection.
  private func ask(_ text: String, _ url: (_ port: Int) -> String) async throws -> HTTPProbe.Answer?
  {
    let (listener, port) = try Loopback.listen()
    defer { close(listener) }
    Thread.detachNewThread {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      // A socket that is closed with unread bytes takes back what it has sent.
      var bytes = [UInt8](repeating: 0, count: 4096)
      recv(client, &bytes, bytes.count, 0)
      send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL))
      close(client)
    }
    return await HTTPProbe().ask(url(port))
  }

  @Test("Each way not to answer has its name")
  func failures() async throws {
    #expect(try await ask("SSH-2.0-x\r\n") { "http://127.0.0.1:\($0)/a" } == .garbled)
    #expect(try await ask("") { "http://127.0.0.1:\($0)/a" } == .silent)
    #expect(
      try await ask("HTTP/1.0 404") { "http://127.0.0.1:\($0)/" }
        == .status(404, location: nil, type: nil))
    #expect(try await ask("HTTP/1.1 400 x\r\n\r\n") { "https://127.0.0.1:\($0)/" } == .noTLS)
    #expect(await HTTPProbe().ask("http://nosuch.invalid/") == .unknownHost)
    let (unused, port) = try Loopback.listen()
    close(unused)
    #expect(await HTTPProbe().ask("http://localhost:\(port)/") == .refused)
  }

  @Test("A server proves its identity, also behind a proxy, before it gets a request")
  func identity() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let filmProxy = try FilmProxy { _ in .connect(addresses: ["127.0.0.1"]) }
    for (names, host, isTrusted) in [
      ("IP:127.0.0.1", "127.0.0.1", true), ("DNS:localhost", "localhost", true),
      ("IP:127.0.0.2", "127.0.0.1", false), ("DNS:127.0.0.1", "127.0.0.1", false),
      // The proxy's own address is in it, and not the server's.
      ("IP:127.0.0.1", "127.0.0.3", false), ("DNS:other.invalid", "localhost", false),
    ] {
      let server = try await SecureServer(certificates.files(names: [names]))
      defer { server.end() }
      let url = "https://\(host):\(server.port)/"
      let wanted = HTTPProbe.Answer.status(200, location: nil, type: "text/html")
      for proxy in [nil, UpstreamProxy(filmProxy.url)] {
        let ca = certificates.authority
        #expect(
          await HTTPProbe(authorities: ca, proxy: proxy).ask(url)
            == (isTrusted ? wanted : .untrusted),
          "\(names) as \(host)")
        #expect(await HTTPProbe(proxy: proxy).ask(url) == .untrusted)
        #expect(await HTTPProbe(verifiesServers: false, proxy: proxy).ask(url) == wanted)
      }
    }
  }
}

/// A web server with TLS in a process of its own.
private struct SecureServer {
  let port = Loopback.lastingPort()
  private let output = FileManager.default.temporaryDirectory
    .appendingPathComponent("s_server-\(UUID().uuidString)")
  private let process: ChildProcess

  init(_ files: (chain: String, key: String)) async throws {
    process = try ChildProcess.start(
      [
        "openssl", "s_server", "-www", "-accept", "\(port)", "-cert", files.chain, "-key",
        files.key,
      ], output: output)
    _ = try await ChildProcess.output(in: output, containing: "ACCEPT")
  }

  func end() {
    process.terminate()
    process.wait()
    try? FileManager.default.removeItem(at: output)
  }
}
