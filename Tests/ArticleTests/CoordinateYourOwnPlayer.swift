import GroupActivities
import PlaybackCoordination
import Timekeeping

/// A player without audio and video: only its position moves.
actor SilentPlayer {
  private(set) var itemIdentifier: String?
  private(set) var rate = 0.0
  private var itemTime = MediaTime.zero
  private var hostTime = HostTime.now()

  func load(_ identifier: String) {
    itemIdentifier = identifier
    pause(at: .zero)
  }

  /// Returns the position at an instant; before a scheduled start, the position from which playback will start.
  func itemTime(at time: HostTime) -> MediaTime {
    time > hostTime ? itemTime + (time - hostTime) * rate : itemTime
  }

  func play(at rate: Double, from itemTime: MediaTime, due hostTime: HostTime) {
    (self.rate, self.itemTime, self.hostTime) = (rate, itemTime, hostTime)
  }

  func pause(at itemTime: MediaTime) {
    (rate, self.itemTime, hostTime) = (0, itemTime, .now())
  }
}

extension SilentPlayer: PlaybackControlDelegate {
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
  ) async -> CommandResult {
    guard command.expectedCurrentItemIdentifier == itemIdentifier else { return .superseded }
    play(at: command.rate, from: command.itemTime, due: command.hostTime)
    return .completed(itemTime: nil)
  }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
  ) async -> CommandResult {
    guard command.expectedCurrentItemIdentifier == itemIdentifier else { return .superseded }
    let place = itemTime(at: .now())
    pause(at: place)
    return .completed(itemTime: place)
  }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult {
    guard command.expectedCurrentItemIdentifier == itemIdentifier else { return .superseded }
    pause(at: command.itemTime)
    return .completed(itemTime: command.itemTime)
  }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult {
    guard command.expectedCurrentItemIdentifier == itemIdentifier else { return .superseded }
    pause(at: itemTime(at: .now()))
    return .completed(itemTime: nil)
  }
}

struct WatchFilm: GroupActivity {
  static let activityIdentifier = "org.example.watch-film"

  /// An identifier of the film that doesn't depend on the location of a participant's copy.
  let film: String
  let title: String

  var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .watchTogether, title: title)
  }
}

actor Screening {
  let player = SilentPlayer()
  let coordinator: DelegatingPlaybackCoordinator
  private var stall: CoordinatedPlaybackSuspension?

  init() { coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player) }

  /// Follows the party's film until the party is over.
  func follow(_ party: Party) async throws {
    for await session in await WatchFilm.sessions(in: party) {
      await session.join()
      try await coordinator.coordinateWithSession(session)
      for await activity in session.activities {
        await player.load(activity.film)
        try await coordinator.transitionToItem(withIdentifier: activity.film)
      }
    }
  }

  func playOrPause() async throws {
    let isPlaying = await coordinator.snapshot().status != .paused
    try await coordinator.coordinateRateChange(to: isPlaying ? 0 : 1)
  }

  func skip(by distance: Duration) async throws {
    guard let place = await coordinator.ownItemTime(atHostTime: .now()) else { return }
    try await coordinator.coordinateSeek(to: place + distance)
  }

  func dataStopped() async throws {
    guard stall == nil else { return }
    stall = try await coordinator.beginSuspension(for: .stallRecovery)
    await player.pause(at: player.itemTime(at: .now()))
  }

  func dataCame() async {
    await stall?.end()
    stall = nil
    // The player stopped by itself, and the coordinator doesn't know that.
    await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
  }
}
