import Foundation
import ProcessTesting
import Screening
import Synchronization
import Testing
import WatchTogether

@testable import MatineeKit

@Suite("The content of a film on a server")
@ScreeningActor
struct StreamContentTests {
  private func with(
    allowing locations: [String],
    _ body: @ScreeningActor (FilmAdapter) async throws -> Void
  ) async throws {
    try await AdapterStage.run { stage in
      let adapter = FilmAdapter(
        runner: stage.runner, player: stage.player, coordinator: stage.coordinator,
        events: stage.events, shared: SharedFilms(), angles: [], angledFilm: nil)
      var policy = URLPolicy()
      for location in locations { policy.allow(originOf: location) }
      _ = try await adapter.perform(.use(policy))
      try await body(adapter)
      adapter.close()
    }
  }

  private func film(_ location: String, isForeign: Bool = true) -> FilmIdentity {
    FilmIdentity(identifier: location, title: "Film", location: location, isForeign: isForeign)
  }

  private static func content(_ size: Int) -> Data {
    Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000 + $0) })
  }

  private static func fingerprint(_ content: Data) throws -> String {
    let file = SilentFilm.folder.appendingPathComponent(UUID().uuidString)
    try content.write(to: file)
    return try FilmIdentity(file.path).identifier
  }

  @Test(
    "Ranges of a film have the fingerprint of a file, and little of the film is sent",
    arguments: [3, 300_000, 1_000_003], [true, false])
  func same(size: Int, isForeign: Bool) async throws {
    let content = Self.content(size)
    let server = try RangeServer(content)
    try await with(allowing: [server.location]) { adapter in
      let film = film(server.location, isForeign: isForeign)
      let identifier = try Self.fingerprint(content)
      for sizes in [[size], nil] as [Set<Int>?] {
        #expect(
          await adapter.fingerprint(of: film, among: sizes, within: .seconds(60)) == identifier)
      }
      #expect(server.requests.allSatisfy { $0.count <= FilmIdentifier.sampleLength })
      let count = server.requests.count
      #expect(await adapter.fingerprint(of: film, among: [size + 1], within: .seconds(60)) == nil)
      #expect(server.requests.count == count + 1, "another size needs no more ranges")
    }
  }

  @Test(
    "A server without ranges, with a false length, or without an end of its answer is given up",
    arguments: [RangeServer.Fault.noRanges, .changingSize, .endsEarly, .stalls, .otherRange])
  func faults(fault: RangeServer.Fault) async throws {
    let server = try RangeServer(Self.content(1_000_003), fault)
    try await with(allowing: [server.location]) { adapter in
      let film = film(server.location)
      let patience = fault == .stalls ? Duration.milliseconds(500) : .seconds(60)
      #expect(await adapter.fingerprint(of: film, among: nil, within: patience) == nil)
      // The patience may be over before the first request.
      #expect(fault == .stalls || !server.requests.isEmpty)
    }
  }

  @Test("A redirect is followed to a server that the user agreed to, and to no other")
  func redirects() async throws {
    let content = Self.content(300_000)
    let target = try RangeServer(content)
    let server = try RangeServer(content, .redirects(target.location))
    try await with(allowing: [server.location]) { adapter in
      #expect(await adapter.fingerprint(of: film(server.location), among: nil) == nil)
      #expect(target.requests.isEmpty)
    }
    try await with(allowing: [server.location, target.location]) { adapter in
      let identifier = try Self.fingerprint(content)
      #expect(
        await adapter.fingerprint(of: film(server.location), among: nil, within: .seconds(60))
          == identifier)
    }
    let circle = try RangeServer(content, .redirects("/again"))
    try await with(allowing: [circle.location]) { adapter in
      #expect(await adapter.fingerprint(of: film(circle.location), among: nil) == nil)
    }
  }

  @Test("A server that the user hasn't agreed to gets no request")
  func refused() async throws {
    let server = try RangeServer(Self.content(3))
    try await with(allowing: []) { adapter in
      #expect(await adapter.fingerprint(of: film(server.location), among: nil) == nil)
      #expect(server.requests.isEmpty)
    }
  }
}

/// A server on this machine for ranges of one film.
final class RangeServer: Sendable {
  enum Fault: Hashable, Sendable {
    /// The server ignores ranges.
    case noRanges
    /// Each answer states another size.
    case changingSize
    /// The server sends less than it states.
    case endsEarly
    /// The server sends less than it states, and keeps the connection.
    case stalls
    /// The server sends a byte less than the range, and states so.
    case otherRange
    case redirects(String)
  }

  let location: String
  private let listener: CInt
  private let state = Mutex<(ranges: [Range<Int>], connections: [CInt])>(([], []))

  /// The ranges that were asked for.
  var requests: [Range<Int>] { state.withLock { $0.ranges } }

  init(_ film: Data, _ fault: Fault? = nil) throws {
    let (listener, port) = try Loopback.listen()
    self.listener = listener
    location = "http://127.0.0.1:\(port)/film.mkv"
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else { return }
        state.withLock { $0.connections.append(connection) }
        serve(film, fault, connection)
      }
    }
  }

  deinit {
    for connection in state.withLock({ $0.connections }) { close(connection) }
    shutdown(listener, CInt(SHUT_RDWR))
    close(listener)
  }

  private func serve(_ film: Data, _ fault: Fault?, _ connection: CInt) {
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = max(0, recv(connection, &bytes, bytes.count, 0))
    let request = String(decoding: bytes.prefix(count), as: UTF8.self)
    guard let match = request.firstMatch(of: /Range: bytes=(\d+)-(\d+)/),
      let lower = Int(match.1), let upper = Int(match.2)
    else { return }
    let number = state.withLock {
      $0.ranges.append(lower..<upper + 1)
      return $0.ranges.count
    }
    var range = lower..<min(upper + 1, film.count)
    if fault == .otherRange { range = range.dropLast() }
    let size = fault == .changingSize ? film.count + number : film.count
    var head =
      "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(range.lowerBound)-"
      + "\(range.upperBound - 1)/\(size)\r\nContent-Length: \(range.count)\r\n"
    if fault == .noRanges {
      range = 0..<film.count
      head = "HTTP/1.1 200 OK\r\nContent-Length: \(film.count)\r\n"
    }
    if case .redirects(let target)? = fault {
      range = 0..<0
      head = "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n"
    }
    if [.endsEarly, .stalls].contains(fault) { range = range.dropLast() }
    var rest = Data((head + "Connection: close\r\n\r\n").utf8) + film[range]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard sent > 0 else { break }
      rest = rest.dropFirst(sent)
    }
    if fault != .stalls { shutdown(connection, CInt(SHUT_RDWR)) }
  }
}
