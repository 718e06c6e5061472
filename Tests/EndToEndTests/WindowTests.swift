import Foundation
import Testing

@Suite("mpv's own window", .serialized)
struct WindowTests {
  @Test("Its keys act on everybody, and closing it ends the program")
  func keys() async throws {
    let film = try Clips.film.get()
    let display = try VirtualDisplay()
    let ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--name", "Ana", film], display: display.name)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", film])
    _ = try await ben.next("opened")

    for (key, command) in [("space", "play"), ("Right", "seek"), ("bracketright", "rate")] {
      try display.press(key, inWindow: "film")
      for one in [ana, ben] {
        _ = try await one.next("command") {
          $0.string("command") == command && $0.string("by") == "Ana"
        }
      }
    }
    // The window belongs to the program, not to the film.
    try ana.send("load \(try Clips.otherFilm.get())")
    _ = try await ana.next("opened")
    try display.press("space", inWindow: "other")
    _ = try await ana.next("command") { $0.string("command") == "play" }
    #expect(try await ana.currentState().string("status") != "empty")

    try display.press("q", inWindow: "other")
    #expect(try await ana.exitCode() == 0)
    _ = try await ben.next("participant-left") { $0.flag("announced") == true }
    #expect(try await ben.quit() == 0)
  }
}
