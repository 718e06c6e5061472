import Foundation
import MediaLibrary
import ProcessTesting
import Testing

@testable import MatineeKit

/// The remembered data of parties, people and servers, and their use in the next run.
@Suite("Returning to a party, end to end", .serialized)
struct ReturningTests {
  private let film: String

  init() throws { film = try Clips.film.get() }

  /// Returns the environment with a folder for one person's state.
  private func state(_ name: String) -> [String: String] {
    ["XDG_STATE_HOME": Clips.folder.appendingPathComponent("\(name)-\(UUID().uuidString)").path]
  }

  private func database(_ state: [String: String]) -> URL {
    URL(fileURLWithPath: state["XDG_STATE_HOME"]! + "/matinee")
  }

  private func host(_ state: [String: String]) async throws -> (MatineeProcess, String) {
    let ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:\(Loopback.lastingPort())", "--name", "Ana", film],
      environment: state)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")
    return (ana, invite)
  }

  private func parties(_ process: MatineeProcess) async throws -> [[String: Any]] {
    try process.send("parties")
    return try await process.next("parties").fields["parties"] as? [[String: Any]] ?? []
  }

  @Test(
    "A guest returns with a single command, as the same participant, is recognized, and reads what was said meanwhile"
  )
  func guest() async throws {
    let (anas, bens) = (state("ana"), state("ben"))
    let (ana, invite) = try await host(anas)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"], environment: bens)
    let id = try #require(try await ben.next("joined").string("id"))
    _ = try await ben.next("participant-joined")
    // The title is remembered from here on.
    _ = try await ben.next("activity")
    try ben.send("chat back soon")
    _ = try await ana.next("chat")
    #expect(try await ben.quit() == 0)
    _ = try await ana.next("participant-left")
    try ana.send("chat meanwhile")

    let again = try MatineeProcess([film, "--name", "Ben"], environment: bens)
    let known = try await parties(again)
    #expect(known.count == 1)
    #expect(known[0]["title"] as? String == "film")
    #expect(known.description.contains("matinee://") == false, "an invite is a secret")
    try again.send("rejoin")
    #expect(try await again.next("joined").string("id") == id)
    try again.send("rejoin")
    _ = try await again.next("error") { $0.string("message") == "You are already in this party." }
    let met = try await again.next("met")
    #expect(met.string("name") == "Ana" && met.string("as") == "Ana")
    let earlier = try await again.next("earlier-chat")
    let lines = earlier.fields["lines"] as? [[String: Any]]
    #expect(earlier.string("from") == "Ana")
    #expect(lines?.map { $0["text"] as? String } == ["back soon", "meanwhile"])
    _ = try await ana.next("participant-joined") { $0.string("id") == id }
    #expect(ana.history(of: "warning").isEmpty)

    // Two programs of one person are two participants.
    let second = try MatineeProcess(["join", invite, "--name", "Ben"], environment: bens)
    #expect(try await second.next("joined").string("id") != id)
    for one in [second, again, ana] { #expect(try await one.quit() == 0) }
    for name in try FileManager.default.contentsOfDirectory(atPath: database(bens).path) {
      let path = database(bens).appendingPathComponent(name).path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
      #expect(!name.hasPrefix("party-"), "\(name)")
    }
  }

  @Test("A host whose program crashed opens the party again, together with the guests who stayed")
  func hostReturns() async throws {
    let (anas, bens) = (state("ana"), state("ben"))
    let (ana, invite) = try await host(anas)
    let ben = try MatineeProcess(
      ["join", invite, "--name", "Ben", film], environment: bens)
    _ = try await ben.next("opened")
    try ben.send("seek 50")
    _ = try await ben.next("command") { $0.string("command") == "seek" }
    _ = try await ana.next("command") { $0.string("command") == "seek" }
    ana.kill9()
    _ = try await ben.next("disconnected")
    #expect(ben.history(of: "party-closed").isEmpty, "a crash is a lost connection")

    let again = try MatineeProcess([film, "--name", "Ana"], environment: anas)
    _ = try await again.next("opened")
    try again.send("rejoin")
    let joined = try await again.next("joined")
    #expect(joined.flag("host") == true)
    #expect(try await again.next("met").string("name") == "Ben")
    _ = try await ben.next("connected")
    // The state of the guests who stayed counts.
    for one in [again, ben] {
      _ = try await one.state { $0.number("playerPosition") == 50 && $0.roster.count == 2 }
    }
    try again.send("control hosts")
    _ = try await ben.next("rules") { $0.string("control") == "hosts" }
    for one in [ben, again] { #expect(try await one.quit() == 0) }
  }

  @Test(
    "A host who returns to a party that everybody has left finds its film, position, list and rules"
  )
  func everybodyLeft() async throws {
    let anas = state("ana")
    let (ana, invite) = try await host(anas)
    // A party that no other participant ever joined isn't remembered.
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", "--no-standby"])
    _ = try await ben.next("joined")
    #expect(try await ben.quit() == 0)
    _ = try await ana.next("participant-left")
    try ana.send("enqueue \(try Clips.otherFilm.get())")
    _ = try await ana.next("playlist") { ($0.fields["playlist"] as? [Any])?.count == 2 }
    try ana.send("control hosts")
    _ = try await ana.next("rules") { $0.string("control") == "hosts" }
    try ana.send("pause")
    try ana.send("seek 50")
    _ = try await ana.state { $0.number("playerPosition") == 50 }
    #expect(try await ana.quit() == 0)

    let again = try MatineeProcess(["--name", "Ana"], environment: anas)
    _ = try await again.next("ready")
    try again.send("rejoin")
    // The party may take seconds to open; the answer doesn't.
    #expect(try await again.currentState().string("party") == nil)
    _ = try await again.next("joined")
    _ = try await again.next("opened") { $0.string("title") == "film" }
    let state = try await again.state { $0.number("playerPosition") == 50 }
    let titles = (state.fields["playlist"] as? [[String: Any]])?.map { $0["title"] as? String }
    #expect(titles == ["film", "other"])
    // Only a change is an event: so the rule of the first evening was in force until now.
    try again.send("control everyone")
    _ = try await again.next("rules") { $0.string("control") == "everyone" }
    #expect(try await again.quit() == 0)
  }

  @Test("Another key under a known name is reported")
  func namesake() async throws {
    let (anas, bens) = (state("ana"), state("ben"))
    let (ana, invite) = try await host(anas)
    let chi = try MatineeProcess(["join", invite, "--name", "Chi", film])
    _ = try await chi.next("joined")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben"], environment: bens)
    _ = try await ben.next("joined")
    _ = try await ana.next("participant-joined") { $0.string("name") == "Ben" }
    try ana.send("leave")
    _ = try await ana.next("left")
    #expect(try await ben.quit() == 0)
    #expect(try await chi.quit() == 0)
    #expect(try await ana.quit() == 0)

    let again = try MatineeProcess([film, "--name", "Ana"], environment: anas)
    try again.send("rejoin")
    _ = try await again.next("joined")
    let mallory = try MatineeProcess(["join", invite, "--name", "Ben", film])
    _ = try await mallory.next("joined")
    _ = try await again.next("warning") {
      $0.string("message")?.contains("has another key than the Ben whom you met here") == true
    }
    for one in [mallory, again] { #expect(try await one.quit() == 0) }
  }

  @Test(
    "In the moment in which the party ends, a guest can quit, and another one can join another party"
  )
  func atTheEnd() async throws {
    let (ana, invite) = try await host(state("ana"))
    let (zoe, another) = try await host(state("zoe"))
    let others = try ["Ben", "Chi", "Dan"].map {
      try MatineeProcess(["join", invite, "--name", $0])
    }
    for one in others { _ = try await one.next("joined") }
    try ana.send("end-party")
    for one in others {
      _ = try await one.next("party-closed")
      try one.send(one === others[2] ? "join \(another)" : "quit")
    }
    _ = try await others[2].next("joined")
    try others[2].send("quit")
    for one in others { #expect(try await one.exitCode() == 0) }
    for one in [ana, zoe] { #expect(try await one.quit() == 0) }
  }

  @Test("A permanently trusted server isn't asked about again, until it is forgotten")
  func hosts() async throws {
    let bens = state("ben")
    let server = try FilmServer(Clips.stream.get())
    let (ana, invite) = try await MatineeProcess.host(film: server.url)
    /// Joins with a film of Ben's own, so that he doesn't join for the party's film.
    func join() async throws -> MatineeProcess {
      let ben = try MatineeProcess(
        ["join", invite, "--name", "Ben", film], environment: bens)
      _ = try await ben.next("joined")
      return ben
    }
    let first = try await join()
    #expect(try await first.next("confirm").string("host") == "127.0.0.1")
    try first.send("allow always")
    _ = try await first.next("opened")
    #expect(try await first.quit() == 0)

    let second = try await join()
    _ = try await second.next("opened")
    #expect(second.history(of: "confirm").isEmpty)
    try second.send("hosts")
    let hosts = try await second.next("hosts").fields["hosts"] as? [[String: Any]]
    let url = try #require(URL(string: server.url))
    #expect(hosts?.map { $0["host"] as? String } == ["http://127.0.0.1:\(url.port ?? 0)"])
    try second.send("forget-host 127.0.0.1")
    #expect(try await second.quit() == 0)

    let third = try await join()
    _ = try await third.next("confirm")
    for one in [third, ana] { #expect(try await one.quit() == 0) }
  }

  @Test("A copy that was never opened here is found by its content")
  func neverOpened() async throws {
    let folder = Clips.folder.appendingPathComponent("shelf-\(UUID().uuidString)")
    let manager = FileManager.default
    try manager.createDirectory(
      at: folder.appendingPathComponent("deep/down"), withIntermediateDirectories: true)
    try manager.copyItem(
      atPath: film, toPath: folder.appendingPathComponent("deep/down/Mine.mp4").path)
    let (ana, invite) = try await host(state("ana"))
    let bens = state("ben")
    let ben = try MatineeProcess(
      ["join", invite, "--name", "Ben", "--library", folder.path], environment: bens)
    // It may be found before or after the party's film is known, and has the party's title.
    _ = try await ben.next("opened") { $0.string("title") == "film" }
    try ben.send("search mine")
    let found = try await ben.next("found").fields["found"] as? [[String: Any]]
    #expect(found?.count == 1)
    #expect(try await ben.quit() == 0)
    // The folder is remembered.
    let again = try MatineeProcess(["join", invite, "--name", "Ben"], environment: bens)
    _ = try await again.next("opened") { $0.string("title") == "film" }
    try again.send("drop-folder \(folder.path)")
    try again.send("folders")
    #expect((try await again.next("folders").fields["folders"] as? [Any])?.isEmpty == true)
    #expect(try await again.quit() == 0)
    #expect(try await ana.quit() == 0)
  }
}
