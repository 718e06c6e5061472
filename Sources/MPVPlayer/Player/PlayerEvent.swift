import Timekeeping

/// An event in the player.
package enum PlayerEvent: Hashable, Sendable {
  // MARK: Foreign changes: in mpv's window, or through its IPC

  /// Paused, at the frame with this time.
  case userPaused(at: MediaTime)
  /// Resumed, from this position.
  case userResumed(at: MediaTime)
  /// A seek that the program didn't request has reached this position.
  case userSought(to: MediaTime)
  /// The speed was changed to this rate.
  case userChangedRate(to: Double)
  /// Another file or URL was opened; it is now playing or loading.
  case userLoaded(path: String)
  /// Files or URLs were appended to mpv's own list, which it doesn't keep. `isOpening`: while the film was being opened,
  /// as a script does it.
  case userQueued(paths: [String], isOpening: Bool)
  /// The film was taken out of the player, and no other one follows.
  case userStopped
  /// The player was moved, paused, resumed or changed in speed, and probably not by its user: by a script that answers
  /// the player's own pause or start, or by mpv where a file can't be read. The program should put it back.
  ///
  /// `at`: the time of the report.
  case strayed(at: HostTime)
  /// A loop was begun: the player will go back by itself (``MPVPlayer/endLoops()``).
  case loopBegan
  /// The window was closed, or `q` pressed. ``shutdown`` follows.
  case userQuit
  /// A key in mpv's window that is bound to the program (``MPVPlayer/define(_:)``).
  case windowKey(WindowKey)
  /// The mouse's position in the window's picture, 0 to 1 within it; reported while it is followed
  /// (``MPVPlayer/followPointer(_:)``).
  case pointerMoved(x: Double, y: Double)

  // MARK: The item

  /// The item is open: its tracks and duration are known.
  case loaded(path: String)
  /// Paused at the last frame. `isEarly`: more than 2 s before the end that the file promised, and there are signs that
  /// the rest is missing. If its server is gone, ``connectionLost`` is reported instead. Reported once after each
  /// transport command.
  /// `item`: the film's identifier, as ``MPVPlayer/setCurrentItemIdentifier(_:)`` set it before the film was loaded; nil
  /// for a film that the user loaded in mpv. The program may be at another item when it handles the event.
  case ended(at: MediaTime, isEarly: Bool, item: String?)
  /// The film isn't over, but no more of it arrives: its server is gone, and mpv has tried long enough. The received
  /// part has been played, or doesn't contain the requested position. Loading the film again tries again.
  case connectionLost
  /// Playback was interrupted, and nothing is loaded now.
  case failed(MPVError)
  /// Playback waits for data, or continues.
  case stalled(Bool)
  /// Data has been fetched up to here. Reported in steps of half a second or more.
  case buffered(until: MediaTime)
  /// ``PlayerSnapshot/loadedPercent`` has changed.
  case loadedPercentChanged

  // MARK: State, after any change

  /// The position, about once a second while playing.
  case position(PlayerPosition)
  /// The player is paused, or no longer.
  case pausedChanged(Bool)
  /// The commanded rate changed; nudges don't count.
  case rateChanged(Double)
  /// The volume, in per cent, or the muting changed.
  case volumeChanged(volume: Double, isMuted: Bool)
  /// The window covers the whole screen, or no longer.
  case fullscreenChanged
  /// The tracks, or the selected ones, changed: see ``PlayerSnapshot/tracks``.
  case tracksChanged
  /// The subtitles' text, or their visibility, has changed.
  case subtitlesChanged

  // MARK: The machine

  /// The sound is lost: the film continues without it, in step. Reported once, until there is sound again.
  case audioDeviceLost
  /// Sound goes to this output of mpv's, for the first time or again.
  case audioDeviceFound(name: String)
  /// The sound comes from another device than before, or the first device is known. Not reported while the sound is
  /// lost.
  case audioDeviceChanged(AudioDevice)
  /// There is no window, for this reason; the film continues without it.
  case windowUnavailable(String)
  /// mpv has read the user's configuration and loaded its scripts. Reported once.
  case configured(ConfigurationReport)
  /// A warning or an error from mpv, without its line end; not cleaned of control characters.
  case log(text: String, isError: Bool)
  /// The player is gone. The last event.
  case shutdown
}
