import Synchronization
import Timekeeping

/// Speakers and screens that are late: a Bluetooth speaker, a television. What mpv plays at an instant is perceived
/// later by the output's latency, and the group is in step when what is *perceived* is. So this player runs ahead of
/// every line by so much, and says of every place that moves when it is perceived.
///
/// | | mpv's | perceived |
/// | --- | --- | --- |
/// | a line through a place at `t` | at `t` − latency | at `t`: what commands say |
/// | a place that was measured at `t` | at `t` | at `t` + latency: what ``position()`` says |
/// | a place where it stands | the same | the same: a frame that stands is that frame |
///
/// Inside, all is mpv's: what is learned about how long starts take has nothing to do with it.
extension MPVPlayer {
  /// What ``setOutputLatency(_:)`` takes. Below zero: everybody else's output is the late one.
  public static let outputLatencies: ClosedRange<Duration> = .seconds(-2) ... .seconds(10)

  /// How much later than mpv thinks this participant sees and hears. Zero at first. From any thread.
  ///
  /// A start needs so much more lead here, if it is above zero.
  public nonisolated var outputLatency: Duration { outputLatencyValue.withLock { $0 } }

  /// Sets ``outputLatency``, from the next play command on: have the current one issued again to follow it at once.
  ///
  /// - Parameter latency: clamped to ``outputLatencies``.
  public func setOutputLatency(_ latency: Duration) {
    let range = Self.outputLatencies
    outputLatencyValue.withLock { $0 = min(max(latency, range.lowerBound), range.upperBound) }
  }

  /// Measures where playback is, as it is perceived.
  ///
  /// By what is heard while there is sound; else by the instants at which frames come, for the next of which this
  /// waits, 300 ms at most, and twice that where none have been seen yet.
  ///
  /// - Returns: nil while nothing is loaded, while seeking, if it could not be measured, and at the end until that is
  ///   perceived. With an ``outputLatency`` the place of a moving player belongs to an instant that is still to come,
  ///   or has passed if it is below zero.
  public func position() async -> PlayerPosition? {
    let latency = outputLatency
    guard var position = await corePosition() else { return nil }
    if position.rate > 0 {
      position.hostTime = position.hostTime + latency
    } else if state.isAtEnd, !attribution.isPaused, latency > .zero {
      return nil
    }
    return position
  }

  /// Tells of the film's end when it is perceived; sooner would cut the others' end off.
  func tellEnded(at place: MediaTime, isEarly: Bool) {
    tellingEnd?.cancel()
    let latency = outputLatency
    guard latency > .zero else {
      emitter.yield(.ended(at: place, isEarly: isEarly))
      return
    }
    let entry = item.entryID
    tellingEnd = Task { [weak self] in
      do { try await Task.sleep(for: latency, clock: .suspending) } catch { return }
      await self?.endPerceived(at: place, isEarly: isEarly, entry)
    }
  }

  private func endPerceived(at place: MediaTime, isEarly: Bool, _ entry: Int64?) {
    // Meanwhile it may have been paused, or sought away from there.
    guard !Task.isCancelled, state.isAtEnd, !attribution.isPaused, item.entryID == entry else {
      return
    }
    emitter.yield(.ended(at: place, isEarly: isEarly))
  }
}

extension PlaybackLine {
  /// Where mpv has to be for this to be what is perceived.
  func ahead(by latency: Duration) -> PlaybackLine {
    PlaybackLine(rate: rate, itemTime: itemTime, hostTime: hostTime - latency)
  }
}
