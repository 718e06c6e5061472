import Foundation
import Synchronization
import Testing

/// A guest's addresses of films and the answers of servers never make the program open a file of this machine.
@Suite("Hostile addresses", .serialized)
struct HostileURLTests {
  private func host(_ options: [String] = []) async throws -> (MatineeProcess, String) {
    let ana = try MatineeProcess(
      ["host", "--name", "Ana", "--listen", "127.0.0.1:0", "--mpv", "ytdl=no"] + options)
    return (ana, try #require(try await ana.next("hosting").string("invite")))
  }

  @Test("A newcomer is asked about an address that a guest set before anything is fetched")
  func addresses() async throws {
    let asked = Mutex<[String]>([])
    let server = try HTTPListener { request in
      asked.withLock { $0.append(request.target) }
      request.send(Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    let (ana, invite) = try await host([try Clips.film.get()])
    _ = try await ana.next("opened")
    let mallory = try await Guest(invite, name: "Mallory")
    try await mallory.propose("http://127.0.0.1:\(server.port)/reboot.cgi?now=1")
    #expect(try await ana.next("confirm").string("host") == "127.0.0.1")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"])
    let question = try await ben.next("confirm")
    #expect(question.string("origin") == "http://127.0.0.1:\(server.port)")
    #expect(question.flag("ownNetwork") == true)
    try await ben.deny()
    // Another port of an accepted host is another server.
    let own = try FilmServer(Clips.stream.get())
    try await mallory.propose(own.url)
    #expect(try await ben.next("confirm").string("origin") != question.string("origin"))
    try ben.send("allow")
    _ = try await ben.next("opened")
    try await mallory.propose("http://127.0.0.1:\(server.port)/reboot.cgi?now=2")
    _ = try await ben.next("confirm") { $0.string("url")?.hasSuffix("now=2") == true }
    #expect(asked.withLock { $0 }.isEmpty)
    await mallory.party.leave()
    #expect(try await ben.quit() == 0)
    #expect(try await ana.quit() == 0)
  }

  @Test(
    "A guest's address, playlists, manifests and redirects lead to no file",
    arguments: [false, true])
  func smuggled(evenIfTheUsersOwnMay: Bool) async throws {
    let canary = try Canary()
    let pages = Smuggling.pages(canary)
    let server = try HTTPListener { request in
      let name = String(request.target.dropFirst())
      if let target = Smuggling.redirects(canary)[name] {
        request.send(
          Data(
            "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n".utf8))
      } else if let (type, text) = pages[name] {
        request.send(
          Data(
            "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
              .utf8))
      } else {
        request.send(Data("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
      }
    }
    let (ana, invite) = try await host(
      ["--mpv", "network-timeout=3"]
        + (evenIfTheUsersOwnMay ? ["--mpv", "load-unsafe-playlists=yes"] : []))
    let mallory = try await Guest(invite, name: "Mallory")
    let names = pages.keys.sorted()
    try await mallory.propose("file://\(canary.path("film.mkv"))")
    let refusal = try await ana.next("error")
    #expect(refusal.string("message")?.contains("The party's address for this film") == true)
    try await mallory.propose("http://127.0.0.1:\(server.port)/first")
    _ = try await ana.next("confirm")
    try ana.send("allow")
    _ = try await ana.next("error")
    for name in Smuggling.redirects(canary).keys.sorted() {
      _ = canary.opened()
      try await mallory.propose("http://127.0.0.1:\(server.port)/\(name)")
      let error = try await ana.next("error")
      // A path is the server's own, and a list is one of the pages below.
      let message = error.string("message") ?? ""
      let isRefused = ["doesn't open it", "forbidden address"].contains { message.contains($0) }
      #expect(isRefused != ["to-path", "to-list"].contains(name), "\(name): \(error)")
      #expect(canary.opened().isEmpty, "\(name)")
    }
    for name in names {
      _ = canary.opened()
      try await mallory.propose("http://127.0.0.1:\(server.port)/\(name)")
      _ = try await ana.next("activity") { $0.string("url")?.hasSuffix("/\(name)") == true }
      // It reports that it can't open it, or it is paused at the beginning of whatever it could read.
      _ = try await ana.state { $0.string("item")?.contains("/\(name) ") == true }
      try ana.send("play now")
      let end = ContinuousClock.now + .seconds(10)
      while ContinuousClock.now < end {
        let state = try await ana.currentState()
        if state.roster.first(where: { $0["you"] as? Bool == true })?["suspensions"]
          as? [String] != []
        {
          break
        }
        if state.number("playerPosition") ?? 0 > 0.2 { break }
      }
      #expect(canary.opened().isEmpty, "\(name)")
    }
    await mallory.party.leave()
    #expect(try await ana.quit() == 0)
  }

  @Test("Servers that send slowly keep neither threads nor descriptors")
  func drips() async throws {
    let dripping = Mutex<Set<String>>([])
    let server = try HTTPListener { request in
      let type = "application/vnd.apple.mpegurl"
      request.send(
        Data("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 9999\r\n\r\n".utf8))
      // The program's first request is for one byte, and the next one for everything.
      if request.fields["range"] != "bytes=0-0" {
        _ = dripping.withLock { $0.insert(request.target) }
      }
      while request.send(Data("#".utf8)) { usleep(200_000) }
    }
    let (ana, invite) = try await host()
    let mallory = try await Guest(invite, name: "Mallory")
    func waitForDrip(_ path: String) async throws {
      try await MatineeProcess.wait("\(path) was never asked for") {
        dripping.withLock { $0.contains(path) }
      }
    }
    /// The threads and descriptors, without the idle threads of the pool, which ends them after seconds.
    func held() throws -> (threads: Int, descriptors: Int) {
      let process = "/proc/\(ana.id)"
      let threads = try FileManager.default.contentsOfDirectory(atPath: "\(process)/task").filter {
        let name = try? String(contentsOfFile: "\(process)/task/\($0)/comm", encoding: .utf8)
        return name.map { !$0.contains("-qos") } ?? false
      }
      return (
        threads.count, try FileManager.default.contentsOfDirectory(atPath: "\(process)/fd").count
      )
    }
    try await mallory.propose("http://127.0.0.1:\(server.port)/first.m3u8")
    try await ana.agree()
    // An answer that comes after the next film would belong to no question.
    try await waitForDrip("/first.m3u8")
    let before = try held()
    for number in 0..<12 {
      let path = "/drip-\(number).m3u8"
      try await mallory.propose("http://127.0.0.1:\(server.port)\(path)")
      try await waitForDrip(path)
    }
    // Each film ended the program's look at the one before. A connection of the newest may still be coming.
    try await MatineeProcess.wait("\(before) became \(try held())") {
      let now = try held()
      return now.threads <= before.threads + 2 && now.descriptors <= before.descriptors + 4
    }
    await mallory.party.leave()
    #expect(try await ana.quit() == 0)
  }

  @Test(
    "A playlist with the name of a film is refused with the reason, and one with entries elsewhere asked about"
  )
  func disguised() async throws {
    let canary = try Canary()
    let player = try MatineeProcess([try Clips.film.get()])
    _ = try await player.next("opened")
    let folder = try Clips.newFolder("lists")
    func load(_ name: String) throws {
      let file = folder.appendingPathComponent(name)
      try Data("#EXTM3U\n\(canary.path("film.mkv"))\n".utf8).write(to: file)
      try player.send("load \(file.path)")
    }
    let name = "evening-\(UUID().uuidString)"
    try load(name + ".mp4")
    let error = try await player.next("error")
    #expect(
      error.string("message")?.contains("isn't a film, but a playlist, which would open others")
        == true, "\(error)")
    try load(name + ".m3u")
    let question = try await player.next("confirm")
    #expect(question.string("url") == canary.path("film.mkv"))
    try player.send("deny")
    #expect(try await player.currentState().string("title") == nil)
    #expect(canary.opened().isEmpty)
    try load(name + ".m3u")
    _ = try await player.next("confirm")
    try player.send("allow")
    _ = try await player.next("opened")
    #expect(canary.opened().contains("film.mkv"))
    #expect(try await player.quit() == 0)
  }

  @Test("The canary reports that it was opened")
  func canary() async throws {
    let canary = try Canary()
    #expect(canary.opened().isEmpty)
    let player = try MatineeProcess([canary.path("film.mkv")])
    _ = try await player.next("opened")
    #expect(canary.opened().contains("film.mkv"))
    #expect(try await player.quit() == 0)
  }
}
