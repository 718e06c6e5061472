import Foundation
import ProcessTesting
import Testing

@Suite("mpv's own window", .serialized)
struct WindowTests {
  @Test(
    "A drawing lies over the picture, where it was drawn, until it is undone; keys in the window act on all participants, and closing it ends the program"
  )
  func keys() async throws {
    let film = try Clips.film.get()
    let display = try VirtualDisplay()
    let ana = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--name", "Ana", film], display: display.name)
    let invite = try #require(try await ana.next("hosting").string("invite"))
    _ = try await ana.next("opened")
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", film])
    _ = try await ben.next("opened")

    // Her colour, as in the roster.
    let ink = [255, 95, 255]
    func drawn(_ isThere: (Double) -> Bool) async throws -> (column: Double, row: Double) {
      let deadline = ContinuousClock.now + .seconds(60)
      while true {
        let area = try display.screenshot().area(of: ink)
        if isThere(area.share) { return (area.column, area.row) }
        guard .now < deadline else { throw ChildProcess.Failure("\(area)") }
      }
    }
    let before = try display.screenshot().area(of: ink).share
    try #require(before < 0.0001, "the film itself has the colour")
    try ana.send("draw 0.25 0.25 0.75 0.25")
    _ = try await ana.next("drawing") { ($0.fields["strokes"] as? [Any])?.count == 1 }
    let place = try await drawn { $0 > 0.0003 }
    #expect(abs(place.column - 320) < 20, "\(place)")
    #expect(place.row < 240 && place.row > 60, "\(place)")
    try ana.send("undo")
    _ = try await drawn { $0 < 0.0001 }
    // The keys are the pen's until then.
    try ana.send("leave-drawing")
    _ = try await ana.next("drawing") { $0.flag("isDrawing") == false }

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
