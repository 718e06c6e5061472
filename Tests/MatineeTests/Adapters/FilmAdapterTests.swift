import Foundation
import ProcessTesting
import Synchronization
import Testing
import Timekeeping
import WatchTogether

@testable import MatineeKit
@testable import PlaybackCoordination
@testable import Screening

@Suite("The adapter of films")
@ScreeningActor
struct FilmAdapterTests {
  private typealias Event = ScreeningMachine.Event

  private func with(
    _ body: @ScreeningActor (FilmAdapter, AdapterStage) async throws -> Void
  ) async throws {
    try await AdapterStage.run { stage in
      let adapter = FilmAdapter(
        runner: stage.runner, player: stage.player, coordinator: stage.coordinator,
        events: stage.events, shared: SharedFilms(), angles: [], angledFilm: nil)
      try await body(adapter, stage)
      adapter.close()
    }
  }

  private func foreign(_ location: String) -> FilmIdentity {
    FilmIdentity(identifier: location, title: "Film", location: location, isForeign: true)
  }

  private func loaded(_ answer: FilmMachine<OriginRefusal>.Event) -> [Event] {
    [.fact(.live(false)), .film(.answer(answer))]
  }

  @Test(
    "A file is identified, a playlist is listed unless it is in a list, and a missing file fails")
  func identify() async throws {
    try await with { adapter, _ in
      let film = try FilmIdentity.silent()
      let list = SilentFilm.folder.appendingPathComponent("\(UUID().uuidString).m3u8")
      try Data((film.location + "\n").utf8).write(to: list)
      #expect(
        try await adapter.perform(.identify(film.location, .enqueue, isEntry: false)).events
          == [.film(.identified(film, .enqueue))])
      #expect(
        try await adapter.perform(.identify(list.path, .watch, isEntry: false)).events
          == [.film(.listed([film.location], .watch))])
      #expect(
        try await adapter.perform(.identify(list.path, .watch, isEntry: true)).events
          == [.film(.identified(FilmIdentity(list.path), .watch))])
      await #expect(throws: FilmError.self) {
        try await adapter.perform(.identify("/missing/film.mkv", .watch, isEntry: false))
      }
    }
  }

  @Test("A folder that is queued is the films in it, as people sort them; an empty one is refused")
  func folder() async throws {
    try await with { adapter, _ in
      let folder = SilentFilm.folder.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("more"), withIntermediateDirectories: true)
      func queue() async throws -> [ScreeningMachine.Event] {
        try await adapter.perform(.identify(folder.path, .enqueue, isEntry: false)).events
      }
      await #expect(throws: UserCommandProblem.self) { try await queue() }
      let names = ["Part 2.mkv", "Part 10.mkv"]
      for name in names + ["Song.mp3", "Part 2.srt"] {
        try Data("x".utf8).write(to: folder.appendingPathComponent(name))
      }
      #expect(
        try await queue() == [.film(.listed(names.map { folder.path + "/" + $0 }, .enqueue))])
    }
  }

  @Test(
    "A film is tried out without the player",
    arguments: [FilmServer.Answer.film, .missing, .page, .text])
  func triedOut(answer: FilmServer.Answer) async throws {
    try await with { adapter, stage in
      let server = try FilmServer(answer)
      let film = try FilmIdentity(server.location(answer == .page ? "watch" : "film.wav"))
      let number = FilmChoice.Number()
      switch answer {
      case .film, .page:
        #expect(
          try await adapter.perform(.tryOut(film, number)).events == [.film(.canPlay(number))])
      case .missing, .text, .silence, .redirect:
        await #expect(throws: StreamProblem.self) {
          try await adapter.perform(.tryOut(film, number))
        }
      }
      #expect(await !stage.player.snapshot().isLoaded)
    }
  }

  @Test(
    "A file that isn't a film is found out without the player, and one that names others passes")
  func triedOutFile() async throws {
    try await with { adapter, _ in
      let number = FilmChoice.Number()
      let file = SilentFilm.folder.appendingPathComponent("\(UUID().uuidString)")
      for (film, isGood) in [
        (try FilmIdentity.silent().location, true), (file.path + ".mkv", false),
        (file.path + ".iso", true),
      ] {
        if film.hasPrefix(file.path) {
          try Data("no film".utf8).write(to: URL(fileURLWithPath: film))
        }
        let answer = try? await adapter.perform(.tryOut(FilmIdentity(film), number)).events
        #expect(answer == (isGood ? [.film(.canPlay(number))] : nil), "\(film)")
      }
    }
  }

  @Test("A film is loaded for the coordinator at the proposed position, and closed")
  func load() async throws {
    try await with { adapter, stage in
      var film = try FilmIdentity.silent()
      film.entry = 3
      film.ownIdentifier = "own"
      let timing = PlaybackTiming(rate: 0, itemTime: MediaTime(seconds: 20))
      #expect(
        try await adapter.perform(.load(7, film, proposing: timing)).events == loaded(.loaded(7)))
      let group = await stage.coordinator.snapshot()
      #expect(group.currentItemIdentifier == film.item && group.itemTime == timing.itemTime)
      #expect(await stage.coordinator.machine.measured.isOtherCopy)
      #expect(await stage.player.snapshot().isLoaded && adapter.proxy == nil)
      #expect(try await adapter.perform(.close) == .done)
      await eventually { await !stage.player.snapshot().isLoaded }
    }
  }

  @Test("A film that is missing is answered with the reason, and so is one that can't be reopened")
  func missing() async throws {
    try await with { adapter, stage in
      let film = try FilmIdentity.silent()
      #expect(try await adapter.perform(.reopen(1, film)).events == loaded(.reopened(1)))
      try FileManager.default.removeItem(atPath: film.location)
      let reason = "\(film.location): no such file"
      #expect(
        try await adapter.perform(.load(2, film, proposing: nil)).events
          == loaded(.failed(2, reason)))
      #expect(
        try await adapter.perform(.reopen(3, film)).events
          == [.film(.answer(.reopeningFailed(3)))])
      _ = try await adapter.perform(.restoreItem(film))
      #expect(await stage.coordinator.snapshot().currentItemIdentifier == film.item)
    }
  }

  @Test(
    "A newer film supersedes one whose server is silent, and so does an empty player",
    arguments: ["film.wav", "live.m3u8"], [true, false])
  func superseded(name: String, byFilm: Bool) async throws {
    try await with { adapter, stage in
      let server = try FilmServer(.silence)
      let location = server.location(name)
      let stuck = FilmIdentity(identifier: location, title: "Film", location: location)
      let older = Task { try await adapter.perform(.load(1, stuck, proposing: nil)) }
      await eventually { server.requestCount > 0 }
      if byFilm {
        let film = try FilmIdentity.silent()
        #expect(
          try await adapter.perform(.load(2, film, proposing: nil)).events == loaded(.loaded(2)))
      } else {
        #expect(try await adapter.perform(.close) == .done)
      }
      #expect(try await older.value == .done)
      await eventually { await stage.player.snapshot().isLoaded == byFilm }
    }
  }

  @Test("No request reaches a server that the user hasn't agreed to")
  func refused() async throws {
    try await with { adapter, _ in
      let server = try FilmServer(.film)
      let film = foreign(server.location())
      let origin = try #require(FilmOrigin(of: film.location))
      let refusal = OriginRefusal(origin: origin, location: film.location)
      #expect(
        try await adapter.perform(.load(1, film, proposing: nil)).events
          == loaded(.refused(1, refusal)))
      #expect(server.requestCount == 0)
      #expect(
        try await adapter.perform(.findNetwork(of: refusal, 2)).events
          == [.film(.networkFound(.own, of: refusal, 2))])
      var policy = URLPolicy()
      policy.allow(origin, on: .own)
      #expect(try await adapter.perform(.use(policy)) == .done)
      #expect(
        try await adapter.perform(.load(3, film, proposing: nil)).events == loaded(.loaded(3)))
      #expect(server.requestCount > 0 && adapter.proxy != nil)
      _ = try await adapter.perform(.close)
      #expect(adapter.proxy == nil)
    }
  }

  @Test("A server that the user agreed to can't lead to another one")
  func redirected() async throws {
    try await with { adapter, _ in
      let target = try FilmServer(.film)
      let server = try FilmServer(.redirect(target.location()))
      var policy = URLPolicy()
      policy.allow(originOf: server.location())
      _ = try await adapter.perform(.use(policy))
      let refusal = OriginRefusal(
        origin: try #require(FilmOrigin(of: target.location())), location: target.location())
      #expect(
        try await adapter.perform(.load(1, foreign(server.location()), proposing: nil)).events
          == loaded(.refused(1, refusal)))
      #expect(target.requestCount == 0)
    }
  }
}

/// A server on this machine that answers every request in the same way.
final class FilmServer: Sendable {
  enum Answer: Hashable, Sendable {
    case film, silence, missing, page, text
    case redirect(String)
  }

  private let port: Int
  private let listener: CInt
  private let connections = Mutex<[CInt]>([])

  /// The number of connections so far.
  var requestCount: Int { connections.withLock { $0.count } }

  func location(_ name: String = "film.wav") -> String { "http://127.0.0.1:\(port)/\(name)" }

  init(_ answer: Answer) throws {
    let (listener, port) = try Loopback.listen()
    (self.listener, self.port) = (listener, port)
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0, let self else { return }
        connections.withLock { $0.append(connection) }
        Self.serve(answer, on: connection)
      }
    }
  }

  deinit {
    for connection in connections.withLock({ $0 }) { close(connection) }
    shutdown(listener, CInt(SHUT_RDWR))
    close(listener)
  }

  private static func serve(_ answer: Answer, on connection: CInt) {
    var head = "HTTP/1.1 200 OK\r\nContent-Type: audio/wav\r\n"
    var body = Data()
    switch answer {
    case .silence: return
    case .film: body = SilentFilm.data(seconds: 5)
    case .missing: head = "HTTP/1.1 404 Not Found\r\n"
    case .page: head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    case .text: body = Data("no film".utf8)
    case .redirect(let target): head = "HTTP/1.1 302 Found\r\nLocation: \(target)\r\n"
    }
    var request = [UInt8](repeating: 0, count: 8192)
    _ = recv(connection, &request, request.count, 0)
    head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    _ = (Data(head.utf8) + body).withUnsafeBytes {
      send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
    }
    shutdown(connection, CInt(SHUT_RDWR))
  }
}
