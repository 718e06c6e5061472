import Foundation
import GroupActivities
import PlaybackCoordination
import Screening
import Timekeeping

/// Separations from the group, for the user's reasons and for the player's.
extension Theater {
  func separate(
    _ separation: Separation, for reason: CoordinatedPlaybackSuspension.Reason
  ) async {
    guard separations[separation] == nil else { return }
    // Noted before the coordinator answers, so that two events don't begin it twice.
    separations[separation] = .some(nil)
    let suspension: CoordinatedPlaybackSuspension
    do {
      suspension = try await coordinator.beginSuspension(for: reason)
    } catch {
      separations[separation] = nil
      return emit(.failed("\(error)"))
    }
    guard separations[separation] != nil else { return await suspension.end() }
    separations[separation] = .some(suspension)
  }

  /// - Parameter newTime: the position that is proposed to the group; it counts if no other separation remains.
  func rejoin(_ separation: Separation, proposingNewTime newTime: MediaTime? = nil) async {
    guard let suspension = separations.removeValue(forKey: separation) else { return }
    guard let suspension else { return }
    await coordinator.end(suspension, proposingNewTime: newTime)
  }

  /// Waits for the participants that the party's rules name.
  ///
  /// - Parameter rules: the party's rules; nil outside a party.
  func wait(by rules: PartyRules?) async {
    let reasons: Set<CoordinatedPlaybackSuspension.Reason> =
      switch rules?.waiting ?? .everyone {
      case .everyone: [Self.readyCheck, .playingInterstitial]
      case .nobody: []
      }
    await coordinator.setSuspensionReasonsThatTriggerWaiting(reasons)
  }

  // MARK: - The user's suspensions

  func suspend(_ reason: CoordinatedPlaybackSuspension.Reason) async throws {
    try reason.check()
    await separate(.steppedAway, for: reason)
  }

  /// Returns to the group, also from trailers, a replay and this user's own film. If the group's film has changed, it is
  /// opened.
  func resume() async {
    await coordinator.endReplay()
    await preroll?.stop()
    let kept = keepsFilm
    ownChoice = nil
    guard party != nil, kept, film?.item != program?.item else {
      await rejoin(.steppedAway)
      return await rejoin(.watchingAlone)
    }
    await beginFilmChange(ending: .keepsFilm)
    if let program { await adopt(program, by: nil) } else { await showNothing() }
  }

  /// A Boolean value that indicates whether this player keeps its film when the group changes to another one.
  var keepsFilm: Bool { separations.keys.contains { $0.onFilmChange == .keepsFilm } }

  /// Ends the separations that don't outlive the film on the screen, before another film of the group is opened.
  func beginFilmChange(ending effect: Separation.FilmChange = .ends) async {
    let ending = separations.keys.filter { $0.onFilmChange == effect || $0.onFilmChange == .ends }
    guard !ending.isEmpty else { return }
    // Without an item the return moves neither this player nor the group.
    try? await coordinator.transitionToItem(withIdentifier: nil)
    for separation in ending { await rejoin(separation) }
  }

  var isSteppedAway: Bool { keepsFilm || preroll != nil }

  func whatHappened() async throws { try await coordinator.whatHappened() }

  /// Shows another position to this user only.
  func scrub(to place: MediaTime) async throws {
    if separations[.scrubbing] == nil {
      await separate(.scrubbing, for: .userIsChangingCurrentTime)
      if case .playing = await coordinator.snapshot().status { try await pause() }
    }
    try await seek(to: place)
  }

  /// - Parameter place: the group's new position; nil to return to the group.
  func endScrub(at place: MediaTime?) async throws {
    guard separations[.scrubbing] != nil else { throw NothingToDo.noPreview }
    let isAllowed = await mayChoose
    await rejoin(.scrubbing, proposingNewTime: place)
    if place != nil, !isAllowed { throw CoordinationError.notPermitted }
  }

  // MARK: - Ready?

  static let readyCheck = CoordinatedPlaybackSuspension.Reason(rawValue: "readyCheck")

  func toggleReady() async {
    if separations[.notReady] == nil {
      await separate(.notReady, for: Self.readyCheck)
    } else {
      await rejoin(.notReady)
    }
  }

  func setReady(_ isReady: Bool) async {
    if isReady != (separations[.notReady] == nil) { await toggleReady() }
  }

  /// Asks all other participants whether they are ready. A start waits for those who haven't confirmed it.
  func askWhetherReady() async throws {
    // The others ignore the question of a participant who may not control playback.
    guard await mayChoose else { throw PartyError.notPermitted }
    guard let session else { throw PartyError.sessionOver }
    try await GroupSessionMessenger(session: session).send(ReadyCheck())
  }

  /// Follows the ready checks in a session.
  func listen(to session: GroupSession<FilmActivity>) async {
    let questions = GroupSessionMessenger(session: session).messages(of: ReadyCheck.self)
    for await (_, context) in questions {
      guard let party, await party.rules.mayControl(context.source.id) else { continue }
      await separate(.notReady, for: Self.readyCheck)
      emit(.readyCheck(by: context.source.name))
    }
  }

}

/// The question to all participants whether they are ready.
private struct ReadyCheck: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "ready-check"
}
