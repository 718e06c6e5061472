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
    await take(.separated(separation, for: reason))
  }

  /// - Parameter newTime: the position that is proposed to the group; it counts if no other separation remains.
  func rejoin(_ separation: Separation, proposingNewTime newTime: MediaTime? = nil) async {
    await take(.rejoined(separation, proposing: newTime))
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
    await take(.resumed(program?.playlist))
    await waitForFile()
  }

  var isSteppedAway: Bool { programme.keepsFilm || preroll != nil }

  func whatHappened() async throws { try await coordinator.whatHappened() }

  /// Shows another position to this user only.
  func scrub(to place: MediaTime) async throws {
    if !programme.separations.contains(.scrubbing) {
      await separate(.scrubbing, for: .userIsChangingCurrentTime)
      if case .playing = await coordinator.snapshot().status { try await pause() }
    }
    try await seek(to: place)
  }

  /// - Parameter place: the group's new position; nil to return to the group.
  func endScrub(at place: MediaTime?) async throws {
    guard programme.separations.contains(.scrubbing) else { throw NothingToDo.noPreview }
    let isAllowed = await mayChoose
    await rejoin(.scrubbing, proposingNewTime: place)
    if place != nil, !isAllowed { throw CoordinationError.notPermitted }
  }

  // MARK: - Ready?

  static let readyCheck = CoordinatedPlaybackSuspension.Reason(rawValue: "readyCheck")

  func toggleReady() async {
    if !programme.separations.contains(.notReady) {
      await separate(.notReady, for: Self.readyCheck)
    } else {
      await rejoin(.notReady)
    }
  }

  func setReady(_ isReady: Bool) async {
    if isReady == programme.separations.contains(.notReady) { await toggleReady() }
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
