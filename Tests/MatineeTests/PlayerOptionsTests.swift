import ArgumentParser
import Testing

@testable import MatineeCommands

@Suite("The options of a player")
struct PlayerOptionsTests {
  private func options(_ arguments: String...) throws -> PlayerOptions {
    try #require(try Matinee.parseAsRoot(arguments) as? any FilmCommand).options
  }

  @Test("The desktop shows playback, unless the user wants it private or not on the desktop")
  func desktop() throws {
    #expect(try options("film.mkv").showsNowPlaying)
    #expect(try !options("film.mkv", "--private").showsNowPlaying)
    #expect(try !options("host", "film.mkv", "--no-now-playing").showsNowPlaying)
  }

  @Test("Three angles are accepted, and more are reported")
  func angles() throws {
    let films = ["a", "b", "c", "d"]
    _ = try Matinee.parseAsRoot(["film.mkv", "--angles"] + films.prefix(3))
    let error = #expect(throws: (any Error).self) {
      try Matinee.parseAsRoot(["film.mkv", "--angles"] + films)
    }
    let words = try Matinee.message(for: #require(error))
    #expect(words.contains("up to three films, not 4"), "\(words)")
  }
}
