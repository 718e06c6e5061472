import Timekeeping

extension MPVPlayer {
  /// The longest time between two looks at the cache; changes of it normally wake the player earlier.
  private static let cachePoll = Duration.milliseconds(250)

  /// Returns the earliest position of a live stream that this player can still go to; nil for other films, and while
  /// nothing has been received.
  package func earliestTime() async -> MediaTime? {
    guard film.item.isLive, let state = try? await get(MPVProperty.demuxerCacheState) else {
      return nil
    }
    return LiveCache(state.value).earliest
  }

  /// A Boolean value that indicates whether the player can go to another position.
  var canSeek: Bool { state.canSeek(isLive: film.item.isLive) }

  /// Waits until a seek to `target` can succeed in a live stream.
  ///
  /// - Returns: the position to seek to: `target`, or the earliest one after it that the stream still has.
  func reachableTime(
    for target: MediaTime, _ serial: UInt64
  ) async throws(Interruption) -> MediaTime {
    guard film.item.isLive else { return target }
    let deadline = HostTime.now() + Self.longestWait
    while true {
      let cache = try? await get(MPVProperty.demuxerCacheState)
      try check(serial)
      guard !lifecycle.isShutDown else { throw .superseded }
      // Without a cache the seek itself shows the positions that can be reached.
      guard let cache else { return target }
      if case .seek(let reachable) = LiveCache(cache.value).step(toward: target) {
        return reachable
      }
      let end = state.bufferedUntil
      let outcome = await wait(
        serial: serial, until: min(deadline, .now() + Self.cachePoll),
        for: { $0.state.bufferedUntil != end })
      if outcome == .timedOut, HostTime.now() < deadline { continue }
      try Self.check(outcome)
    }
  }
}
