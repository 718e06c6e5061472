import Timekeeping

/// The published state at one moment: the player's state, and the available commands.
struct Publication: Hashable, Sendable {
  var description: NowPlayingApplication.Description
  /// The player's state; nil when there is nothing left to play.
  var state: NowPlayingState?
  var commands: CommandAvailability

  var tracks: TrackPath { TrackPath(name: description.name) }

  func has(_ kind: CommandAvailability.Kind) -> Bool { commands.handled.contains(kind) }

  /// Returns whether a command is possible at an instant. No command skips an advertisement.
  func can(_ kind: CommandAvailability.Kind, at now: HostTime) -> Bool {
    guard commands.enabled.contains(kind) else { return false }
    switch kind {
    case .openURL, .raise, .quit, .changeVolume, .changeFullscreen: return true
    // Commands of the queue don't depend on the current position.
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

  /// Returns the request of the next button; nil for none. If a program has no handler for the next track, the button
  /// skips, as on a lock screen.
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

  /// A Boolean value that indicates whether the program has any handler. It doesn't depend on whether the commands are
  /// possible *now*: readers don't learn of a change of it.
  var canControl: Bool { !commands.handled.isEmpty }

  /// Returns the range of rates, which includes the current rate and 1, even if readers can't change the rate.
  func rates(at now: HostTime) -> ClosedRange<Double> {
    let range = can(.changeRate, at: now) ? commands.rates : 1...1
    let rate = state?.rate ?? 1
    return min(range.lowerBound, rate)...max(range.upperBound, rate)
  }

  func position(at now: HostTime) -> MediaTime { state?.contentTime(at: now) ?? .zero }

  /// The path of the current item.
  var currentTrack: String {
    state.map { tracks.path(of: $0.item.id) } ?? TrackPath.none
  }

  /// The queue's items; empty if there is no queue.
  var queue: [NowPlayingItem] { state?.queue ?? [] }

  func item(at path: String) -> NowPlayingItem? { queue.first { tracks.path(of: $0.id) == path } }
}
