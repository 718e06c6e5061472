import CoordinatedPlayer
import Foundation
import GroupActivities
import PartyTesting
import PlaybackCoordination
import ProcessTesting
import Synchronization
import Testing
import Timekeeping

private struct WatchClip: GroupActivity {
  var metadata: GroupActivityMetadata { GroupActivityMetadata(type: .watchTogether) }
}

/// A player in a session, with the record of its events. All items have one name.
private final class Seat: PlayerPlaybackCoordinatorDelegate {
  let player: CoordinatedPlayer
  private let ranges: [Range<MediaTime>]
  private let seen = Mutex<[CoordinatedPlayer.Event]>([])

  /// - Parameter party: nil for a player alone.
  init(
    in party: Party?, _ url: URL, _ options: [String: String] = [:],
    ranges: [Range<MediaTime>] = []
  ) async throws {
    self.ranges = ranges
    player = try CoordinatedPlayer(
      options: ["vo": "null", "ao": "null", "config": "no"].merging(options) { $1 })
    player.coordinatorDelegate = self
    let events = player.events
    Task { [weak self] in
      for await event in events { self?.seen.withLock { $0.append(event) } }
    }
    if let party,
      let session = try await first(of: WatchClip.sessions(in: party), where: { _ in true })
    {
      await session.join()
      try await player.playbackCoordinator.coordinateWithSession(session)
    }
    player.replaceCurrentItem(with: PlayerItem(url: url))
  }

  var events: [CoordinatedPlayer.Event] { seen.withLock { $0 } }
  var time: Double { player.currentTime()?.seconds ?? -1 }

  func wait(
    for reason: String, until isSo: (CoordinatedPlayer) async throws -> Bool
  ) async throws {
    try await MatineeProcess.wait("\(reason): \(self.time) \(self.events.suffix(6))") {
      try await isSo(player)
    }
  }

  func playsInStep(with other: Seat, shiftedBy shift: Double = 0) async throws {
    try await wait(for: "in step with \(other.time)") {
      guard $0.timeControlStatus == .playing, other.player.timeControlStatus == .playing,
        await $0.playbackCoordinator.suspensionReasons.isEmpty
      else { return false }
      return abs(time - other.time - shift) < 0.05
    }
  }

  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, identifierFor: PlayerItem
  ) -> String { "clip" }

  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, interstitialTimeRangesFor: PlayerItem
  ) -> [Range<MediaTime>] { ranges }
}

/// Real players in one process, over a broker in memory.
@Suite("A coordinated player", .serialized)
struct CoordinatedPlayerTests {
  private func together(
    _ ana: (Party) async throws -> Seat, _ ben: (Party) async throws -> Seat,
    _ body: (Seat, Seat, [Party]) async throws -> Void
  ) async throws {
    try await PartyRoom.run { room in
      let parties = [try await room.enter("Ana"), try await room.enter("Ben")]
      try await WatchClip().activate(in: parties[0])
      let seats = [try await ana(parties[0]), try await ben(parties[1])]
      try await body(seats[0], seats[1], parties)
      for seat in seats { await seat.player.shutDown() }
    }
  }

  private static var film: URL {
    get throws { URL(fileURLWithPath: try Clips.film.get()) }
  }

  @Test("Commands move the group, and their effects name the originator")
  func originators() async throws {
    try await together {
      try await Seat(in: $0, Self.film)
    } _: {
      try await Seat(in: $0, Self.film)
    } _: { ana, ben, parties in
      #expect(ana.player.timeControlStatus == .paused && ana.player.rate == 0)
      ana.player.play()
      try await ben.playsInStep(with: ana)
      #expect(ben.events.contains(.rateDidChange(1, originator: parties[0].localID)))
      #expect(
        ben.events.contains(
          .timeControlStatusChanged(
            .waitingToPlayAtSpecifiedRate, .waitingForCoordinatedPlayback))
          || ben.events.contains(
            .timeControlStatusChanged(.waitingToPlayAtSpecifiedRate, .toMinimizeStalls))
      )
      ben.player.seek(to: MediaTime(seconds: 40))
      try await ana.wait(for: "the seek") { _ in ana.time > 40.5 }
      #expect(
        ana.events.contains(
          .timeJumped(to: MediaTime(seconds: 40), originator: parties[1].localID)))
      ben.player.defaultRate = 1.5
      try await ana.wait(for: "the rate") { $0.rate == 1.5 }
      ben.player.pause()
      try await ana.wait(for: "one frame") {
        $0.timeControlStatus == .paused && ana.time == ben.time && ana.time > 40
      }
      try await parties[0].amend(.control(.hosts))
      try await ben.wait(for: "the refusal") {
        $0.play()
        return ben.events.contains(.commandRefused(.notPermitted))
      }
      #expect(ana.player.rate == 0)
    }
  }

  @Test("A player without data is apart, stops no other, and returns into step")
  func stall() async throws {
    let server = try FilmServer(Clips.stream.get())
    server.limit("Ben", to: 5)
    let url = try #require(URL(string: server.url))
    try await together {
      try await Seat(in: $0, url)
    } _: {
      try await Seat(in: $0, url, ["user-agent": "Ben"])
    } _: { ana, ben, _ in
      ana.player.play()
      try await ben.playsInStep(with: ana)
      try await ben.wait(for: "the stall") {
        await $0.playbackCoordinator.suspensionReasons == [.stallRecovery]
          && $0.reasonForWaitingToPlay == .toMinimizeStalls
      }
      let (here, held) = (ana.time, ben.time)
      try await ana.wait(for: "three seconds") {
        #expect($0.timeControlStatus == .playing)
        return ana.time > here + 3
      }
      #expect(ben.time < held + 1)
      server.limit("Ben", to: nil)
      try await ben.playsInStep(with: ana)
      #expect(ben.time > here + 3)
    }
  }

  @Test("A server that disappears stops no other, and the player returns when it is back")
  func lostServer() async throws {
    let server = try FilmServer(Clips.stream.get())
    server.limit("Ben", to: 5)
    let url = try #require(URL(string: server.url))
    try await together {
      try await Seat(in: $0, url)
    } _: {
      try await Seat(in: $0, url, ["user-agent": "Ben", "stream-lavf-o": "reconnect=0"])
    } _: { ana, ben, _ in
      ana.player.play()
      try await ben.playsInStep(with: ana)
      server.refuse("Ben")
      server.limit("Ben", to: nil)
      ana.player.seek(to: MediaTime(seconds: 60))
      try await ana.wait(for: "the seek") { _ in ana.time > 63 }
      let reasons = await ben.player.playbackCoordinator.suspensionReasons
      #expect(reasons.contains(.stallRecovery))
      server.refuse("Ben", false)
      try await ben.playsInStep(with: ana)
    }
  }

  @Test("A second player plays interstitial items; then the first returns to the group, or goes on")
  func interstitialEvents() async throws {
    let short = Clips.folder.appendingPathComponent("short-\(UUID().uuidString).mp4")
    try Clips.ffmpeg(["-i", Self.film.path, "-t", "2", "-c", "copy", short.path])
    let event = InterstitialEvent(
      time: MediaTime(seconds: 2), templateItems: [PlayerItem(url: short)])
    try await together {
      try await Seat(in: $0, Self.film)
    } _: {
      try await Seat(in: $0, Self.film)
    } _: { ana, ben, _ in
      ben.player.interstitialEvents = [event]
      ana.player.play()
      try await ben.wait(for: "the advertisement") {
        ($0.interstitialPlayer?.currentTime() ?? .zero) > .zero
      }
      #expect(
        await ben.player.playbackCoordinator.suspensionReasons == [.playingInterstitial])
      #expect(abs(ben.time - 2) < 0.5 && ana.player.timeControlStatus == .playing)
      try await ben.wait(for: "its end") { $0.interstitialPlayer == nil }
      try await ben.playsInStep(with: ana)
      #expect(ana.time > 3.5)
    }
    let alone = try await Seat(in: nil, Self.film)
    alone.player.interstitialEvents = [event]
    alone.player.play()
    try await alone.wait(for: "the end") { _ in
      alone.events.contains(.interstitialEventChanged(nil))
    }
    try await alone.wait(for: "the rest") { _ in alone.time > 2.5 }
    #expect(alone.time < 6)
    await alone.player.shutDown()
  }

  @Test("Inside a range that isn't content a player is apart; content times agree after it")
  func ranges() async throws {
    let ad = MediaTime(seconds: 2)..<MediaTime(seconds: 4)
    try await together {
      try await Seat(in: $0, Self.film)
    } _: {
      try await Seat(in: $0, Self.film, ranges: [ad])
    } _: { ana, ben, _ in
      ana.player.play()
      try await ben.wait(for: "the advertisement") {
        await $0.playbackCoordinator.suspensionReasons == [.playingInterstitial]
          && ben.time > 2.2
      }
      try await ben.wait(for: "the rest of the advertisement") { _ in ben.time > 3.5 }
      try await ben.playsInStep(with: ana, shiftedBy: 2)
    }
  }

  @Test("Live streams of two servers are in step by the dates")
  func live() async throws {
    let began = Date()
    let servers = try [0, 1000].map { try LiveServer(try Clips.live(shiftedBy: $0), began: began) }
    let urls = try servers.map { try #require(URL(string: $0.url)) }
    try await together {
      try await Seat(in: $0, urls[0])
    } _: {
      try await Seat(in: $0, urls[1])
    } _: { ana, ben, _ in
      ana.player.play()
      try await ben.playsInStep(with: ana, shiftedBy: 1000)
      let dates = [ana, ben].compactMap { $0.player.currentDate()?.timeIntervalSince1970 }
      #expect(dates.count == 2 && abs(dates[0] - dates[1]) < 0.2)
      #expect(abs(dates[0] - Date().timeIntervalSince1970) < 60)
    }
    withExtendedLifetime(servers) {}
  }
}
