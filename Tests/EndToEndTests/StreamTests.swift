import BrokerTesting
import Foundation
import Testing

/// Films from real servers: their faults are reported with a remedy, and harm no other participant.
@Suite("Streams, end to end", .serialized)
struct StreamTests {
  private static let locations = """
    location /noranges/ { alias \(Clips.folder.path)/; max_ranges 0; }
    location = /forbidden.mp4 { return 403; }
    location = /login.mp4 { return 401; }
    location = /broken.mp4 { return 500; }
    location = /busy.mp4 { return 503; }
    location = /throng.mp4 { return 429; }
    location = /page { default_type text/html; return 200 "<html>no film</html>"; }
    location = /circle.mp4 { return 302 /circle.mp4; }
    location = /near.mp4 { return 301 /stream.mp4; }
    location = /file.mp4 { return 302 file://\(Clips.folder.path)/stream.mp4; }
    location = /ftp.mp4 { return 302 ftp://localhost:$server_port/stream.mp4; }
    """

  private func server() async throws -> NginxServer {
    _ = try Clips.stream.get()
    return try await NginxServer(Clips.folder, locations: Self.locations)
  }

  /// A player that finds only the yt-dlp that the test provides.
  private func start(
    _ arguments: [String], tools: String = "/nowhere"
  ) throws -> MatineeProcess {
    try MatineeProcess(arguments, environment: ["PATH": tools])
  }

  private func plays(_ player: MatineeProcess, beyond place: Double) async throws {
    _ = try await player.state {
      $0.string("status") == "playing" && $0.flag("playerPaused") == false
        && ($0.fields["suspensions"] as? [String]) == []
        && $0.number("playerPosition") ?? 0 > place
    }
  }

  @Test("Each fault of a server has its own message, and the next film opens")
  func words() async throws {
    let server = try await server()
    let player = try start([])
    for (path, words) in [
      "gone.mp4": "has no such film (404)", "forbidden.mp4": "denied access (403)",
      "login.mp4": "requires a login (401)", "broken.mp4": "server error (500)",
      "busy.mp4": "server error (503)", "throng.mp4": "too many requests (429)",
      "circle.mp4": "without end (302)", "file.mp4": "isn't http or https",
      "ftp.mp4": "isn't http or https", "page": "Install yt-dlp",
    ] {
      try player.send("load \(server.url(path))")
      let error = try await player.next("error")
      #expect(error.string("message")?.contains(words) == true, "\(path): \(error)")
      #expect(error.string("message")?.contains("127.0.0.1") == true, "\(path): \(error)")
    }
    for (url, words) in [
      ("http://127.0.0.1:1/film.mp4", "refused the connection"),
      ("http://nosuch.invalid/film.mp4", "There is no host nosuch.invalid"),
      ("https://127.0.0.1:\(server.port)/film.mp4", "isn't an HTTPS server"),
    ] {
      try player.send("load \(url)")
      let error = try await player.next("error")
      #expect(error.string("message")?.contains(words) == true, "\(url): \(error)")
    }
    #expect(player.history(of: "warning").isEmpty, "mpv's own words aren't told beside ours")
    try player.send("load \(server.url("near.mp4"))")
    _ = try await player.next("opened")
    #expect(try await player.quit() == 0)
  }

  @Test("Seeking works for all participants, with and without ranges and in an HLS film")
  func seeking() async throws {
    let hls = Clips.folder.appendingPathComponent("vod")
    try FileManager.default.createDirectory(at: hls, withIntermediateDirectories: true)
    try Clips.ffmpeg([
      "-i", try Clips.stream.get(), "-c", "copy", "-f", "hls", "-hls_time", "4",
      "-hls_playlist_type", "vod", hls.appendingPathComponent("film.m3u8").path,
    ])
    let server = try await server()
    for path in ["stream.mp4", "noranges/stream.mp4", "vod/film.m3u8"] {
      let (ana, invite) = try await MatineeProcess.host(film: server.url(path))
      let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
      try await ben.agree()
      _ = try await ben.next("opened")
      try ana.send("play")
      for one in [ana, ben] { try await plays(one, beyond: 0) }
      for place in [70.0, 20] {
        try ben.send("seek \(place)")
        _ = try await ana.next("command") { $0.string("command") == "seek" }
        for one in [ana, ben] { try await plays(one, beyond: place) }
      }
      for one in [ana, ben] { #expect(try await one.quit() == 0) }
    }
  }

  @Test("A server has to prove its identity, and the user may trust it")
  func tls() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let server = try await NginxServer(
      Clips.folder, certificate: try certificates.files(names: ["IP:127.0.0.1"]))
    _ = try Clips.stream.get()
    let url = "https://127.0.0.1:\(server.tlsPort)/stream.mp4"
    let player = try start([url])
    let error = try await player.next("error")
    #expect(error.string("message")?.contains("isn't trusted") == true, "\(error)")
    #expect(try await player.quit() == 0)
    #expect(server.requests.isEmpty, "it might contain credentials")
    for option in ["tls-ca-file=\(certificates.authority)", "tls-verify=no"] {
      let trusting = try start([url, "--mpv", option])
      _ = try await trusting.next("opened")
      #expect(try await trusting.quit() == 0)
    }
    // Through the filter, and its tunnel.
    let trust = ["--mpv", "tls-ca-file=\(certificates.authority)"]
    let ana = try start(["host", "--name", "Ana", "--listen", "127.0.0.1:0", url] + trust)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")
    let ben = try start(["join", invite, "--name", "Ben"] + trust)
    try await ben.agree()
    _ = try await ben.next("opened")
    let chi = try start(["join", invite, "--name", "Chi"])
    try await chi.agree()
    let refusal = try await chi.next("error")
    #expect(refusal.string("message")?.contains("isn't trusted") == true, "\(refusal)")
    for one in [ana, ben, chi] { #expect(try await one.quit() == 0) }
  }

  @Test("A page is shared, and each participant's own yt-dlp finds the film in it")
  func pages() async throws {
    let server = try await server()
    /// Answers as yt-dlp does for a page with one film in one format.
    func tools(_ film: String) throws -> String {
      let folder = try Clips.newFolder("tools")
      let format: [String: any Sendable] = [
        "format_id": "1", "url": film, "ext": "mp4", "protocol": "http", "vcodec": "h264",
        "acodec": "aac",
      ]
      let answer: [String: any Sendable] = [
        "id": "7", "title": "The talk", "_type": "video", "extractor": "talks",
        "extractor_key": "Talks", "webpage_url": server.url("page"), "duration": 120,
        "format_id": "1", "url": film, "ext": "mp4", "protocol": "http", "formats": [format],
      ]
      let json = String(
        decoding: try JSONSerialization.data(
          withJSONObject: answer, options: .withoutEscapingSlashes), as: UTF8.self)
      let program = folder.appendingPathComponent("yt-dlp")
      try """
      #!/bin/sh
      echo "$@" >> \(folder.path)/asked
      cat <<'END'
      \(json)
      END
      """.write(to: program, atomically: true, encoding: .utf8)
      chmod(program.path, 0o755)
      return folder.path
    }
    let anas = try tools(server.url("stream.mp4?for=Ana"))
    let bens = try tools(server.url("stream.mp4?for=Ben"))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/bin"
    let ana = try start(
      ["host", "--name", "Ana", "--listen", "127.0.0.1:0", server.url("page")],
      tools: anas + ":" + path)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")
    let ben = try start(["join", invite, "--name", "Ben"], tools: bens + ":" + path)
    #expect(try await ben.next("activity").string("url") == server.url("page"))
    try await ben.agree()
    _ = try await ben.next("opened")
    try ana.send("play")
    for one in [ana, ben] { try await plays(one, beyond: 1) }
    for (tools, name) in [(anas, "Ana"), (bens, "Ben")] {
      let asked = try String(contentsOfFile: tools + "/asked", encoding: .utf8)
      #expect(asked.contains(server.url("page")))
      #expect(server.requests.contains { $0.hasSuffix("/stream.mp4?for=\(name)") })
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }
}
