import NowPlaying
import Synchronization
import Timekeeping

/// A player that plays nothing, but reports its state correctly, and a record of the requests to it.
final class ExamplePlayer: NowPlayingPlayer {
  private let state: Mutex<NowPlayingState?>
  private let log = Mutex<[String]>([])
  private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(_ state: NowPlayingState? = nil) { self.state = Mutex(state) }

  func nowPlayingState() async -> NowPlayingState? { state.withLock { $0 } }

  func nowPlayingChanges() -> AsyncStream<Void> { changes.stream }

  func set(_ new: NowPlayingState?) {
    state.withLock { $0 = new }
    changes.continuation.yield()
  }

  func change(_ body: (inout NowPlayingState) -> Void) {
    state.withLock { state in
      guard var changed = state else { return }
      changed.elapsedTime = changed.elapsedNow
      changed.hostTime = .now()
      body(&changed)
      state = changed
    }
    changes.continuation.yield()
  }

  var asked: [String] { log.withLock { $0 } }

  private func note(_ text: String) { log.withLock { $0.append(text) } }

  /// Carries out the requests of other programs.
  func obey(_ center: RemoteCommandCenter) {
    center.playCommand.addTarget { [self] _ in
      change { $0.status = .playing }
      note("play")
      return .success
    }
    center.pauseCommand.addTarget { [self] _ in
      change { $0.status = .paused }
      note("pause")
      return .success
    }
    center.stopCommand.addTarget { [self] _ in
      note("stop")
      return .commandFailed
    }
    center.changePlaybackPositionCommand.addTarget { [self] event in
      change { $0.elapsedTime = event.positionTime }
      note("position \(event.positionTime.seconds)")
      return .success
    }
    center.nextTrackCommand.addTarget { [self] _ in
      note("next")
      return .success
    }
    center.changePlaybackRateCommand.supportedPlaybackRates = 0.25...4
    center.changePlaybackRateCommand.addTarget { [self] event in
      change { $0.rate = event.playbackRate }
      note("rate \(event.playbackRate)")
      return .success
    }
    center.changeVolumeCommand.addTarget { [self] event in
      change { $0.volume = event.volume }
      note("volume \(event.volume)")
      return .success
    }
    center.openURLCommand.addTarget { [self] event in
      note("open \(event.url.absoluteString)")
      return .noSuchContent
    }
  }
}

extension NowPlayingState {
  fileprivate var elapsedNow: MediaTime {
    guard status == .playing else { return elapsedTime }
    return elapsedTime + Duration(clampingSeconds: (HostTime.now() - hostTime).inSeconds * rate)
  }

  static func example(
    _ id: String = "orbits", _ status: Status = .playing, at seconds: Double = 10
  ) -> NowPlayingState {
    var item = NowPlayingItem(id: id, duration: .seconds(100))
    item.nowPlayingInfo = NowPlayingInfo(title: "Title of \(id)", artists: ["Ana", "Ben"])
    return NowPlayingState(
      item: item, status: status, elapsedTime: MediaTime(seconds: seconds), volume: 0.5,
      queue: [item])
  }
}
