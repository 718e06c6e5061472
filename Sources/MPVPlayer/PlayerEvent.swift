import Timekeeping

/// What happened in the player.
public enum PlayerEvent: Hashable, Sendable {
  // MARK: Somebody else's doing: in mpv's window, or through its IPC

  /// Paused, on the frame at this time.
  case userPaused(at: MediaTime)
  case userResumed(at: MediaTime)
  case userSought(to: MediaTime)
  case userChangedRate(to: Double)
  /// Another file or URL was opened; it is now playing or loading.
  case userLoaded(path: String)
  /// The film was taken out of the player.
  case userStopped
  /// The window was closed, or `q` pressed. ``shutdown`` follows.
  case userQuit
  /// A key in mpv's window that is bound to the program (``MPVPlayer/bind(_:)``).
  case windowKey(WindowKey)
  /// Where the mouse points in the window's picture, 0 to 1 within it; told while it is followed
  /// (``MPVPlayer/followPointer(_:)``).
  case pointerMoved(x: Double, y: Double)

  // MARK: The item

  case loaded(path: String)
  /// Standing on the last frame. `isEarly`: more than 2 s before the end that the file promised, so that the
  /// rest is missing. Of a film that comes over a network ``connectionLost`` is told instead.
  case ended(at: MediaTime, isEarly: Bool)
  /// The film isn't over, but nothing more of it comes: its server has gone, and mpv has tried long enough.
  /// What had come has been played, or what was sought hadn't. Loading it again tries again.
  case connectionLost
  /// Playback broke off, and nothing is loaded now.
  case failed(MPVError)
  /// Waiting for data, or going on.
  case stalled(Bool)
  /// Data has been fetched up to here. Told in steps of half a second or more.
  case buffered(until: MediaTime)
  /// ``PlayerSnapshot/loadedPercent`` has changed.
  case loadedPercentChanged

  // MARK: State, whoever changed it

  /// About once a second while playing.
  case position(PlayerPosition)
  case pausedChanged(Bool)
  case rateChanged(Double)
  case volumeChanged(volume: Double, isMuted: Bool)
  /// The window covers the whole screen, or no longer.
  case fullscreenChanged
  case tracksChanged
  /// What the subtitles say, or whether they are to be seen.
  case subtitlesChanged

  // MARK: The machine

  /// Sound can't be heard: the film goes on without it, in step. Told once, until there is sound again.
  case audioDeviceLost
  /// Sound goes to this output of mpv's, at first or again.
  case audioDeviceFound(name: String)
  /// Sound comes from another device than before, or the first one is known. Not told while the sound is lost.
  case audioDeviceChanged(AudioDevice)
  /// There is no window, for this reason; the film goes on without it.
  case windowUnavailable(String)
  /// A warning or an error that mpv wrote, without its line end; not cleaned of control characters.
  case log(text: String, isError: Bool)
  /// The player is gone. The last event.
  case shutdown
}
