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
    let target = try await reachableTime(for: presentTime(from: max(target, .zero)), serial)
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
    var found = try await readPausedPosition(serial)
    delays.seekTook(.now() - begin)
    if let reported = found?.itemTime {
      let place = await placeIfMissed(target, at: reported)
      try check(serial)
      if place != reported {
        found = PausedPosition(itemTime: place, picture: place == target ? .none : .frame)
      }
    }
    guard
      let position = PausedPosition.afterSeek(
        to: target, found: found, duration: state.duration, hasVideo: state.hasVideo,
        hasAudio: state.hasAudio)
    else { return nil }
    guard attribution.isPaused else { return position.itemTime }
    known.primed(at: position.itemTime, target: target, speed: attribution.speed)
    known.paused(at: position, hostTime: .now())
    return position.itemTime
  }

  func sendSeek(to target: MediaTime, _ serial: UInt64) async throws(Interruption) {
    film.seekBegan(to: target)
    // At the beginning of a recording of slides mpv (0.35) keeps the sound back until the second picture. Elsewhere the
    // sound has to be cut to the target.
    try await perform(serial) { () async throws(MPVError) in
      if self.hasSlides { try await self.set(MPVProperty.initialAudioSync, .flag(target > .zero)) }
      // A newer command may have found the player where it is meanwhile.
      guard serial == self.transportSerial else { throw MPVError(.superseded, "seek") }
      self.handle.sources.seekIsSent(isNear: self.isAhead(target))
      self.attribution.sentSeek()
      _ = try await self.answer(
        "seek",
        {
          $0.command(
            .array([
              .string(MPVCommand.seek), .string(self.ownTime(at: target).secondsText),
              .string("absolute+exact"),
            ]), id: $1)
        },
        first: { player, reply in
          player.attribution.answeredSeek(to: reply.code >= 0 ? target : nil)
        })
    }
  }

  /// Returns whether a position is in the part of the film that is being read now.
  private func isAhead(_ target: MediaTime) -> Bool {
    guard let position = extrapolatedItemTime(at: .now()) else { return false }
    return (position...position + .seconds(30)).contains(target)
  }

  /// A Boolean value that indicates whether the film's pictures last while the sound runs on.
  var hasSlides: Bool {
    state.hasAudio && state.frameDuration.map { $0 > Self.longFrame } ?? false
  }

  /// The duration of a frame above which it counts as a slide.
  private static let longFrame = Duration.milliseconds(200)

  /// The distance from its target at which a seek may have found the end of what can be read.
  private static let missedDistance = Duration.seconds(1)

  /// Looks why a seek has missed its target.
  ///
  /// - Returns: the found end, if all that there is has been read; the target, if there is only sound; otherwise the
  ///   reported position.
  func placeIfMissed(_ target: MediaTime, at reported: MediaTime) async -> MediaTime {
    guard film.item.foundEnd == nil, (reported - target).magnitude > Self.missedDistance else {
      return film.item.foundEnd?.position ?? reported
    }
    let isSound = OneShot<Bool>()
    readEnd { player, position, reading, _ in
      let isAlone = player.hasSoundOnly(at: target, reported, reading)
      // Beyond the target there is something after a gap in the time stamps.
      let isBefore = reported < target || reading.isEmpty
      if isBefore, !isAlone, reading.isOver || reading.isComplete == true {
        player.foundEnd(position, reading)
      }
      isSound.fulfil(isAlone)
    }
    let isAlone = await isSound.value() ?? false
    return film.item.foundEnd?.position ?? (isAlone ? target : reported)
  }

  /// Returns whether there is sound at a seek's target, and the picture that is shown was earlier.
  func hasSoundOnly(
    at target: MediaTime?, _ shown: MediaTime, _ reading: FilmEnd.Reading
  ) -> Bool {
    guard let target, state.hasAudio, shown < target else { return false }
    if let end = reading.end { return target <= end }
    return reading.isUsedUp && judgedFilm.isWhole(reading, at: target)
  }

  /// Returns whether the player is to stay paused where it is although the target is another position: its picture
  /// lasts, its sound is a little further, as after another participant's pause, and a seek would go to the next picture.
  func staysInPicture(
    at target: MediaTime, _ serial: UInt64
  ) async throws(Interruption) -> Bool {
    guard let here = try await pausedItemTime(serial), known.picture == .lasting,
      (target - Self.rounding...target + Self.pauseDelay).contains(here)
    else { return false }
    known.primed(at: here, target: here, speed: attribution.speed)
    return true
  }

  private static let rounding = Duration.milliseconds(5)
  /// The longest time from one participant's pause to another's.
  private static let pauseDelay = Duration.milliseconds(500)
}
