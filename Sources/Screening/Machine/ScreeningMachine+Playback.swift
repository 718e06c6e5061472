import PlaybackCoordination
import Timekeeping
import WatchTogether

/// The commands about playback.
extension ScreeningMachine {
  /// Lets the film play that was opened, whatever else is on the screen.
  package mutating func playFilm(in reading: ScreeningReading) -> [Directive] {
    play(in: reading)
  }

  mutating func play(
    immediately: Bool = false, in reading: ScreeningReading
  ) -> [Directive] {
    if filmMachine.keepPlay(besides: reading.coordinator.currentItemIdentifier) { return [] }
    let play = Directive.setRate(reading.coordinator.rate, immediately: immediately)
    // The others' copies may be longer.
    guard reading.player.canSeek, let end = reading.groupItemEnd ?? reading.player.duration,
      let position = reading.coordinator.itemTime, position >= end - .milliseconds(200)
    else { return [play] }
    // At the end, playing starts again from the beginning.
    return [.seek(to: .zero), play]
  }

  mutating func pause(in reading: ScreeningReading) -> [Directive] {
    filmMachine.forgetPlay(besides: reading.coordinator.currentItemIdentifier)
    return [.setRate(0, immediately: false)]
  }

  /// Pauses. A file also returns to its beginning; a live stream doesn't.
  mutating func stop(in reading: ScreeningReading) -> [Directive] {
    if let isPaused = reading.isTrailerPaused { return isPaused ? [] : [.trailer(.playPause)] }
    return pause(in: reading) + (reading.isLive ? [] : [.then(.seek(to: .zero))])
  }

  /// Pauses the group before its session or party ends: otherwise each player would continue alone, or begin a start
  /// that is waited for. A participant that has stepped away, or watches alone, keeps what it sees.
  mutating func pauseIfPlaying(in reading: ScreeningReading) -> [Directive] {
    let isApart = filmMachine.keepsFilm || reading.isTrailerPaused != nil
    return !isApart && reading.isPlayingOrWaiting ? pause(in: reading) : []
  }

  mutating func seek(to position: MediaTime, in reading: ScreeningReading) -> [Directive] {
    if filmMachine.keepSeek(to: position, besides: reading.coordinator.currentItemIdentifier) {
      return []
    }
    guard reading.player.canSeek else {
      return [.report(.failed("This film can only be played on: there is no way to seek in it."))]
    }
    var target = max(.zero, position)
    if let end = reading.player.duration { target = min(target, end) }
    if let earliest = reading.player.earliest { target = max(target, earliest) }
    return [.seek(to: target)]
  }

  mutating func skip(
    by distance: Duration, in reading: ScreeningReading
  ) throws(CoordinationError) -> [Directive] {
    guard let here = reading.coordinator.itemTime else { throw .noCurrentItem }
    return seek(to: here + distance, in: reading)
  }

  mutating func seek(
    percent: Double, isRelative: Bool, in reading: ScreeningReading
  ) throws(NothingToDo) -> [Directive] {
    guard let duration = reading.player.duration else { throw .lengthUnknown }
    let here = isRelative ? reading.coordinator.itemTime ?? .zero : .zero
    let target = here.seconds + duration.seconds * percent / 100
    return seek(to: MediaTime(seconds: min(max(0, target), duration.seconds)), in: reading)
  }

  /// mpv's default for `chapter-seek-threshold`.
  private static var chapterThreshold: Duration { .seconds(5) }

  mutating func seek(
    chapters count: Int, in reading: ScreeningReading
  ) throws(CoordinationError) -> [Directive] {
    let chapters = reading.player.chapters
    guard !chapters.isEmpty else { return try skip(by: .seconds(600 * count), in: reading) }
    guard let here = reading.coordinator.itemTime else { return [] }
    let current = chapters.lastIndex { $0 <= here + .milliseconds(500) } ?? 0
    // As in mpv, the way back leads to the beginning of this chapter first, and from the last chapter on to the end.
    let isInside = here - chapters[current] > Self.chapterThreshold
    let (target, overflow) = current.addingReportingOverflow(
      count < 0 && isInside ? count + 1 : count)
    if target >= chapters.count || overflow && count > 0, let end = reading.player.duration {
      return seek(to: end, in: reading)
    }
    return seek(to: chapters[overflow ? 0 : min(max(0, target), chapters.count - 1)], in: reading)
  }

  func cycle(_ rates: [Double], in reading: ScreeningReading) -> [Directive] {
    guard !rates.isEmpty else { return [] }
    // As in mpv, a rate that isn't among them is followed by the first.
    let index = rates.firstIndex { abs($0 - reading.coordinator.rate) < 0.005 }
    return [.setDefaultRate(rates[index.map { ($0 + 1) % rates.count } ?? 0])]
  }

  /// Shows another position to this user only.
  mutating func scrub(to position: MediaTime, in reading: ScreeningReading) -> [Directive] {
    guard !filmMachine.separations.contains(.scrubbing) else {
      return seek(to: position, in: reading)
    }
    let separate = Directive.film(.separated(.scrubbing, for: .userIsChangingCurrentTime))
    return [separate] + (reading.isPlaying ? pause(in: reading) : []) + [.then(.seek(to: position))]
  }

  /// - Parameter position: the group's new position; nil to return to the group.
  func endScrub(
    at position: MediaTime?, in reading: ScreeningReading
  ) throws(NothingToDo) -> [Directive] {
    guard filmMachine.separations.contains(.scrubbing) else { throw .noPreview }
    return [.film(.rejoined(.scrubbing, proposing: position))]
      + (position != nil && !reading.mayChoose ? [.refuse(.notPermitted)] : [])
  }

  /// Lets a player that was too slow try again, because something changes for it.
  func rejoinIfTooSlow() -> [Directive] {
    filmMachine.separations.contains(.tooSlow) ? [.film(.rejoined(.tooSlow, proposing: nil))] : []
  }

  // MARK: - The list of films

  /// Makes the film at this index the current one.
  mutating func watch(at index: Int, in reading: ScreeningReading) throws -> [Directive] {
    guard let list, list.entries.indices.contains(index) else { throw PlaylistProblem.noSuchEntry }
    let step = index - list.currentIndex
    return step == 0 ? [] : try advance(by: step, in: reading)
  }

  /// Moves to the next film, or to the previous one. Playback continues if it was on.
  mutating func advance(by step: Int, in reading: ScreeningReading) throws -> [Directive] {
    guard !filmMachine.keepsFilm else { throw PlaylistProblem.apart }
    guard let list else { throw PlaylistProblem.empty }
    guard let target = list.entry(at: step) else {
      throw step > 0 ? PlaylistProblem.noNext : PlaylistProblem.noPrevious
    }
    // A film that couldn't be opened would have played, and the next one takes its place.
    let plays =
      reading.isPlayingOrWaiting || reading.player.isAtEnd
      || filmMachine.playsNext == list.current.identifier
    return try makeCurrent(target, plays: plays, in: reading)
  }

  private mutating func makeCurrent(
    _ target: PlaylistEntry, plays: Bool, in reading: ScreeningReading
  ) throws -> [Directive] {
    // Set before the change, because the next film may be there at once.
    if plays { filmMachine.playNext(target.identifier) }
    do {
      return try edit(.makeCurrent(target.id), plays: plays, in: reading)
    } catch {
      filmMachine.playNext(nil)
      throw error
    }
  }

  /// Moves to the next film at the end of one. The other participants do the same, or follow.
  ///
  /// A participant who is separate from the group reaches the end alone, and doesn't move the group.
  ///
  /// - Parameter item: the identifier of the item that ended; nil for a film that the user loaded in mpv.
  mutating func filmOver(
    _ item: String?, isEarly: Bool, in reading: ScreeningReading
  ) -> [Directive] {
    // Another participant's player may have ended first, and moved the list meanwhile.
    guard !isEarly, hasFollowing, reading.coordinator.suspensionReasons.isEmpty,
      reading.mayControl, item == nil || item == list?.current.item, let target = list?.entry(at: 1)
    else { return [] }
    do {
      return [.attempt(try makeCurrent(target, plays: true, in: reading), orElse: .report(""))]
    } catch {
      return [.report(.failed("\(error)"))]
    }
  }
}
