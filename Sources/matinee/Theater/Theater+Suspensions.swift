import Foundation
import GroupActivities
import PlaybackCoordination
import Timekeeping

/// Being apart from the group, for reasons of the person's and of the player's.
extension Theater {
  /// What for: each at most once at a time.
  enum Separation: Hashable, Sendable {
    /// Asked for by the person, under any name.
    case steppedAway
    case scrubbing
    /// Trailers are shown in another player.
    case interstitial
    case notReady
    /// The player waits for data.
    case stalled
    /// The film's server has gone.
    case disconnected
    /// The player can't play what the group watches; ended by the next film.
    case unable
    /// A film waits for the person's word.
    case undecided
  }

  func separate(
    _ separation: Separation, for reason: CoordinatedPlaybackSuspension.Reason
  ) async {
    guard separations[separation] == nil else { return }
    // Noted before the coordinator answers, so that two events don't begin it twice.
    separations[separation] = .some(nil)
    let suspension = await coordinator.beginSuspension(for: reason)
    guard separations[separation] != nil else { return await suspension.end() }
    separations[separation] = .some(suspension)
  }

  /// - Parameter newTime: where the group is to go; counts if nothing else keeps this player apart.
  func rejoin(_ separation: Separation, proposingNewTime newTime: MediaTime? = nil) async {
    guard let suspension = separations.removeValue(forKey: separation) else { return }
    guard let suspension else { return }
    await coordinator.end(suspension, proposingNewTime: newTime)
  }

  /// Waits for those whom the party's rules name.
  ///
  /// - Parameter rules: nil while in no party.
  func wait(by rules: PartyRules?) async {
    let reasons: Set<CoordinatedPlaybackSuspension.Reason> =
      switch rules?.waiting ?? .everyone {
      case .everyone: [Self.readyCheck, .playingInterstitial]
      case .nobody: []
      }
    await coordinator.setSuspensionReasonsThatTriggerWaiting(reasons)
  }

  // MARK: - The person's

  func suspend(_ reason: CoordinatedPlaybackSuspension.Reason) async {
    await separate(.steppedAway, for: reason)
  }

  /// Back to the group, from trailers and from a film of one's own too.
  func resume() async {
    await preroll?.stop()
    await rejoin(.steppedAway)
    await endAlone()
  }

  var isSteppedAway: Bool {
    separations[.steppedAway] != nil || preroll != nil || ownChoice != nil
  }

  func whatHappened() async { await coordinator.whatHappened() }

  /// Shows another place to this person alone.
  func scrub(to place: MediaTime) async throws {
    if separations[.scrubbing] == nil {
      await separate(.scrubbing, for: .userIsChangingCurrentTime)
      if case .playing = await coordinator.snapshot().status { try await pause() }
    }
    try await seek(to: place)
  }

  /// - Parameter place: where everybody is to go; nil to go back to the group.
  func endScrub(at place: MediaTime?) async throws {
    guard separations[.scrubbing] != nil else { return }
    let mayControl = if let party { await party.rules.mayControl(party.localID) } else { true }
    await rejoin(.scrubbing, proposingNewTime: place)
    if place != nil, !mayControl { throw CoordinationError.notPermitted }
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

  /// Asks everybody else whether they are ready: a start waits for those who haven't said so.
  func askWhetherReady() async throws {
    guard let session else { throw PartyError.sessionOver }
    try await GroupSessionMessenger(session: session).send(ReadyCheck())
  }

  /// Follows what a session's members ask of each other.
  func listen(to session: GroupSession<FilmActivity>) async {
    let questions = GroupSessionMessenger(session: session).messages(of: ReadyCheck.self)
    for await (_, context) in questions {
      guard let party, await party.rules.mayControl(context.source.id) else { continue }
      await separate(.notReady, for: Self.readyCheck)
      emit(.readyCheck(by: context.source.name))
    }
  }

}

/// Somebody wants to know whether everybody is ready.
private struct ReadyCheck: Codable, Sendable, CustomMessageIdentifiable {
  static let messageIdentifier = "ready-check"
}
