import Foundation
import Testing
import Timekeeping

@testable import MPVPlayer

/// A folder with films, which notices when a file is opened, and a server that notices connections.
private final class Lair {
  let folder: URL
  /// The port of a server that never answers. A connection waits in its queue until it is counted.
  let port: UInt16
  private let server: CInt
  private let watch: CInt

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("matinee-lair-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("secret"), withIntermediateDirectories: true)
    server = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    port = try Self.bind(server)
    try #require(listen(server, 16) == 0)
    watch = inotify_init1(CInt(IN_NONBLOCK))
    try FileManager.default.copyItem(
      at: URL(fileURLWithPath: Clips.silentFilm), to: path("secret/marker.mp4"))
    try FileManager.default.copyItem(
      at: URL(fileURLWithPath: Clips.transportStream), to: path("segment.ts"))
    for name in ["secret", "."] {
      try #require(inotify_add_watch(watch, path(name).path, UInt32(IN_OPEN)) >= 0)
    }
  }

  deinit {
    close(server)
    close(watch)
    try? FileManager.default.removeItem(at: folder)
  }

  func path(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func write(_ name: String, _ data: Data) throws -> String {
    try data.write(to: path(name))
    _ = opened()
    return path(name).path
  }

  /// The names of the files that were opened since the last question.
  func opened() -> Set<String> {
    var names: Set<String> = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(watch, &buffer, buffer.count)
      guard count > 0 else { return names }
      var at = 0
      while at < count {
        let length = buffer[at + 12..<at + 16].reversed().reduce(0) { $0 << 8 | Int($1) }
        let name = buffer[at + 16..<at + 16 + length].prefix { $0 != 0 }
        names.insert(String(decoding: name, as: UTF8.self))
        at += 16 + length
      }
    }
  }

  func hasConnection() -> Bool {
    let connection = accept(server, nil, nil)
    if connection >= 0 { close(connection) }
    return connection >= 0
  }

  /// Binds a socket to a free port of the loopback interface, or to a given one.
  static func bind(_ socket: CInt, to port: UInt16 = 0, on host: String = "127.0.0.1") throws
    -> UInt16
  {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(socket, $0, length) + getsockname(socket, $0, &length)
      }
    }
    try #require(status == 0, "errno \(errno)")
    return UInt16(bigEndian: address.sin_port)
  }
}

/// An archive with one file, stored without compression.
private func zip(_ name: String, _ data: Data) -> Data {
  func bytes(_ numbers: [(Int, Int)]) -> Data {
    Data(numbers.flatMap { value, size in (0..<size).map { UInt8(value >> (8 * $0) & 255) } })
  }
  var crc: UInt32 = .max
  for byte in data {
    crc ^= UInt32(byte)
    for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
  }
  let common = [
    (20, 2), (0, 2), (0, 2), (0, 2), (33, 2), (Int(~crc), 4), (data.count, 4), (data.count, 4),
    (name.utf8.count, 2), (0, 2),
  ]
  let local = bytes([(0x0403_4B50, 4)] + common) + Data(name.utf8) + data
  let central =
    bytes([(0x0201_4B50, 4), (20, 2)] + common + [(0, 2), (0, 2), (0, 2), (0, 4), (0, 4)])
    + Data(name.utf8)
  return local + central
    + bytes([
      (0x0605_4B50, 4), (0, 2), (0, 2), (1, 2), (1, 2), (central.count, 4), (local.count, 4),
      (0, 2),
    ])
}

/// Matroska, as far as a test changes it.
private enum Matroska {
  static func element(_ id: [UInt8], _ content: Data) -> Data {
    let size = (0..<8).map { UInt8(content.count >> (56 - 8 * $0) & 255) }
    return Data(id + [size[0] | 1] + size[1...]) + content
  }

  /// Returns a film with a segment's id, and with chapters in an order of their own if they are given. The film is as it
  /// is broadcast: without tables of places, and of unknown size.
  static func film(_ live: Data, id: UInt8, chapters: Data = Data()) throws -> Data {
    let cluster = try #require(live.range(of: Data([0x1F, 0x43, 0xB6, 0x75]))).lowerBound
    let info = try #require(
      live.range(of: Data([0x15, 0x49, 0xA9, 0x66]), options: .backwards, in: 0..<cluster))
    let (size, length) = number(live, at: info.upperBound)
    let start = info.upperBound + length
    var kept = Data()
    var at = start
    while at < start + size {
      // The ids in an info are two or three bytes long.
      let idLength = live[at] >= 0x80 ? 1 : live[at] >= 0x40 ? 2 : 3
      let (content, sizeLength) = number(live, at: at + idLength)
      let end = at + idLength + sizeLength + content
      if live[at..<at + idLength] != Data([0x73, 0xA4]) { kept += live[at..<end] }
      at = end
    }
    kept += element([0x73, 0xA4], Data(repeating: id, count: 16))
    return live[..<info.lowerBound] + element([0x15, 0x49, 0xA9, 0x66], kept)
      + live[(start + size)..<cluster] + chapters + live[cluster...]
  }

  /// One second of the film itself, and then one of another segment.
  static func chapters(with other: UInt8) -> Data {
    func atom(_ id: UInt8, _ segment: UInt8?) -> Data {
      var content = element([0x73, 0xC4], Data([id])) + element([0x91], Data(count: 8))
      content += element([0x92], Data([0, 0, 0, 0, 0x3B, 0x9A, 0xCA, 0]))
      content += element([0x98], Data([0])) + element([0x45, 0x98], Data([1]))
      if let segment { content += element([0x6E, 0x67], Data(repeating: segment, count: 16)) }
      return element([0xB6], content)
    }
    let edition =
      element([0x45, 0xBC], Data([1])) + element([0x45, 0xDB], Data([1]))
      + element([0x45, 0xDD], Data([1])) + atom(1, nil) + atom(2, other)
    return element([0x10, 0x43, 0xA7, 0x70], element([0x45, 0xB9], edition))
  }

  private static func number(_ data: Data, at place: Int) -> (value: Int, length: Int) {
    let length = data[place].leadingZeroBitCount + 1
    let bytes = data[place..<place + length]
    return (
      bytes.dropFirst().reduce(Int(bytes.first! & (0xFF >> length))) { $0 << 8 | Int($1) }, length
    )
  }
}

/// Tests with real libmpv.
@Suite("A file that isn't what its name says", .serialized, .timeLimit(.minutes(2)))
struct DisguisedFileTests {
  @Test(
    "A file with the name of a film opens no other file, address or port, and says what it is",
    arguments: [
      ("# mpv EDL v0\nsecret/marker.mp4\n", FileContent.list(ending: "edl")),
      ("# mpv EDL v0\n%28%http://127.0.0.1:PORT/a.mp4\n", .list(ending: "edl")),
      ("#EXTM3U\n#EXTINF:2,\nsecret/marker.mp4\n", .list(ending: "m3u8")),
      ("#EXTM3U\n#EXTINF:2,\nhttp://127.0.0.1:PORT/a.mp4\n", .list(ending: "m3u8")),
      (
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nsecret/marker.mp4\n#EXT-X-ENDLIST\n",
        .list(ending: "m3u8")
      ),
      (
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:PORT/a.ts\n#EXT-X-ENDLIST\n",
        .list(ending: "m3u8")
      ),
      (
        "[playlist]\nFile1=http://127.0.0.1:PORT/a.mp4\nNumberOfEntries=1\n", .list(ending: "pls")
      ),
      ("[InternetShortcut]\nURL=http://127.0.0.1:PORT/a.mp4\n", .list(ending: "url")),
      ("[Reference]\nRef1=http://127.0.0.1:PORT/a.mp4\n", .list(ending: "asx")),
      (
        "FILE \"secret/marker.mp4\" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n",
        .list(ending: "cue")
      ),
      ("ffconcat version 1.0\nfile secret/marker.mp4\n", .sources),
    ])
  func disguised(_ text: String, content: FileContent) async throws {
    let lair = try Lair()
    let downloader = try lair.write(
      "yt-dlp", Data("#!/bin/sh\necho > \(lair.folder.path)/ran\n".utf8))
    chmod(downloader, 0o700)
    let film = try lair.write(
      "film.mp4", Data(text.replacingOccurrences(of: "PORT", with: "\(lair.port)").utf8))
    let test = try PlayerUnderTest([
      .init(name: "script-opts", value: "ytdl_hook-ytdl_path=\(downloader)"),
      .init(name: "network-timeout", value: "2"),
    ])
    let error = await #expect(throws: MPVError.self) { try await test.player.load(film) }
    #expect(error?.reason == .notAFilm(content))
    #expect(lair.opened().subtracting([".", "secret", ""]) == ["film.mp4"])
    #expect(!lair.hasConnection())
    #expect(!FileManager.default.fileExists(atPath: lair.path("ran").path))
    // The player still works.
    try await test.player.load(lair.path("segment.ts").path)
    await test.shutDown()
  }

  @Test("A session description with the name of a film opens no port")
  func ports() async throws {
    let lair = try Lair()
    let socket = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    // RTP has an even port.
    let port = try Lair.bind(socket) & ~1
    close(socket)
    let film = try lair.write(
      "film.mp4",
      Data(
        "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video \(port) RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n"
          .utf8))
    let test = try PlayerUnderTest()
    let error = await #expect(throws: MPVError.self) { try await test.player.load(film) }
    #expect(error?.reason == .notAFilm(.sources))
    await test.shutDown()
  }

  @Test(
    "An archive with the name of a film isn't opened, and one with its own name is, but not the playlist in it"
  )
  func archives() async throws {
    let lair = try Lair()
    let test = try PlayerUnderTest([.init(name: "network-timeout", value: "2")])
    let list = zip("a.m3u", Data("#EXTM3U\nhttp://127.0.0.1:\(lair.port)/a.mp4\n".utf8))
    let disguised = try lair.write("film.mp4", list)
    let error = await #expect(throws: MPVError.self) { try await test.player.load(disguised) }
    #expect(error?.reason == .notAFilm(.archive))
    let named = try lair.write("list.zip", list)
    await #expect(throws: MPVError.self) { try await test.player.load(named) }
    #expect(!lair.hasConnection())
    let films = try lair.write(
      "films.zip", zip("a.mp4", try Data(contentsOf: URL(fileURLWithPath: Clips.silentFilm))))
    try await test.player.load(films)
    #expect(await test.player.snapshot().hasVideo)
    await test.shutDown()
  }

  @Test("A Matroska film with chapters of its own plays, and doesn't look for those of other files")
  func orderedChapters() async throws {
    let lair = try Lair()
    let live = try Data(contentsOf: URL(fileURLWithPath: Clips.broadcast))
    _ = try lair.write("other.mkv", try Matroska.film(live, id: 2))
    let film = try lair.write(
      "film.mkv", try Matroska.film(live, id: 1, chapters: Matroska.chapters(with: 2)))
    try await PlayerUnderTest.with(film) { test in
      #expect(lair.opened().subtracting([".", "secret", ""]) == ["film.mkv"])
      #expect(await test.player.snapshot().hasVideo)
    }
  }

  @Test("A playlist plays the films in its folder, and the options of the user return afterwards")
  func playlists() async throws {
    let lair = try Lair()
    let test = try PlayerUnderTest()
    let lists = [
      ("evening.m3u", "#EXTM3U\n#EXTINF:2,\nsecret/marker.mp4\n"),
      ("evening.pls", "[playlist]\nFile1=segment.ts\nNumberOfEntries=1\n"),
      ("cut.edl", "# mpv EDL v0\nsecret/marker.mp4,1,2\nsegment.ts,0,1\n"),
      (
        "stream.m3u8",
        "#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXTINF:20,\nsegment.ts\n#EXT-X-ENDLIST\n"
      ),
    ]
    for (name, text) in lists {
      try await test.player.load(try lair.write(name, Data(text.utf8)))
      #expect(await test.player.snapshot().hasVideo, "\(name)")
    }
    try await test.player.load(lair.path("segment.ts").path)
    #expect(try await test.player.get(MPVProperty.ytdl).value == .flag(true))
    let stream = try await test.player.get(MPVProperty.streamLavfOptions).value
    #expect(stream["protocol_whitelist"] == nil)
    await test.shutDown()
  }

  @Test("A playlist with an entry outside of its folder names it, and its entries open no others")
  func entries() async throws {
    let lair = try Lair()
    let test = try PlayerUnderTest([.init(name: "network-timeout", value: "2")])
    for name in ["http://127.0.0.1:\(lair.port)/a.mp4", "../a.mp4", Clips.film] {
      let list = try lair.write("evening.m3u", Data("#EXTM3U\n\(name)\n".utf8))
      let error = await #expect(throws: MPVError.self) { try await test.player.load(list) }
      #expect(error?.reason == .leadsOutside(name))
    }
    // The user agreed to the last one.
    try await test.player.load(lair.path("evening.m3u").path, isTrusted: true)
    #expect(await test.player.snapshot().hasVideo)
    for text in ["# mpv EDL v0\nsegment.ts\n", "#EXTM3U\nhttp://127.0.0.1:\(lair.port)/a.mp4\n"] {
      _ = try lair.write("a.mp4", Data(text.utf8))
      let list = try lair.write("evening.m3u", Data("#EXTM3U\na.mp4\n".utf8))
      await #expect(throws: MPVError.self) { try await test.player.load(list) }
      #expect(!lair.opened().contains("segment.ts"))
    }
    #expect(!lair.hasConnection())
    await test.shutDown()
  }

  @Test(
    "Subtitles and sound beside a film are loaded, as the user's options say, if they are what they say"
  )
  func beside() async throws {
    let lair = try Lair()
    let film = try lair.write(
      "film.mp4", try Data(contentsOf: URL(fileURLWithPath: Clips.silentFilm)))
    _ = try lair.write(
      "film.srt", Data("1\n00:00:01,000 --> 00:00:05,000\nHello\n".utf8))
    _ = try lair.write("film.m4a", try Data(contentsOf: URL(fileURLWithPath: Clips.sound)))
    _ = try lair.write("film.en.srt", Data("# mpv EDL v0\nsecret/marker.mp4\n".utf8))
    let options = [("sub-auto", "fuzzy"), ("audio-file-auto", "exact")].map {
      MPVConfiguration.Option(name: $0.0, value: $0.1)
    }
    try await PlayerUnderTest.with(film, options: options) { test in
      let tracks = await test.player.snapshot().tracks
      #expect(tracks.filter { $0.kind == .subtitles }.count == 1)
      #expect(tracks.filter { $0.kind == .audio }.count == 1)
      #expect(!lair.opened().contains("marker.mp4"))
    }
  }
}
