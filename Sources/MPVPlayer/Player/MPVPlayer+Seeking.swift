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
    var place = try await seekOnce(to: target, serial)
    for _ in 0..<Self.maximumCorrections {
      guard let offset = earlierOffset(landed: place, target: target) else { break }
      try await perform(serial) { () async throws(MPVError) in
        try await self.set(MPVProperty.seekDemuxerOffset, .double(offset.inSeconds))
      }
      place = try await seekOnce(to: target, serial)
    }
    return place
  }

  private func earlierOffset(landed place: MediaTime?, target: MediaTime) -> Duration? {
    guard state.isInexact, state.hasVideo else { return nil }
    return film.seekLanded(at: place, target: target, frameDuration: state.frameDuration)
  }

  private func seekOnce(
    to target: MediaTime, _ serial: UInt64
  ) async throws(Interruption) -> MediaTime? {
    let begin = HostTime.now()
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
    var place = try await pausedPlace(serial)
    timing.seekTook(.now() - begin)
    if !state.hasVideo {
      // Sound begins exactly there, while `audio-pts` may still count the output's earlier contents.
      place = state.duration.map { min(target, $0) } ?? target
    }
    guard let place, attribution.isPaused else { return place }
    known.primed(at: place, speed: attribution.speed)
    known.paused(at: place, hostTime: .now())
    return place
  }
}
