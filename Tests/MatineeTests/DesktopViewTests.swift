import Foundation
import GroupActivities
import NowPlaying
import Screening
import Testing
import Timekeeping
import WatchTogether

@testable import Faces
@testable import MPVPlayer
@testable import MatineeKit
@testable import PlaybackCoordination

@Suite("The desktop's view of the program")
struct DesktopViewTests {
  private let now = HostTime(nanoseconds: 5_000_000_000)
  private let film = FilmIdentity(
    identifier: "url:https://example.org/a.mkv", title: "A", location: "https://example.org/a.mkv")
  private let second = FilmIdentity(
    identifier: "url:https://example.org/b.mkv", title: "B", location: "https://example.org/b.mkv")

  private func coordinator(
    _ status: CoordinatorSnapshot.Status, item: String? = nil, at seconds: Double = 10
  ) -> CoordinatorSnapshot {
    CoordinatorSnapshot(
      currentItemIdentifier: item ?? film.identifier, status: status, rate: 1.25,
      itemTime: MediaTime(seconds: seconds), suspensionReasons: [], otherParticipants: [])
  }

  private func player(_ body: (inout PlayerSnapshot) -> Void = { _ in }) -> PlayerSnapshot {
    var snapshot = PlayerSnapshot()
    snapshot.isLoaded = true
    snapshot.isSeekable = true
    snapshot.duration = MediaTime(seconds: 100)
    snapshot.isPaused = false
    body(&snapshot)
    return snapshot
  }

  private func status(_ body: (inout ProgramStatus) -> Void = { _ in }) -> ProgramStatus {
    var random = SystemRandomNumberGenerator()
    var program = FilmActivity(
      Playlist(PlaylistEntry(film, using: &random), at: nil, using: &random))
    _ = program.playlist.append(
      PlaylistEntry(second, using: &random), at: nil, using: &random)
    var status = ProgramStatus(
      film: film, activity: program, player: player(), shownPlayer: player(),
      coordinator: coordinator(.playing), latencyOffset: LatencyOffset(clamping: .zero))
    body(&status)
    return status
  }

  private func advance(_ status: inout ProgramStatus) {
    var random = SystemRandomNumberGenerator()
    guard let entry = status.activity?.playlist.entry(at: 1) else { return }
    _ = status.activity?.playlist.makeCurrent(entry.id, at: nil, using: &random)
  }

  private func view(_ status: ProgramStatus) -> DesktopView {
    var memory = DesktopView.Memory()
    return DesktopView(status, memory: &memory, at: now)
  }

  @Test("A playing film has a position, length, rate, volume and playlist")
  func playing() throws {
    let status = status { $0.player.volume = 80 }
    let state = try #require(view(status).state)
    #expect(state.status == .playing && state.rate == 1.25 && state.volume == 0.8)
    #expect(state.elapsedTime == MediaTime(seconds: 10) && state.hostTime == now)
    #expect(state.item.duration == .seconds(100) && state.item.nowPlayingInfo.title == "A")
    #expect(state.queue.count == 2 && state.queue[0] == state.item)
    let possible = view(status).possible
    #expect(possible.transport && possible.rate && possible.seeking)
    #expect(possible.next && !possible.previous && possible.playlist)
  }

  @Test("A stream has the title that its site gives it, once it is open; a file has its own name")
  func siteTitle() throws {
    var memory = DesktopView.Memory()
    func title(_ status: ProgramStatus) throws -> String? {
      let view = DesktopView(status, memory: &memory, at: now)
      return try #require(view.state).item.nowPlayingInfo.title
    }
    #expect(try title(status()) == "A")
    let open = status { $0.player.title = "An evening\u{7} by the sea" }
    #expect(try title(open) == "An evening by the sea")
    var file = open
    file.film = FilmIdentity(identifier: "sha256:1", title: "own", location: "/films/own.mkv")
    file.activity = nil
    #expect(try title(file) == "own")
  }

  @Test("Small adjustments of the speed don't show")
  func nudges() {
    let steady = status()
    var nudged = steady
    nudged.player.nudge = 1.03
    #expect(view(steady) == view(nudged))
  }

  @Test(
    "Actions that a guest may not take are disabled; without a party all but the party's playlist are enabled"
  )
  func guest() {
    let guest = view(
      status {
        $0.rights.mayControl = false
        $0.rights.mayChoose = false
      })
    #expect(guest.possible == DesktopView.Possible())
    let away = view(
      status {
        $0.rights.mayChoose = false
        $0.isAlone = true
      })
    #expect(away.possible.transport && away.possible.seeking && !away.possible.next)
    #expect(away.state?.queue.count == 1)
  }

  @Test(
    "Seeking is disabled for live streams, servers without ranges, trailers, and unknown lengths")
  func seeking() {
    for body: (inout ProgramStatus) -> Void in [
      { $0.isLive = true },
      { $0.player.isPartiallySeekable = true },
      { $0.player.isSeekable = false },
      { $0.player.duration = nil },
      { $0.isInTrailer = true },
      { $0.isOpening = true },
    ] {
      var memory = DesktopView.Memory()
      _ = DesktopView(status(), memory: &memory, at: now)
      #expect(!DesktopView(status(body), memory: &memory, at: now).possible.seeking)
    }
  }

  @Test(
    "A player that waits for data stays at its position, paused if the group is",
    arguments: [true, false])
  func stalled(mpvPauses: Bool) {
    let playing = status {
      $0.player.isStalled = true
      $0.player.isPaused = mpvPauses
      $0.player.itemTime = MediaTime(seconds: 8)
    }
    var paused = playing
    paused.coordinator = coordinator(.paused)
    #expect(view(playing).state?.status == .waiting && view(paused).state?.status == .paused)
    for shown in [view(playing), view(paused)] {
      #expect(shown.state?.elapsedTime == MediaTime(seconds: 8))
    }
  }

  @Test("While the first film opens the desktop shows none; later it shows the next film")
  func opening() {
    var memory = DesktopView.Memory()
    var next = status { $0.isOpening = true }
    #expect(DesktopView(next, memory: &memory, at: now).state == nil)
    next.isOpening = false
    _ = DesktopView(next, memory: &memory, at: now)
    next.isOpening = true
    next.playsWhenOpen = true
    next.film = second
    advance(&next)
    next.coordinator = coordinator(.paused, item: second.identifier, at: 0)
    let shown = DesktopView(next, memory: &memory, at: now)
    #expect(shown.state?.item.nowPlayingInfo.title == "B")
    #expect(shown.state?.status == .waiting, "no pause that nobody wanted")
    // The details of the first film are still known.
    #expect(shown.state?.queue.first?.duration == .seconds(100))
  }

  @Test("A playlist that is ahead of the player doesn't change the shown film")
  func ahead() {
    var memory = DesktopView.Memory()
    let before = status()
    let id = DesktopView(before, memory: &memory, at: now).state?.item.id
    var after = before
    advance(&after)
    let shown = DesktopView(after, memory: &memory, at: now)
    #expect(shown.state?.item.id == id)
    #expect(!shown.possible.next && shown.possible.previous)
  }

  @Test("During a trailer the film is paused, and the trailer is shown in a session of its own")
  func trailer() throws {
    let now = HostTime(nanoseconds: 5)
    let status = self.status {
      $0.isInTrailer = true
      $0.player.itemTime = MediaTime(seconds: 3)
      $0.shownPlayer.itemTime = MediaTime(seconds: 8)
      $0.shownPlayer.duration = MediaTime(seconds: 90)
      $0.shownPlayer.isPaused = false
      $0.shownPlayer.isLoaded = true
    }
    let shown = view(status)
    #expect(shown.state?.status == .paused)
    #expect(shown.state?.elapsedTime == MediaTime(seconds: 3))
    #expect(!shown.possible.rate && !shown.possible.next)
    let trailer = try #require(NowPlayingState(trailerOf: status, at: now))
    #expect(trailer.status == .playing)
    #expect(trailer.elapsedTime == MediaTime(seconds: 8) && trailer.hostTime == now)
    #expect(trailer.item.duration == .seconds(90))
    var paused = status
    paused.shownPlayer.isPaused = true
    #expect(NowPlayingState(trailerOf: paused, at: now)?.status == .paused)
    paused.isInTrailer = false
    #expect(NowPlayingState(trailerOf: paused, at: now) == nil)
  }

  @Test("A title from other participants is cleaned, and an id doesn't reveal a film's path")
  func foreign() throws {
    let foreign = FilmIdentity(
      identifier: "url:https://secret.example.org/x", title: "A\u{1b}[2J\u{0}B",
      location: "https://secret.example.org/x")
    let state = try #require(
      view(
        status {
          $0.film = foreign
          $0.activity = nil
          $0.coordinator = coordinator(.paused, item: foreign.identifier)
        }
      ).state)
    #expect(state.item.nowPlayingInfo.title?.contains("\u{1b}") == false)
    #expect(!state.item.id.contains("secret") && state.item.id.count == 17)
  }
}
