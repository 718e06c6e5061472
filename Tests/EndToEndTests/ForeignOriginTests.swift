import Foundation
import ProcessTesting
import Synchronization
import Testing

/// An accepted server can't lead a player to another server before the user accepts that one, too.
@Suite("Other origins of foreign films", .serialized)
struct ForeignOriginTests {
  /// The paths of the requests that arrived.
  private final class Hits: Sendable {
    private let paths = Mutex<[String]>([])

    var all: [String] { paths.withLock { $0 } }
    func add(_ path: String) { paths.withLock { $0.append(path) } }
  }

  private static let hls = "application/vnd.apple.mpegurl"

  private static func send(
    _ request: HTTPListener.Request, _ body: Data, _ type: String = "video/mp2t",
    _ status: String = "200 OK"
  ) {
    let head =
      "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
    request.send(Data(head.utf8) + body)
  }

  /// The content type and the text that lead to `other`, by name.
  private static func pages(_ other: String) -> [String: (type: String, text: String)] {
    let head = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:9\n"
    let end = "#EXTINF:8,\nown.ts\n#EXT-X-ENDLIST\n"
    return [
      "segment.m3u8": (hls, head + "#EXTINF:8,\n\(other)/segment\n#EXT-X-ENDLIST\n"),
      // The program's own reader looks into live streams.
      "live.m3u8": (
        hls, head + (0..<4).map { "#EXTINF:8,\n\(other)/live?\($0)\n" }.joined()
      ),
      "key.m3u8": (hls, head + "#EXT-X-KEY:METHOD=AES-128,URI=\"\(other)/key\"\n" + end),
      "map.m3u8": (hls, head + "#EXT-X-MAP:URI=\"\(other)/map\"\n" + end),
      "variant.m3u8": (hls, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(other)/variant\n"),
      "group.m3u8": (
        hls,
        "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",DEFAULT=YES,"
          + "URI=\"\(other)/group\"\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\nown.m3u8\n"
      ),
      "own.m3u8": (hls, head + end),
      "list.m3u": ("audio/x-mpegurl", "#EXTM3U\n\(other)/list\n"),
      "list.pls": (
        "audio/x-scpls", "[playlist]\nFile1=\(other)/list.pls.entry\nNumberOfEntries=1\n"
      ),
      "base.mpd": (
        "application/dash+xml",
        """
        <?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" \
        mediaPresentationDuration="PT2S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">\
        <Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1">\
        <BaseURL>\(other)/base</BaseURL></Representation></AdaptationSet></Period></MPD>
        """
      ),
      "tunnel.m3u8": (
        hls,
        head + "#EXTINF:8,\n\(other.replacing("http:", with: "https:"))/tunnel\n#EXT-X-ENDLIST\n"
      ),
      // Protocols that ignore proxies.
      "past.m3u8": (
        hls,
        head
          + "#EXTINF:8,\n\(other.replacing("http:", with: "httpproxy:"))/past:1\n#EXT-X-ENDLIST\n"
      ),
      "past.m3u": ("audio/x-mpegurl", "\(other.replacing("http:", with: "httpproxy:"))/past:1\n"),
      "live-past.m3u8": (
        hls,
        head
          + (0..<4).map { _ in "#EXTINF:8,\n\(other.replacing("http:", with: "tcp:"))\n" }.joined()
      ),
    ]
  }

  @Test("Playlists, manifests, redirects and pages lead to no server that the user hasn't accepted")
  func elsewhere() async throws {
    let segment = Clips.folder.appendingPathComponent("own-\(UUID().uuidString).ts").path
    try Clips.ffmpeg(["-i", try Clips.stream.get(), "-t", "8", "-c", "copy", segment])
    let film = try Data(contentsOf: URL(fileURLWithPath: segment))
    let hits = Hits()
    let other = try HTTPListener(at: "127.0.0.2") { request in
      hits.add(request.target)
      Self.send(request, film)
    }
    let address = "http://127.0.0.2:\(other.port)"
    let pages = Self.pages(address)
    let server = try HTTPListener { request in
      let name = String(request.target.dropFirst())
      if let page = pages[name] {
        Self.send(request, Data(page.text.utf8), page.type)
      } else if name == "own.ts" {
        Self.send(request, film)
      } else if name == "redirect.ts", request.fields["range"] != "bytes=0-0" {
        // The program's own question is answered without the redirect.
        request.send(
          Data(
            "HTTP/1.1 302 Found\r\nLocation: \(address)/redirect\r\nContent-Length: 0\r\n\r\n".utf8
          ))
      } else if name == "redirect.ts" {
        Self.send(request, Data())
      } else if name == "moved.ts" {
        let target = address.replacing("http:", with: "https:")
        request.send(
          Data(
            "HTTP/1.1 302 Found\r\nLocation: \(target)/moved\r\nContent-Length: 0\r\n\r\n".utf8))
      } else {
        Self.send(request, Data("<html></html>".utf8), "text/html")
      }
    }
    // A yt-dlp that finds the page's film on the other server.
    let tools = try Clips.newFolder("tools")
    let tool = tools.appendingPathComponent("yt-dlp")
    let arguments = tools.appendingPathComponent("arguments").path
    try """
    #!/bin/sh
    echo "$@" >> \(arguments)
    case "$*" in */page) ;; *) exit 1 ;; esac
    printf '{"title":"x","protocol":"http","extractor":"generic","url":"\(address)/page"}'
    """.write(to: tool, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tool.path)

    let ana = try MatineeProcess(
      ["host", "--name", "Ana", "--listen", "127.0.0.1:0", "--mpv", "network-timeout=5"],
      environment: ["PATH": tools.path, "no_proxy": "127.0.0.2", "NO_PROXY": "*"])
    let invite = try #require(try await ana.next("hosting").string("invite"))
    let mallory = try await Guest(invite, name: "Mallory")
    func ask(for name: String) async throws -> MatineeProcess.Event {
      try await mallory.propose("http://127.0.0.1:\(server.port)/\(name)")
      return try await ana.next("confirm") { $0.string("url")?.contains("127.0.0.2") == true }
    }
    try await mallory.propose("http://127.0.0.1:\(server.port)/own.ts")
    try await ana.agree()
    _ = try await ana.next("opened")
    for (name, path) in [
      "segment.m3u8": "/segment", "live.m3u8": "/live?1", "key.m3u8": "/key", "map.m3u8": "/map",
      "variant.m3u8": "/variant", "group.m3u8": "/group", "list.m3u": "/list",
      "list.pls": "/list.pls.entry", "base.mpd": "/base", "redirect.ts": "/redirect",
      "page": "/page",
    ].sorted(by: { $0.key < $1.key }) {
      let question = try await ask(for: name)
      #expect(question.string("url") == address + path, "\(name)")
      #expect(question.string("origin") == address)
      #expect(question.flag("ownNetwork") == true)
      #expect(hits.all.isEmpty, "\(name): \(hits.all)")
      try await ana.deny()
    }
    let tunnel = try await ask(for: "tunnel.m3u8")
    #expect(tunnel.string("origin") == "https://127.0.0.2:\(other.port)")
    try await ana.deny()
    // The question names the whole address, of which the proxy sees only the server.
    let moved = try await ask(for: "moved.ts")
    #expect(moved.string("url") == tunnel.string("origin").map { $0 + "/moved" })
    #expect(moved.string("origin") == tunnel.string("origin"))
    try await ana.deny()
    for name in ["past.m3u8", "past.m3u", "live-past.m3u8"] {
      try await mallory.propose("http://127.0.0.1:\(server.port)/\(name)")
      _ = try await ana.next("error")
      #expect(hits.all.isEmpty, "\(name): \(hits.all)")
    }
    let proxied = try String(contentsOfFile: arguments, encoding: .utf8)
    #expect(proxied.contains("--proxy http://matinee:"))
    #expect(hits.all.isEmpty)

    _ = try await ask(for: "segment.m3u8")
    try ana.send("allow")
    _ = try await ana.next("opened")
    try ana.send("play now")
    _ = try await ana.state { $0.number("playerPosition") ?? 0 > 0.2 }
    #expect(hits.all.contains("/segment"))
    // A film that the user chose needs no proxy, and no trace of it stays.
    try ana.send("load http://127.0.0.1:\(server.port)/own.ts")
    _ = try await ana.next("opened")
    await mallory.party.leave()
    #expect(try await ana.quit() == 0)
  }
}
