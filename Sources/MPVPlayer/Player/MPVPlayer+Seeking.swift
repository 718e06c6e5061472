import Concurrency
import Timekeeping

/// Exact seeks.
extension MPVPlayer {
  /// The number of additional seeks in a container without an index.
  private static let maximumCorrections = 3

  /// Returns the time of the frame at which the player is then paused.
  @discardableResult
  func seekExactly(
    to target: MediaTime, _ serial: UInt64
  ) async throws(Interruption) -> MediaTime? {
    let target = try await reachableTime(for: max(target, .zero), serial)
    var position = try await seekOnce(to: target, serial)
    for _ in 0..<Self.maximumCorrections {
      guard let offset = earlierOffset(landed: position, target: target) else { break }
      try await perform(serial) { () async throws(MPVError) in
        try await self.set(MPVProperty.seekDemuxerOffset, .double(offset.inSeconds))
      }
      position = try await seekOnce(to: target, serial)
    }
    return position
  }

  private func earlierOffset(landed position: MediaTime?, target: MediaTime) -> Duration? {
    guard state.isInexact, state.hasVideo else { return nil }
    return film.seekLanded(at: position, target: target, frameDuration: state.frameDuration)
  }

  private func seekOnce(
    to target: MediaTime, _ serial: UInt64
  ) async throws(Interruption) -> MediaTime? {
    let begin = HostTime.now()
    try await sendSeek(to: target, serial)
    var position = try await pausedItemTime(serial)
    timing.seekTook(.now() - begin)
    if let reported = position { position = await endIfMissed(target, at: reported) }
    try check(serial)
    if !state.hasVideo {
      // Sound begins exactly there, while `audio-pts` may still count the output's earlier contents.
      position = state.duration.map { min(target, $0) } ?? target
    }
    guard let position, attribution.isPaused else { return position }
    known.primed(at: position, speed: attribution.speed)
    known.paused(at: position, hostTime: .now())
    return position
  }

  func sendSeek(to target: MediaTime, _ serial: UInt64) async throws(Interruption) {
    film.seekBegan()
    try await perform(serial) { () async throws(MPVError) in
      _ = try await self.answer(
        "seek",
        {
          $0.command(
            .array([
              .string(MPVCommand.seek), .string(target.secondsText), .string("absolute+exact"),
            ]), id: $1)
        },
        first: { player, reply in
          if reply.code >= 0 { player.attribution.wroteSeek(to: target) }
        })
    }
  }

  /// The distance from its target at which a seek may have found the end of what can be read.
  private static let missedDistance = Duration.seconds(1)

  /// Looks whether a seek that missed its target has found an end.
  /// All data of a local file are there, so that a seek that ends before its target has found the end.
  ///
  /// - Returns: the found end; the reported position if it's none.
  func endIfMissed(_ target: MediaTime, at reported: MediaTime) async -> MediaTime {
    guard film.item.foundEnd == nil, (reported - target).magnitude > Self.missedDistance else {
      return film.item.foundEnd?.position ?? reported
    }
    let found = OneShot<Void>()
    readEnd { player, position, reading, _ in
      if reading.isOver || !player.state.isRemote && reported < target {
        player.foundEnd(position, reading)
      }
      found.fulfil(())
    }
    _ = await found.value()
    return film.item.foundEnd?.position ?? reported
  }
}
