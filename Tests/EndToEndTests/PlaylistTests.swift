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

  @Test(
    "The films of a list in a file become the party's, a guest has a copy of each, and the end of one is the beginning of the next"
  )
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
    try ben.send("seek 119")
    try ben.send("play")
    for one in [ana, ben] {
      _ = try await one.state {
        titles($0) == ["one", ">two"] && ["two", "other"].contains($0.string("title"))
          && $0.flag("playerPaused") == false
      }
    }
    try ana.send("watch 1")
    for one in [ana, ben] {
      _ = try await one.state {
        titles($0) == [">one", "two"] && ["one", "film"].contains($0.string("title"))
      }
    }
    for one in [ana, ben] { #expect(try await one.quit() == 0) }

    let alone = try MatineeProcess([])
    try alone.send("load \(list.path)")
    _ = try await alone.state { self.titles($0) == [">one", "two"] }
    #expect(try await alone.quit() == 0)
  }
}
