import Timekeeping

extension MPVPlayer {
  /// The longest time between two looks at the cache; changes of it normally wake the player earlier.
  private static let cachePoll = Duration.milliseconds(250)

  /// Returns the earliest position of a live stream that this player can still go to; nil for other films, and while
  /// nothing has been received.
  public func earliestTime() async -> MediaTime? {
    guard item.isLive, let state = try? await get(MPVProperty.demuxerCacheState) else { return nil }
    return LiveCache(state.value).earliest
  }

  /// Waits until a seek to `target` can succeed in a live stream.
  ///
  /// - Returns: the position to seek to, `target` unless the stream no longer has it; otherwise why the wait ended.
  func reachableTime(
    for target: MediaTime, serial: UInt64, until deadline: HostTime
  ) async -> Result<MediaTime, WaitFailure> {
    guard item.isLive else { return .success(target) }
    while true {
      let state: MPVValue
      do {
        state = try await get(MPVProperty.demuxerCacheState).value
      } catch {
        guard !isShutDown else { return .failure(WaitFailure(outcome: .unloaded)) }
        return .success(target)  // mpv says nothing of a cache: the seek will show
      }
      if case .seek(let reachable) = LiveCache(state).step(toward: target) {
        return .success(reachable)
      }
      let end = self.state.bufferedUntil
      let outcome = await wait(
        serial: serial, until: min(deadline, .now() + Self.cachePoll),
        for: { $0.state.bufferedUntil != end })
      if outcome == .met || outcome == .timedOut && HostTime.now() < deadline { continue }
      return .failure(WaitFailure(outcome: outcome))
    }
  }

  /// A wait that ended without its condition.
  struct WaitFailure: Error {
    var outcome: WaitOutcome
  }
}
