import Synchronization
import Timekeeping

/// Compensation for late speakers and screens: a Bluetooth speaker, a television. The viewer perceives playback later
/// than mpv plays it, by the output's latency, and the group is in step when the *perceived* playback is. So this
/// player runs ahead of every line by the latency, and reports for every moving position the time at which it is
/// perceived.
///
/// | | mpv's | perceived |
/// | --- | --- | --- |
/// | a line through a position at `t` | at `t` − latency | at `t`: the commands' time |
/// | a position that was measured at `t` | at `t` | at `t` + latency: the time from ``position()`` |
/// | a position while paused | the same | the same: a paused frame is that frame |
///
/// All internal times are mpv's: the learned latencies of starts don't include the output's latency.
extension MPVPlayer {
  /// The range of ``setOutputLatency(_:)``. Below zero: the outputs of all others are the late ones.
  public static let outputLatencies: ClosedRange<Duration> = .seconds(-2) ... .seconds(10)

  /// The delay between mpv's playback and this participant's perception of it. Zero at first. Readable from any thread.
  ///
  /// If it is above zero, a start needs that much more lead here.
  public nonisolated var outputLatency: Duration { outputLatencyValue.withLock { $0 } }

  /// Sets ``outputLatency``, from the next play command on. To apply it at once, the caller has the current command
  /// issued again.
  ///
  /// - Parameter latency: clamped to ``outputLatencies``.
  public func setOutputLatency(_ latency: Duration) {
    let range = Self.outputLatencies
    outputLatencyValue.withLock { $0 = min(max(latency, range.lowerBound), range.upperBound) }
  }

  /// Measures the perceived position of playback.
  ///
  /// The measurement uses the audible position if there is sound; otherwise it uses the instants at which frames come,
  /// and waits for the next frame: 300 ms at most, and twice that if none have been seen yet.
  ///
  /// - Returns: nil while nothing is loaded, while seeking, if the position could not be measured, and at the end until
  ///   that is perceived. With an ``outputLatency`` the position of a moving player belongs to an instant in the
  ///   future, or in the past if the latency is below zero.
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

  /// Reports the film's end when it is perceived; an earlier report would cut off the end for the others.
  func tellEnded(at place: MediaTime, isEarly: Bool) {
    guard reportedEnd != transportSerial else { return }
    tellingEnd?.cancel()
    let latency = outputLatency
    guard latency > .zero else {
      emitter.yield(.ended(at: place, isEarly: isEarly, item: item.request?.identifier))
      return
    }
    let entry = item.entryID
    // Meanwhile the player may have been paused, or sought away from there.
    tell(.ended(at: place, isEarly: isEarly, item: item.request?.identifier), after: latency) {
      $0.state.isAtEnd && !$0.attribution.isPaused && $0.item.entryID == entry
    }
  }

  /// Reports the end of a film whose start came too late for its rest, when the line has reached the end.
  ///
  /// The player is paused there, where mpv mostly doesn't say that the end was reached.
  func reportEnd(of line: PlaybackLine, at end: MediaTime) {
    let perceived = line.hostTime(atItemTime: end) + outputLatency
    let serial = transportSerial
    tell(
      .ended(at: end, isEarly: false, item: item.request?.identifier),
      after: max(perceived - .now(), .zero)
    ) { player in
      // At mpv's end it was reported already.
      guard serial == player.transportSerial, !player.state.isAtEnd else { return false }
      player.reportedEnd = serial
      return true
    }
  }

  /// Sends the report of an end after a delay, in place of one that is still delayed.
  private func tell(
    _ end: PlayerEvent, after delay: Duration,
    if isDue: @escaping @Sendable (isolated MPVPlayer) -> Bool
  ) {
    tellingEnd?.cancel()
    tellingEnd = Task { [weak self] in
      do { try await Task.sleep(for: delay, clock: .suspending) } catch { return }
      await self?.tell(end, if: isDue)
    }
  }

  private func tell(
    _ end: PlayerEvent, if isDue: @Sendable (isolated MPVPlayer) -> Bool
  ) {
    if !Task.isCancelled, isDue(self) { emitter.yield(end) }
  }
}

extension PlaybackLine {
  /// Returns the line that mpv must follow so that the perceived playback follows this one.
  func ahead(by latency: Duration) -> PlaybackLine {
    PlaybackLine(rate: rate, itemTime: itemTime, hostTime: hostTime - latency)
  }
}
