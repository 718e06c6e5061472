import MPVPlayer
import Screening
import Testing
import Timekeeping
import WatchTogether

@testable import MatineeKit

@Suite("The program")
@ScreeningActor
struct RunningProgramTests {
  private func with(
    _ copies: [FilmIdentity], trailers: [String] = [],
    _ body: @ScreeningActor (Program) async throws -> Void
  ) async throws {
    var options = Program.Options(configuration: AdapterStage.silent, name: "Ana")
    (options.isPrivate, options.trailers) = (true, trailers)
    let program = try Program(options)
    await program.start()
    let plan = Plan(
      copies: copies, roots: [], hosting: .init(), inviteFile: nil, entrance: .alone)
    do {
      try await plan.begin(program)
      try await body(program)
    } catch {
      await program.close()
      throw error
    }
    await program.close()
  }

  @Test("It opens the film of its plan, plays, seeks and pauses")
  func film() async throws {
    let film = try FilmIdentity.silent()
    try await with([film]) { program in
      await eventually {
        let status = await program.status()
        return status.player.isLoaded && !status.isOpening
      }
      #expect(program.film?.identifier == film.identifier)
      try await program.perform(.play(immediately: false))
      await eventually { await program.player.position()?.rate ?? 0 > 0 }
      try await program.perform(.pause)
      await eventually { await program.status().player.isPaused }
      try await program.perform(.seek(to: MediaTime(seconds: 30)))
      #expect(await program.status().coordinator.itemTime == MediaTime(seconds: 30))
      await eventually { await program.player.snapshot().itemTime == MediaTime(seconds: 30) }
    }
  }

  @Test("A command that fails throws its error, and one that answers returns its notice")
  func commands() async throws {
    try await with([]) { program in
      let answer = try await program.perform(.setVolume(40))
      #expect(answer == .notice("Volume 40 %"))
      await #expect(throws: PlaylistProblem.empty) { try await program.perform(.advance(by: 1)) }
      await #expect(throws: FilmError.self) { try await program.perform(.enqueue("/missing.mkv")) }
      #expect(program.film == nil)
    }
  }

  @Test("A trailer comes before the film, which plays once the trailer is over")
  func trailer() async throws {
    let trailer = try SilentFilm.make(seconds: 1)
    try await with([try .silent()], trailers: [trailer]) { program in
      await eventually { program.shownPlayer !== program.player }
      await eventually { !program.showsTrailer && program.shownPlayer === program.player }
      #expect(await program.status().coordinator.suspensionReasons.isEmpty)
    }
  }

  @Test("The end ends its events and its player, and commands after it")
  func close() async throws {
    var ended: Program?
    try await with([try .silent()]) { ended = $0 }
    let program = try #require(ended)
    for await _ in program.events.follow(atMost: 1) { Issue.record("an event after the end") }
    await #expect(throws: CancellationError.self) { try await program.perform(.pause) }
    await #expect(throws: MPVError.self) { try await program.player.setVolume(1) }
  }
}
