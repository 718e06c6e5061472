import PlaybackCoordination
import Timekeeping
import WatchTogether

/// The commands about playback.
extension ScreeningMachine {
  mutating func play(
    immediately: Bool = false
  ) -> [Effect] {
    if filmMachine.keepPlay(besides: group.item) { return [] }
    let play = Effect.setRate(group.rate, immediately: immediately)
    // The others' copies may be longer.
    guard player.canSeek, let end = group.end ?? player.duration,
      let position = group.itemTime, position >= end - .milliseconds(200)
    else { return [play] }
    // At the end, playing starts again from the beginning.
    return [.seek(to: .zero), play]
  }

  mutating func pause() -> [Effect] {
    filmMachine.forgetPlay(besides: group.item)
    return [.setRate(0, immediately: false)]
  }

  /// Pauses. A file also returns to its beginning; a live stream doesn't.
  mutating func stop() -> [Effect] {
    if let isPaused = trailers.isPaused { return isPaused ? [] : [.trailer(.playPause)] }
    return pause() + (isLive ? [] : [.look(.command(.seek(to: .zero)))])
  }

  /// Pauses the group before its session or party ends: otherwise each player would continue alone, or begin a start
  /// that is waited for. A participant that has stepped away, or watches alone, keeps what it sees.
  mutating func pauseIfPlaying() -> [Effect] {
    let isApart = filmMachine.keepsFilm || trailers.isPaused != nil
    return !isApart && group.isPlayingOrWaiting ? pause() : []
  }

  mutating func seek(to position: MediaTime) -> [Effect] {
    if filmMachine.keepSeek(to: position, besides: group.item) {
      return []
    }
    guard player.canSeek else {
      return [.report(.failed("This film can only be played on: there is no way to seek in it."))]
    }
    var target = max(.zero, position)
    if let end = player.duration { target = min(target, end) }
    if isLive, let earliest = player.earliest { target = max(target, earliest) }
    return [.seek(to: target)]
  }

  mutating func skip(
    by distance: Duration
  ) throws(CoordinationError) -> [Effect] {
    guard let here = group.itemTime else { throw .noCurrentItem }
    return seek(to: here + distance)
  }

  mutating func seek(
    percent: Double, isRelative: Bool
  ) throws(NothingToDo) -> [Effect] {
    guard let duration = player.duration else { throw .lengthUnknown }
    let here = isRelative ? group.itemTime ?? .zero : .zero
    let target = here.seconds + duration.seconds * percent / 100
    return seek(to: MediaTime(seconds: min(max(0, target), duration.seconds)))
  }

  /// mpv's default for `chapter-seek-threshold`.
  private static var chapterThreshold: Duration { .seconds(5) }

  mutating func seek(
    chapters count: Int
  ) throws(CoordinationError) -> [Effect] {
    let chapters = player.chapters
    guard !chapters.isEmpty else { return try skip(by: .seconds(600 * count)) }
    guard let here = group.itemTime else { return [] }
    let current = chapters.lastIndex { $0 <= here + .milliseconds(500) } ?? 0
    // As in mpv, the way back leads to the beginning of this chapter first, and from the last chapter on to the end.
    let isInside = here - chapters[current] > Self.chapterThreshold
    let (target, overflow) = current.addingReportingOverflow(
      count < 0 && isInside ? count + 1 : count)
    if target >= chapters.count || overflow && count > 0, let end = player.duration {
      return seek(to: end)
    }
    return seek(to: chapters[overflow ? 0 : min(max(0, target), chapters.count - 1)])
  }

  func cycle(_ rates: [Double]) -> [Effect] {
    guard !rates.isEmpty else { return [] }
    // As in mpv, a rate that isn't among them is followed by the first.
    let index = rates.firstIndex { abs($0 - group.rate) < 0.005 }
    return [.setDefaultRate(rates[index.map { ($0 + 1) % rates.count } ?? 0])]
  }

  /// Shows another position to this user only.
  mutating func scrub(to position: MediaTime) -> [Effect] {
    guard !filmMachine.separations.contains(.scrubbing) else {
      return seek(to: position)
    }
    return films(.separated(.scrubbing, for: .userIsChangingCurrentTime))
      + (group.isPlaying ? pause() : []) + [.look(.command(.seek(to: position)))]
  }

  /// - Parameter position: the group's new position; nil to return to the group.
  mutating func endScrub(
    at position: MediaTime?
  ) throws(NothingToDo) -> [Effect] {
    guard filmMachine.separations.contains(.scrubbing) else { throw .noPreview }
    return films(.rejoined(.scrubbing, proposing: position))
      + (position != nil && !mayChoose ? [.refuse(.notPermitted)] : [])
  }

  /// Lets a player that was too slow try again, because something changes for it.
  mutating func rejoinIfTooSlow() -> [Effect] {
    filmMachine.separations.contains(.tooSlow) ? films(.rejoined(.tooSlow, proposing: nil)) : []
  }

  // MARK: - The list of films

  /// Makes the film at this index the current one.
  mutating func watch(at index: Int) throws -> [Effect] {
    guard let list, list.entries.indices.contains(index) else { throw PlaylistProblem.noSuchEntry }
    let step = index - list.currentIndex
    return step == 0 ? [] : try advance(by: step)
  }

  /// Moves to the next film, or to the previous one. Playback continues if it was on.
  mutating func advance(by step: Int) throws -> [Effect] {
    guard !filmMachine.keepsFilm else { throw PlaylistProblem.apart }
    guard let list else { throw PlaylistProblem.empty }
    guard let target = list.entry(at: step) else {
      if step == 1, let location = nextBeside {
        end.passOver()
        return [.film(.identify(location, .sequel, isEntry: true))]
      }
      throw step > 0 ? PlaylistProblem.noNext : PlaylistProblem.noPrevious
    }
    // A film that couldn't be opened would have played, and the next one takes its place.
    let plays =
      group.isPlayingOrWaiting || player.isAtEnd
      || filmMachine.playsNext == list.current.identifier
    return try makeCurrent(target, plays: plays)
  }

  private mutating func makeCurrent(
    _ target: PlaylistEntry, plays: Bool
  ) throws -> [Effect] {
    // Set before the change, because the next film may be there at once.
    if plays { filmMachine.playNext(target.identifier) }
    do {
      return try edit(.makeCurrent(target.id), plays: plays)
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
    _ item: String?, isEarly: Bool
  ) -> [Effect] {
    // Another participant's player may have ended first, and moved the list meanwhile.
    guard !isEarly, hasFollowing, group.reasons.isEmpty,
      mayControl, item == nil || item == list?.current.item, let target = list?.entry(at: 1)
    else { return [] }
    do {
      return [.attempt(try makeCurrent(target, plays: true), orElse: .report(""))]
    } catch {
      return [.report(.failed("\(error)"))]
    }
  }
}
