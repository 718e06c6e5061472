import GroupActivities
import PartyTesting
import PlaybackCoordination
import Testing
import Timekeeping

@Suite("Coordinate your own player", .timeLimit(.minutes(1)))
struct CoordinateYourOwnPlayerTests {
  private static let film = WatchFilm(film: "isan:orbits", title: "Orbits")

  /// Two who watch, and the second one's screening begins with the session.
  private func watch(_ body: (Screening, Screening) async throws -> Void) async throws {
    try await PartyRoom.run { room in
      let parties = [try await room.enter("Ana"), try await room.enter("Ben")]
      let screenings = [Screening(), Screening()]
      let tasks = zip(parties, screenings).map { party, screening in
        Task { try await screening.follow(party) }
      }
      defer { for task in tasks { task.cancel() } }
      try await Self.film.activate(in: parties[0])
      for screening in screenings {
        try await until {
          let others = await screening.coordinator.otherParticipants
          let item = await screening.player.itemIdentifier
          return item == Self.film.film && others.first?.currentItemIdentifier == Self.film.film
        }
      }
      try await body(screenings[0], screenings[1])
    }
  }

  @Test("Both start at one instant, skip together, and stand on one frame")
  func together() async throws {
    try await watch { ana, ben in
      try await ana.playOrPause()
      try await until { await ana.player.rate == 1 }
      try await until { await ben.player.rate == 1 }
      let later = HostTime.now() + .seconds(1)
      let apart = await ana.player.itemTime(at: later) - ben.player.itemTime(at: later)
      #expect(abs(apart / .milliseconds(1)) < 10)

      try await ben.skip(by: .seconds(60))
      for screening in [ana, ben] {
        try await until {
          let place = await screening.player.itemTime(at: .now())
          return await screening.player.rate == 1 && place >= MediaTime(seconds: 60)
        }
      }
      try await ben.playOrPause()
      try await until { await ana.player.rate == 0 }
      // A player that stopped within half a millisecond of the frame isn't moved.
      try await until {
        let apart = await ana.player.itemTime(at: .now()) - ben.player.itemTime(at: .now())
        return abs(apart / .milliseconds(1)) <= 0.5
      }
    }
  }

  @Test("Who has no data is apart, and comes back to where the other is")
  func stall() async throws {
    try await watch { ana, ben in
      try await ana.playOrPause()
      for screening in [ana, ben] { try await until { await screening.player.rate == 1 } }
      try await ben.dataStopped()
      #expect(await ben.player.rate == 0)
      #expect(await ana.player.rate == 1)
      try await until { await ana.player.itemTime(at: .now()) > MediaTime(seconds: 0.2) }
      await ben.dataCame()
      try await until { await ben.player.rate == 1 }
      let later = HostTime.now() + .seconds(1)
      let apart = await ana.player.itemTime(at: later) - ben.player.itemTime(at: later)
      #expect(abs(apart / .milliseconds(1)) < 10)
    }
  }
}
