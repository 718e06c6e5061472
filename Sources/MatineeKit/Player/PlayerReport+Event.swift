import MPVPlayer
import Screening

extension PlayerReport {
  /// - Returns: nil for an event that concerns another part of the program.
  init?(_ event: PlayerEvent) {
    switch event {
    case .userPaused: self = .paused
    case .userResumed: self = .resumed
    case .userSought(let place): self = .sought(to: place)
    case .userChangedRate(let rate): self = .changedRate(to: rate)
    case .userLoaded(let path): self = .loaded(path: path)
    case .userQueued(let paths, let isOpening): self = .queued(paths: paths, isOpening: isOpening)
    case .userStopped: self = .closed
    case .userQuit: self = .quit
    case .strayed(let time): self = .strayed(at: time)
    case .loopBegan: self = .loopBegan
    case .ended(let place, let isEarly, let item):
      self = .ended(at: place, isEarly: isEarly, item: item)
    case .connectionLost: self = .connectionLost
    case .failed(let error): self = .failed("\(error)")
    case .audioDeviceLost: self = .soundLost
    case .audioDeviceFound: self = .soundFound
    case .windowUnavailable(let reason): self = .windowUnavailable(reason)
    case .loadedPercentChanged: self = .loadedPercentChanged
    case .buffered, .loaded, .pausedChanged, .rateChanged, .volumeChanged, .fullscreenChanged,
      .tracksChanged, .subtitlesChanged, .position:
      self = .changed
    case .windowKey, .pointerMoved, .audioDeviceChanged, .configured, .log, .stalled, .shutdown:
      return nil
    }
  }
}
