import Timekeeping

/// All that is published at one moment: what the player does, and what may be asked of it.
struct Publication: Hashable, Sendable {
  var description: NowPlayingApplication.Description
  /// Nil when there is nothing to play any more.
  var state: NowPlayingState?
  var commands: CommandAvailability

  var tracks: TrackPath { TrackPath(name: description.name) }

  func has(_ kind: CommandAvailability.Kind) -> Bool { commands.handled.contains(kind) }

  /// Whether a command is possible at an instant. Inside an advertisement nothing skips it.
  func can(_ kind: CommandAvailability.Kind, at now: HostTime) -> Bool {
    guard commands.enabled.contains(kind) else { return false }
    switch kind {
    case .openURL, .raise, .quit, .changeVolume, .changeFullscreen: return true
    // What belongs to a queue may begin with nothing that plays.
    case .addToQueue, .removeQueueItem: return state != nil
    case .play, .pause, .togglePlayPause, .stop, .changeRepeatMode, .changeShuffleMode:
      return state != nil
    case .skipForward, .skipBackward, .changePosition, .next, .previous, .changeRate,
      .playQueueItem:
      return state.map { !$0.isInAd(at: now) } ?? false
    }
  }

  func canPlay(at now: HostTime) -> Bool { can(.play, at: now) || can(.togglePlayPause, at: now) }

  func canPause(at now: HostTime) -> Bool {
    can(.pause, at: now) || can(.togglePlayPause, at: now)
  }

  func canSeek(at now: HostTime) -> Bool {
    can(.changePosition, at: now) || (can(.skipForward, at: now) && can(.skipBackward, at: now))
  }

  /// What the next button does; nil for nothing. Where a program knows no next track it skips, as on a lock screen.
  func next(at now: HostTime) -> RemoteCommandRequest? {
    if has(.next) { return can(.next, at: now) ? .next : nil }
    guard let interval = commands.forwardInterval, can(.skipForward, at: now) else { return nil }
    return .skipForward(interval)
  }

  func previous(at now: HostTime) -> RemoteCommandRequest? {
    if has(.previous) { return can(.previous, at: now) ? .previous : nil }
    guard let interval = commands.backwardInterval, can(.skipBackward, at: now) else { return nil }
    return .skipBackward(interval)
  }

  /// Whoever has no handler at all can't be controlled. Whether the commands are possible *now* isn't asked: readers
  /// hear of no change of it.
  var canControl: Bool { !commands.handled.isEmpty }

  /// Includes the rate that is and 1, whoever may change it.
  func rates(at now: HostTime) -> ClosedRange<Double> {
    let range = can(.changeRate, at: now) ? commands.rates : 1...1
    let rate = state?.rate ?? 1
    return min(range.lowerBound, rate)...max(range.upperBound, rate)
  }

  func place(at now: HostTime) -> MediaTime { state?.contentTime(at: now) ?? .zero }

  /// The path of the item that plays.
  var currentTrack: String {
    state.map { tracks.path(of: $0.item.id) } ?? TrackPath.none
  }

  /// The queue's items; the one that plays alone where there is no queue.
  var queue: [NowPlayingItem] { state?.queue ?? [] }

  func item(at path: String) -> NowPlayingItem? { queue.first { tracks.path(of: $0.id) == path } }
}
