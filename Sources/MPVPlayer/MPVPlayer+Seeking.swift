import Timekeeping

/// Exact seeks.
extension MPVPlayer {
  /// The number of additional seeks in a container without an index, and the limit of their offset.
  private static let maximumCorrections = 3
  private static let longestOffset = Duration.seconds(20)

  /// A Boolean value that indicates whether the container has no index of its frames: a seek may end seconds after its
  /// target, at the next frame that can be decoded alone.
  var isInexact: Bool { fileFormat == "mpegts" || fileFormat == "mpeg" }

  /// Returns the time of the frame at which the player is then paused.
  @discardableResult
  func seekExactly(
    to target: MediaTime, _ serial: UInt64
  ) async throws(Interruption) -> MediaTime? {
    let target = try await reachableTime(for: max(target, .zero), serial)
    var place = try await seekOnce(to: target, serial)
    for _ in 0..<Self.maximumCorrections {
      guard let offset = earlierOffset(landed: place, target: target) else { break }
      item.seekOffset = offset
      try await perform(serial) { () async throws(MPVError) in
        try await self.set(MPVProperty.seekDemuxerOffset, .double(offset.inSeconds))
      }
      place = try await seekOnce(to: target, serial)
    }
    return place
  }

  /// Returns the time by which the next seek has to begin earlier, if the last one ended after its target. It stays for
  /// the rest of the file.
  private func earlierOffset(landed place: MediaTime?, target: MediaTime) -> Duration? {
    guard isInexact, state.hasVideo, let place, item.seekOffset < Self.longestOffset else {
      return nil
    }
    let late = place - target
    guard late > max((state.frameDuration ?? .zero) * 1.5, .milliseconds(60)) else { return nil }
    return min(item.seekOffset + late + .seconds(1), Self.longestOffset)
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
    var place = try await standingPlace(serial)
    latencies.seek.record(.now() - begin)
    if !state.hasVideo {
      // Sound begins exactly there, while `audio-pts` may still count the output's earlier contents.
      place = state.duration.map { min(target, $0) } ?? target
    }
    guard let place, attribution.isPaused else { return place }
    primed = PrimedPlace(itemTime: place, speed: attribution.speed)
    stand(at: place, hostTime: .now())
    return place
  }
}
