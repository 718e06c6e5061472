import Foundation
import Testing

/// Drawing over the film, in real programs.
@Suite("Drawing, end to end", .serialized)
struct DrawingEndToEndTests {
  let party: PartyTests
  let film: String

  init() throws {
    party = try PartyTests()
    film = try Clips.film.get()
  }

  private func authors(_ event: MatineeProcess.Event) -> [String] {
    (event.fields["strokes"] as? [[String: Any]] ?? []).compactMap { $0["by"] as? String }
  }

  @Test(
    "All participants see a drawing, also late joiners; it can be undone by strokes and cleared")
  func drawing() async throws {
    let (ana, invite) = try await party.host([])
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", film])
    _ = try await ben.next("opened")
    try ana.send("draw 0.1 0.1 0.5 0.5 0.9 0.1")
    let line = [[0.1, 0.1], [0.5, 0.5], [0.9, 0.1]]
    // The strokes may begin to arrive while he enters the drawing.
    let seen = try await ben.next("drawing") { event in
      let strokes = event.fields["strokes"] as? [[String: Any]]
      return authors(event) == ["Ana"] && strokes?[0]["points"] as? [[Double]] == line
    }
    #expect(seen.flag("isDrawing") == false)
    try ben.send("draw 0.2 0.2 0.3 0.3")
    _ = try await ana.next("drawing") { authors($0) == ["Ana", "Ben"] }
    // The film continues meanwhile, for all participants.
    try ben.send("play")
    for one in [ana, ben] { _ = try await one.state { $0.flag("playerPaused") == false } }

    let chi = try MatineeProcess(["join", invite, "--name", "Chi", film])
    _ = try await chi.next("drawing") { authors($0) == ["Ana", "Ben"] }
    try ana.send("undo")
    for one in [ben, chi] { _ = try await one.next("drawing") { authors($0) == ["Ben"] } }
    try chi.send("reset-drawing")
    #expect(try await ana.next("drawing-began").flag("again") == true)
    try ana.send("draw 0.5 0.5 0.6 0.6")
    for one in [ben, chi] { _ = try await one.next("drawing") { authors($0) == ["Ana"] } }

    // A participant that leaves the drawing sees none of it, stays with the film, and sees all of
    // it after returning.
    try ben.send("leave-drawing")
    _ = try await ben.next("drawing") { authors($0).isEmpty }
    try ana.send("draw 0.7 0.7 0.8 0.8")
    _ = try await chi.next("drawing") { authors($0) == ["Ana", "Ana"] }
    try ben.send("draw")
    _ = try await ben.next("drawing") { authors($0) == ["Ana", "Ana"] }
    for one in [ana, ben, chi] {
      _ = try await one.state {
        $0.string("title") == "film" && $0.flag("playerPaused") == false
      }
    }
    for one in [chi, ben, ana] { #expect(try await one.quit() == 0) }
  }
}
