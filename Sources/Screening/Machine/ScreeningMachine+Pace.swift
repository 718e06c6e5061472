import PlaybackCoordination
import Timekeeping

/// The consequences of facts and the passing of time: the player's pace, stalls, and remembered positions.
extension ScreeningMachine {
  mutating func tick() -> [Effect] {
    noteLacking()
    let effects =
      rememberIfDue() + watchSlowness() + followReadyCheck()
      + (group.isPlaying && history.offer.played(at: now) ? [.report(.resumeOffered(at: nil))] : [])
      + followGap() + followEchoes() + followVote() + followRoom()
    if filmMachine.separations.contains(.tooSlow) { return effects + [.sync(.goOnAlone)] }
    if filmMachine.separations.contains(.lacking) { return effects + [.sync(.forget)] }
    // A player without data can't be corrected. The stall ends when the player reports data.
    guard !filmMachine.separations.contains(.stalled), !filmMachine.isRecovering else {
      pace.interrupted()
      return effects + [.sync(.forget)]
    }
    let reportsEnd = player.isLoaded && !filmMachine.isOpening
    return effects + endStallIfReady() + [.sync(.correct(reportsEnd: reportsEnd, isLive: isLive))]
  }

  // MARK: - A player that is too slow

  /// Separates a player that is out of step for too long, although nothing but its machine keeps it from playing.
  mutating func judgePace(isInStep: Bool) -> [Effect] {
    // A copy that ends before the others' stands at its end.
    let isOver = player.isAtEnd || player.duration.map { $0 <= group.itemTime ?? .zero } ?? false
    guard membership.isMember, group.isPlaying, !filmMachine.isOpening, !filmMachine.isRecovering,
      filmMachine.separations.isEmpty, !isLive, !isOver, end.waitingItem == nil,
      group.reasons.allSatisfy({ $0 == .stallRecovery })
    else {
      pace.interrupted()
      return []
    }
    let playback = PaceLimit.Playback(item: group.item, rate: group.rate)
    // A seek in a film that comes over a link waits for data, of which the player reports nothing until it plays again.
    if filmMachine.film?.isStream == true, player.isSeeking {
      pace.waited()
      return []
    }
    guard case .separate(let isNews) = pace.note(isInStep: isInStep, in: playback, at: now) else {
      return []
    }
    let news: [Effect] =
      isNews ? [.report(.warning(StoryWords.cannotKeepUp(at: group.rate)))] : []
    return films(.separated(.tooSlow, for: .cannotKeepUp)) + news + [.sync(.stayHere)]
  }

  /// The player goes on without corrections, and rejoins once it keeps up.
  mutating func wentOn(to position: MediaTime?) -> [Effect] {
    guard filmMachine.separations.contains(.tooSlow), pace.played(to: position, at: now) else {
      return []
    }
    return films(.rejoined(.tooSlow, proposing: nil))
  }

  // MARK: - Stalls

  /// Handles the beginning or the end of a wait for data: the group continues, and this player catches up afterwards.
  mutating func stalled(_ isStalled: Bool) -> [Effect] {
    let changed = Effect.report(.changed)
    guard isStalled else {
      guard filmMachine.separations.contains(.stalled) else { return [changed] }
      return [changed] + films(.rejoined(.stalled, proposing: nil)) + [.then(.playback(.stallOver))]
    }
    guard group.isPlaying else { return [changed] }
    guard membership.isMember else { return [changed, .sync(.noteStall)] }
    return [changed, .sync(.noteStall)] + films(.separated(.stalled, for: .stallRecovery))
  }

  /// Ends a stall in the coordinator once the player is ready. A command that fails for lack of data begins a
  /// suspension; the coordinator sends no more commands until it learns that there is data again.
  func endStallIfReady() -> [Effect] {
    guard !filmMachine.isOpening, !filmMachine.isRecovering,
      group.reasons.contains(.stallRecovery), player.isLoaded, !player.isSeeking, !player.isStalled
    else { return [] }
    return [.tellReady]
  }

  /// Reports a server that sends too little, once per film.
  private mutating func watchSlowness() -> [Effect] {
    guard let film = filmMachine.film, film.isStream, !filmMachine.isOpening,
      !filmMachine.isRecovering,
      let host = film.isShared ? "The link" : URLPolicy.host(of: film.location)
    else { return [] }
    let isWithoutData = player.isStalled || group.reasons.contains(.stallRecovery)
    let isWaiting: Bool
    let effect: String
    switch group.status {
    case .noItem, .paused: return []
    case .playing where membership.isMember && group.hasOthers:
      isWaiting = isWithoutData
      effect = "Everyone else continues, and you rejoin when enough has loaded."
    case .playing:
      isWaiting = isWithoutData
      effect = "Loading… Pause for a while, or open a smaller version."
    case .waiting:
      isWaiting = isWithoutData || player.isSeeking
      effect = "The film waits for you, and continues when enough has loaded."
    }
    guard stalls.note(isWaiting: isWaiting, at: now) else { return [] }
    return [.report(.warning("\(host) is too slow for this film. " + effect))]
  }

  // MARK: - Remembered positions

  private func rememberIfDue() -> [Effect] {
    guard history.isDue(at: now), let film = filmMachine.film, filmMachine.isShown else {
      return []
    }
    return [.look(.remember(film))]
  }

  /// Remembers the position in a film that is on the screen, or about to be left.
  mutating func remember(_ film: FilmIdentity) -> [Effect] {
    let isSent = group.status == .paused && group.item == film.item
    // A copy that is gone with the party opens nothing later.
    guard player.isLoaded, !isLive, !film.isShared,
      let note = history.note(
        film.identifier, reported: player.itemTime, commanded: isSent ? group.itemTime : nil,
        at: now)
    else { return [] }
    return [.library(.remember(film, note, duration: player.duration))]
  }

  // MARK: - The picture

  /// Handles the closing of the window: the participant stays in the party, and the picture moves to the pane if there
  /// is one.
  func windowClosed() -> [Effect] {
    guard player.picture == .window else { return [] }
    return [.player(.show(pictureLocations.afterClosedWindow, isClosed: true))]
  }
}
