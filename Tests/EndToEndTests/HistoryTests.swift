import Foundation
import MediaLibrary
import Testing

/// The data that a program remembers for the next run.
@Suite("The library, end to end", .serialized)
struct HistoryTests {
  private let film: String
  private let state = Clips.folder.appendingPathComponent("state-\(UUID().uuidString)").path

  init() throws { film = try Clips.film.get() }

  private func start(_ arguments: [String]) throws -> MatineeProcess {
    try MatineeProcess(arguments, environment: ["XDG_STATE_HOME": state])
  }

  /// Returns the remembered positions in whole seconds, as another program reads them.
  private func remembered() async throws -> [Int] {
    let (library, notice) = try MediaLibrary.open(in: URL(fileURLWithPath: state + "/matinee"))
    #expect(notice == nil)
    return try await library.recent(limit: 9).map { Int($0.position.seconds) }.sorted()
  }

  @Test(
    "A film's position is remembered when another one is opened, and after a seek and an immediate quit; the next run continues there if the user asks for that"
  )
  func resuming() async throws {
    let player = try start([film])
    _ = try await player.next("opened")
    try player.send("pause")
    try player.send("seek 50")
    _ = try await player.state { $0.number("playerPosition") ?? 0 >= 50 }
    try player.send("load \(try Clips.otherFilm.get())")
    _ = try await player.next("opened") { $0.string("title") == "other" }
    #expect(try await remembered() == [50])
    try player.send("pause")
    _ = try await player.state { $0.flag("playerPaused") == true }
    try player.send("seek 70")
    #expect(try await player.quit() == 0)
    #expect(try await remembered() == [50, 70])

    let brief = try start([film])
    #expect(try await brief.next("resume-offered").number("position") == 50)
    #expect(try await brief.quit() == 0)
    let elsewhere = try start(["--mpv", "start=30", film])
    _ = try await elsewhere.state { $0.number("playerPosition") ?? 0 >= 30 }
    #expect(try await elsewhere.quit() == 0)
    #expect(try await remembered() == [50, 70], "short runs keep the later position")

    let again = try start(["host", "--listen", "127.0.0.1:0", "--resume", film])
    #expect(try await again.next("resuming").number("position") == 50)
    _ = try await again.state { $0.number("groupPosition") == 50 }
    try again.send("load \(try Clips.otherFilm.get())")
    _ = try await again.next("opened") { $0.string("title") == "other" }
    try again.send("load \(film) --resume")
    _ = try await again.next("opened") { $0.string("title") == "film" }
    _ = try await again.state { $0.number("groupPosition") == 50 }
    #expect(try await again.quit() == 0)
  }

  @Test("With --private the program remembers nothing and makes no file")
  func isPrivate() async throws {
    let shelf = try Clips.newFolder("shelf")
    let player = try start([
      film, "--private", "--latency-offset", "180", "--library", shelf.path,
    ])
    _ = try await player.next("opened")
    try player.send("seek 50")
    _ = try await player.state { $0.number("playerPosition") ?? 0 >= 50 }
    #expect(try await player.quit() == 0)
    #expect(!FileManager.default.fileExists(atPath: state))
  }

  @Test("If the library can't be written, the film still plays")
  func unwritable() async throws {
    try Data("in the folder's place".utf8).write(to: URL(fileURLWithPath: state))
    let player = try start([film])
    let warning = try await player.next("warning") {
      $0.string("message")?.contains("keeps no history") == true
    }
    #expect(warning.string("message")?.contains("The library can't be used") == true)
    _ = try await player.next("opened")
    #expect(try await player.quit() == 0)
  }
}
