import Foundation
import Testing

/// One film after another, for all participants.
@Suite("The playlist, end to end", .serialized)
struct PlaylistTests {
  let party: PartyTests
  let first: String
  let second: String

  init() throws {
    party = try PartyTests()
    first = try Clips.film.get()
    second = try Clips.otherFilm.get()
  }

  private func titles(_ event: MatineeProcess.Event) -> [String] {
    (event.fields["playlist"] as? [[String: Any]] ?? []).map { entry in
      (entry["current"] as? Bool == true ? ">" : "") + (entry["title"] as? String ?? "")
    }
  }

  @Test("The films of a list in a file become the party's, and a guest has a copy of each")
  func fileList() async throws {
    let folder = Clips.folder.appendingPathComponent("list-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let names = ["one.mp4", "two.mp4"]
    for (film, name) in zip([first, second], names) {
      try FileManager.default.createSymbolicLink(
        atPath: folder.appendingPathComponent(name).path, withDestinationPath: film)
    }
    let list = folder.appendingPathComponent("evening.m3u")
    try Data("#EXTM3U\n#EXTINF:1,First\none.mp4\ntwo.mp4\n".utf8).write(to: list)
    let (ana, invite) = try await party.host(film: list.path)
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", first, second])
    _ = try await ben.next("opened")
    #expect(titles(try await ben.currentState()) == [">one", "two"])
    try ana.send("watch 2")
    for one in [ana, ben] { _ = try await one.next("opened") }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }

    let alone = try MatineeProcess([])
    try alone.send("load \(list.path)")
    _ = try await alone.state { self.titles($0) == [">one", "two"] }
    #expect(try await alone.quit() == 0)
  }

  @Test("Films are added, moved and removed, and the end of one is the beginning of the next")
  func editing() async throws {
    let (ana, invite) = try await party.host()
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", first, second])
    _ = try await ben.next("opened")
    try ben.send("enqueue \(second)")
    try ben.send("enqueue \(first)")
    for one in [ana, ben] {
      _ = try await one.state { titles($0) == [">film", "other", "film"] }
    }
    try ana.send("move 3 2")
    for one in [ana, ben] {
      _ = try await one.state { titles($0) == [">film", "film", "other"] }
    }
    try ben.send("drop 2")
    for one in [ana, ben] { _ = try await one.state { titles($0) == [">film", "other"] } }
    try ben.send("drop 1")
    #expect(try await ben.next("error").string("command") == "drop 1")
    // Ana needs a copy of the other film too.
    try ana.send("load \(second)")
    for one in [ana, ben] { _ = try await one.next("opened") { $0.string("title") == "other" } }
    try ana.send("previous")
    for one in [ana, ben] { _ = try await one.next("opened") { $0.string("title") == "film" } }

    try ben.send("seek 119")
    try ben.send("play")
    for one in [ana, ben] {
      _ = try await one.state {
        $0.string("title") == "other" && $0.string("status") == "playing"
          && $0.flag("playerPaused") == false
      }
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }
  }
}
