import GroupActivities
import PlaybackCoordination
import Timekeeping

/// A player with nothing to show: all it has is a place that moves.
actor SilentPlayer {
  private(set) var itemIdentifier: String?
  private(set) var rate = 0.0
  private var itemTime = MediaTime.zero
  private var hostTime = HostTime.now()

  func load(_ identifier: String) {
    itemIdentifier = identifier
    stand(at: .zero)
  }

  /// Before a start that is still to come it shows the frame from which it will start.
  func itemTime(at time: HostTime) -> MediaTime {
    time > hostTime ? itemTime + (time - hostTime) * rate : itemTime
  }

  func play(at rate: Double, from itemTime: MediaTime, due hostTime: HostTime) {
    (self.rate, self.itemTime, self.hostTime) = (rate, itemTime, hostTime)
  }

  func stand(at itemTime: MediaTime) {
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
    stand(at: place)
    return .completed(itemTime: place)
  }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult {
    guard command.expectedCurrentItemIdentifier == itemIdentifier else { return .superseded }
    stand(at: command.itemTime)
    return .completed(itemTime: command.itemTime)
  }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult {
    guard command.expectedCurrentItemIdentifier == itemIdentifier else { return .superseded }
    stand(at: itemTime(at: .now()))
    return .completed(itemTime: nil)
  }
}

struct WatchFilm: GroupActivity {
  static let activityIdentifier = "org.example.watch-film"

  /// The same for everybody who has this film, wherever their copies are.
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

  /// Takes part in what the party watches, until the party is over.
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
    guard let place = await coordinator.expectedItemTime(atHostTime: .now()) else { return }
    try await coordinator.coordinateSeek(to: place + distance)
  }

  func dataStopped() async {
    guard stall == nil else { return }
    stall = await coordinator.beginSuspension(for: .stallRecovery)
    await player.stand(at: player.itemTime(at: .now()))
  }

  func dataCame() async {
    await stall?.end()
    stall = nil
    // The player has stood still by itself, which nobody has told the coordinator.
    await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
  }
}
