import Timekeeping

/// What a player does at one moment: all that is published of it, but for what its commands may do.
public struct NowPlayingState: Hashable, Sendable {
  /// Playback. Mirrors `MPNowPlayingPlaybackState` and `AVPlayer.TimeControlStatus`.
  public enum Status: Hashable, Sendable {
    case stopped
    case paused
    /// Wants to play and can't yet: it fetches, or others have to get ready. Readers see it as playing, so that
    /// their button pauses; elapsed time stands.
    case waiting
    case playing
  }

  /// How a queue repeats. Mirrors `MPRepeatType`.
  public enum RepeatMode: Hashable, Sendable { case off, one, all }

  public var item: NowPlayingItem
  public var status: Status
  /// In item time, at ``hostTime``.
  public var elapsedTime: MediaTime
  /// When ``elapsedTime`` held; while playing it runs on from there.
  public var hostTime: HostTime
  /// At which it plays, or will play: above zero. What a player does beside that to stay in step is nobody's business.
  public var rate: Double
  /// 1 is full, above is amplified; nil if there is no volume.
  public var volume: Double?
  /// What is to be played, in order, the item included; empty if there is no queue to show.
  public var queue: [NowPlayingItem]
  /// Nil if nothing repeats here.
  public var repeatMode: RepeatMode?
  /// Nil if nothing shuffles here.
  public var isShuffled: Bool?
  /// Nil if there is no full screen.
  public var isFullscreen: Bool?

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

  /// Item time at an instant, within the item.
  func itemTime(at instant: HostTime) -> MediaTime {
    var time = elapsedTime
    if status == .playing, instant > hostTime {
      time = time + Duration(clampingSeconds: (instant - hostTime).inSeconds * rate)
    }
    if let duration = item.duration { time = min(time, .zero + duration) }
    return max(.zero, time)
  }

  /// Content time at an instant: what readers see.
  func contentTime(at instant: HostTime) -> MediaTime {
    item.adTimeRanges.contentTime(ofItemTime: itemTime(at: instant))
  }

  func isInAd(at instant: HostTime) -> Bool { item.adTimeRanges.contains(itemTime(at: instant)) }

  /// When playback comes to the beginning or the end of an advertisement; nil if it doesn't.
  func adBoundary(after instant: HostTime) -> HostTime? {
    let here = itemTime(at: instant)
    guard status == .playing, rate > 0, let place = item.adTimeRanges.boundary(after: here) else {
      return nil
    }
    return instant + Duration(clampingSeconds: (place - here).inSeconds / rate)
  }
}
