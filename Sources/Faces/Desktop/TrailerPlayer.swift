import MatineeKit
import NowPlaying
import Screening
import Timekeeping

/// The trailers' player for the desktop, which shows it in a session of its own while there is one.
final class TrailerPlayer: NowPlayingPlayer {
  private let program: Program
  private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let watching: Task<Void, Never>

  init(program: Program) {
    self.program = program
    let continuation = changes.continuation
    let events = program.events.follow(
      atMost: ProgramPlayer.eventLimit, except: [.participants])
    watching = Task { for await _ in events { continuation.yield() } }
  }

  func nowPlayingState() async -> NowPlayingState? {
    NowPlayingState(trailerOf: await program.status(), at: .now())
  }

  func nowPlayingChanges() -> AsyncStream<Void> { changes.stream }

  package func close() {
    watching.cancel()
    changes.continuation.finish()
  }
}

extension NowPlayingState {
  /// Creates the state of the trailer on the screen; nil without one.
  init?(trailerOf status: ProgramStatus, at now: HostTime) {
    guard status.isInTrailer else { return nil }
    let player = status.shownPlayer
    var item = NowPlayingItem(
      id: "trailer",
      nowPlayingInfo: NowPlayingInfo(title: NowPlayingInfo.clean(player.title) ?? "Trailer"))
    item.duration = player.duration.map { $0 - .zero }
    let isMoving = player.isLoaded && !player.isStalled
    self.init(
      item: item, status: player.isPaused ? .paused : isMoving ? .playing : .waiting,
      elapsedTime: player.itemTime ?? .zero, hostTime: now,
      volume: player.desktopVolume, queue: [item])
  }
}
