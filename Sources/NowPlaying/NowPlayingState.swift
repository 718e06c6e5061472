import Timekeeping

/// A player's state at one moment: the published information except for the available commands.
public struct NowPlayingState: Hashable, Sendable {
  /// Playback. Mirrors `MPNowPlayingPlaybackState` and `AVPlayer.TimeControlStatus`.
  public enum Status: Hashable, Sendable {
    /// The player is stopped: the item is available but not in use.
    case stopped
    /// The item is paused at ``NowPlayingState/elapsedTime``.
    case paused
    /// The player is to play and can't yet: it fetches data, or other participants have to get ready. Readers see it as
    /// playing, so that their button pauses; the elapsed time doesn't advance.
    case waiting
    /// The item plays; the elapsed time advances at the rate.
    case playing
  }

  /// The repetition of a queue. Mirrors `MPRepeatType`.
  public enum RepeatMode: Hashable, Sendable { case off, one, all }

  /// The current item.
  public var item: NowPlayingItem
  /// The state of playback.
  public var status: Status
  /// The position in item time, at ``hostTime``.
  public var elapsedTime: MediaTime
  /// The time at which ``elapsedTime`` was valid; while playing it advances from there.
  public var hostTime: HostTime
  /// The rate at which the item plays, or will play: above zero. It doesn't include the player's own corrections to
  /// stay in step.
  public var rate: Double
  /// The volume: 1 is full, above 1 is amplified; nil if there is no volume.
  public var volume: Double?
  /// The items to play, in order, including the current one; empty if there is no queue to show.
  public var queue: [NowPlayingItem]
  /// The repetition; nil if the player doesn't support it.
  public var repeatMode: RepeatMode?
  /// A Boolean value that indicates whether the queue is shuffled; nil if the player doesn't support that.
  public var isShuffled: Bool?
  /// A Boolean value that indicates whether the player covers the whole screen; nil if there is no full screen.
  public var isFullscreen: Bool?

  /// Creates a state without repetition, shuffling and full screen: set those afterwards if the player supports
  /// them.
  public init(
    item: NowPlayingItem, status: Status, elapsedTime: MediaTime = .zero,
    hostTime: HostTime = .now(), rate: Double = 1, volume: Double? = nil,
    queue: [NowPlayingItem] = []
  ) {
    self.item = item
    self.status = status
    self.elapsedTime = elapsedTime
    self.hostTime = hostTime
    self.rate = rate
    self.volume = volume
    self.queue = queue
  }

  /// Returns the item time at an instant, within the item.
  func itemTime(at instant: HostTime) -> MediaTime {
    var time = elapsedTime
    if status == .playing, instant > hostTime {
      time = time + Duration(clampingSeconds: (instant - hostTime).inSeconds * rate)
    }
    if let duration = item.duration { time = min(time, .zero + duration) }
    return max(.zero, time)
  }

  /// Returns the content time at an instant, which readers see.
  func contentTime(at instant: HostTime) -> MediaTime {
    item.adTimeRanges.contentTime(ofItemTime: itemTime(at: instant))
  }

  func isInAd(at instant: HostTime) -> Bool { item.adTimeRanges.contains(itemTime(at: instant)) }

  /// Returns the time at which playback reaches the beginning or the end of an advertisement; nil if it doesn't.
  func adBoundary(after instant: HostTime) -> HostTime? {
    let here = itemTime(at: instant)
    guard status == .playing, rate > 0, let boundary = item.adTimeRanges.boundary(after: here)
    else {
      return nil
    }
    return instant + Duration(clampingSeconds: (boundary - here).inSeconds / rate)
  }
}
