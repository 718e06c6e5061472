import Foundation
import ProcessTesting
import Synchronization
import Testing

@testable import FilmProxy

/// The proxy from a client's view, on real sockets.
@Suite("The proxy")
struct FilmProxyTests {
  /// A server on 127.0.0.1 that answers each request with its own head.
  private final class Echo: Sendable {
    let port: Int
    private let listener: CInt

    init() throws {
      let (listener, port) = try Loopback.listen()
      (self.listener, self.port) = (listener, port)
      Thread.detachNewThread {
        while true {
          let connection = accept(listener, nil, nil)
          guard connection >= 0 else { return }
          let head = Client.read(connection, until: "\r\n\r\n")
          let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(head.utf8.count)\r\n\r\n\(head)"
          Client.write(connection, answer)
          close(connection)
        }
      }
    }

    deinit {
      shutdown(listener, CInt(SHUT_RDWR))
      close(listener)
    }
  }

  private enum Client {
    static func connect(to port: Int) throws -> CInt {
      try Loopback.connect(to: port) { client in
        // Only to end the test after a failure.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
          client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      }
    }

    static func write(_ connection: CInt, _ text: String) {
      let bytes = Array(text.utf8)
      _ = send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// - Returns: the bytes received until the text or the end.
    static func read(_ connection: CInt, until end: String? = nil) -> String {
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      while recv(connection, &byte, 1, 0) == 1 {
        bytes.append(byte)
        if let end, bytes.suffix(end.utf8.count).elementsEqual(end.utf8) { break }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func port(of filmProxy: FilmProxy) throws -> Int {
    try #require(URLComponents(string: filmProxy.url)?.port)
  }

  private func authorization(_ filmProxy: FilmProxy) throws -> String {
    let url = try #require(URLComponents(string: filmProxy.url))
    let credentials = "\(try #require(url.user)):\(try #require(url.password))"
    return "Proxy-Authorization: Basic \(Data(credentials.utf8).base64EncodedString())\r\n"
  }

  private func exchange(_ filmProxy: FilmProxy, _ text: String) throws -> String {
    let client = try Client.connect(to: port(of: filmProxy))
    defer { close(client) }
    Client.write(client, text)
    return Client.read(client)
  }

  @Test("It connects only to the judged address, and only for a request with the password")
  func judged() throws {
    let server = try Echo()
    let asked = Mutex<[String]>([])
    let filmProxy = try FilmProxy { destination in
      asked.withLock { $0.append(destination.host) }
      // The name doesn't exist: the proxy doesn't look it up a second time.
      return destination.host == "films.invalid" ? .connect(addresses: ["127.0.0.1"]) : .refuse
    }
    let line = "GET http://films.invalid:\(server.port)/a HTTP/1.1\r\n"
    #expect(try exchange(filmProxy, line + "\r\n").hasPrefix("HTTP/1.1 407 "))
    #expect(asked.withLock { $0.isEmpty })
    let password = try authorization(filmProxy)
    let answer = try exchange(filmProxy, line + password + "\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("GET /a HTTP/1.1\r\nHost: films.invalid:\(server.port)\r\n"))
    #expect(!answer.contains("Proxy"))
    let tunnel = try Client.connect(to: port(of: filmProxy))
    defer { close(tunnel) }
    Client.write(tunnel, "CONNECT films.invalid:\(server.port) HTTP/1.1\r\n\(password)\r\n")
    #expect(Client.read(tunnel, until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    Client.write(tunnel, "anything\r\n\r\n")
    #expect(Client.read(tunnel).hasSuffix("\r\n\r\nanything\r\n\r\n"))
    let refused = try exchange(
      filmProxy, "GET http://127.0.0.1:\(server.port)/ HTTP/1.1\r\n\(password)\r\n")
    #expect(refused.hasPrefix("HTTP/1.1 403 "))
    #expect(
      try exchange(filmProxy, "CONNECT films.invalid:0 HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 400 ")
    )
  }

  @Test("A second request on a connection is not forwarded")
  func second() throws {
    let server = try Echo()
    let filmProxy = try FilmProxy { _ in .connect(addresses: ["127.0.0.1"]) }
    let request =
      "GET http://a.invalid:\(server.port)/ HTTP/1.1\r\n\(try authorization(filmProxy))\r\n"
    #expect(try exchange(filmProxy, request + request).isEmpty)
    #expect(try exchange(filmProxy, request).hasPrefix("HTTP/1.1 200 "))
  }

  @Test("The reason why a destination can't be reached is reported")
  func unreachable() throws {
    let filmProxy = try FilmProxy { destination in
      destination.host == "b.invalid" ? .connect(addresses: ["127.0.0.1"]) : .unknownHost
    }
    let password = try authorization(filmProxy)
    #expect(
      try exchange(filmProxy, "GET http://a.invalid/ HTTP/1.1\r\n\(password)\r\n")
        .contains("unknown-host"))
    // A port that was bound and released has no listener.
    let (unused, port) = try Loopback.listen()
    close(unused)
    #expect(
      try exchange(filmProxy, "CONNECT b.invalid:\(port) HTTP/1.1\r\n\(password)\r\n")
        .contains("Matinee-Problem: refused"))
  }

  @Test("The user's own proxy gets the requests that the judge admits")
  func upstream() throws {
    let proxy = try Echo()
    let filmProxy = try FilmProxy(upstream: UpstreamProxy("http://u:p@127.0.0.1:\(proxy.port)")) {
      $0.host == "films.invalid" ? .connect(addresses: []) : .refuse
    }
    let password = try authorization(filmProxy)
    let answer = try exchange(filmProxy, "GET http://films.invalid/a HTTP/1.1\r\n\(password)\r\n")
    #expect(answer.contains("GET http://films.invalid/a HTTP/1.1\r\nHost: films.invalid\r\n"))
    #expect(answer.contains("Proxy-Authorization: Basic dTpw\r\n"))
    #expect(
      try exchange(filmProxy, "GET http://other.invalid/ HTTP/1.1\r\n\(password)\r\n")
        .hasPrefix("HTTP/1.1 403 "))
  }

  @Test(
    "A client that pauses gets the whole answer, also after the server has closed the connection")
  func pausing() throws {
    let (listener, port) = try Loopback.listen()
    defer { close(listener) }
    let size = 24 << 20
    let isFull = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let connection = accept(listener, nil, nil)
      _ = Client.read(connection, until: "\r\n\r\n")
      let bytes = [UInt8](repeating: 0x78, count: size)
      let count = send(connection, bytes, size, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
      isFull.signal()
      _ = bytes[max(0, count)...].withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      close(connection)
    }
    let filmProxy = try FilmProxy { _ in .connect(addresses: ["127.0.0.1"]) }
    let client = try Client.connect(to: self.port(of: filmProxy))
    defer { close(client) }
    Client.write(
      client, "GET http://a.invalid:\(port)/ HTTP/1.1\r\n\(try authorization(filmProxy))\r\n")
    // A socket on the way is full.
    isFull.wait()
    var received = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = recv(client, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      received += count
    }
    #expect(received == size)
  }

  @Test("A client that goes away ends the connection to the server, and so does a second request")
  func departing() throws {
    let (listener, port) = try Loopback.listen()
    defer { close(listener) }
    let filmProxy = try FilmProxy { _ in .connect(addresses: ["127.0.0.1"]) }
    let request =
      "POST http://a.invalid:\(port)/ HTTP/1.1\r\nContent-Length: 4\r\n\(try authorization(filmProxy))\r\n"
    for leaves in [true, false] {
      let client = try Client.connect(to: self.port(of: filmProxy))
      Client.write(client, request + "ab")
      let server = accept(listener, nil, nil)
      #expect(Client.read(server, until: "\r\n\r\nab").hasPrefix("POST / HTTP/1.1"))
      Client.write(client, "cd")
      #expect(Client.read(server, until: "cd") == "cd")
      if leaves { close(client) } else { Client.write(client, "GET ") }
      #expect(Client.read(server).isEmpty)
      close(server)
      if !leaves { close(client) }
    }
  }

  @Test("Stopping ends every connection and closes the port")
  func stopping() throws {
    let (silent, port) = try Loopback.listen()
    defer { close(silent) }
    let filmProxy = try FilmProxy { _ in .connect(addresses: ["127.0.0.1"]) }
    let clients = try (0..<8).map { _ in try Client.connect(to: self.port(of: filmProxy)) }
    defer { for client in clients { close(client) } }
    for client in clients.dropFirst(4) {
      Client.write(
        client, "CONNECT a.invalid:\(port) HTTP/1.1\r\n\(try authorization(filmProxy))\r\n")
      #expect(Client.read(client, until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
    }
    filmProxy.stop()
    // Ends for each of them.
    for client in clients { #expect(Client.read(client).isEmpty) }
    let deadline = ContinuousClock.now + .seconds(60)
    while filmProxy.connectionCount > 0 {
      try #require(ContinuousClock.now < deadline)
      usleep(1000)
    }
  }

  @Test("No more than 64 connections are kept")
  func crowd() throws {
    let filmProxy = try FilmProxy { _ in .refuse }
    let clients = try (0..<80).map { _ in try Client.connect(to: port(of: filmProxy)) }
    defer { for client in clients { close(client) } }
    // The last ones are closed without an answer.
    #expect(Client.read(try #require(clients.last)).isEmpty)
    #expect(filmProxy.connectionCount == 64)
  }
}
