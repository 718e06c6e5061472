import GroupActivities

/// An order to this participant's own player.
package enum PlayerOrder: Hashable, Sendable {
  case setVolume(Double)
  case changeVolume(by: Double)
  case toggleMute
  case setLatencyOffset(Duration)
  case changeLatencyOffset(by: Int)
  case cycleAudio
  case cycleSubtitles(by: Int)
  case toggleSubtitles
  case cycleVideo
  case togglePictureInPicture
  case setFullscreen(Bool)
  /// Prepare for nudges of the speed, as a group needs them.
  case expectNudges(Bool)
  /// End the loops over a part of the film.
  case endLoops
  case perform(PlayerCommand)
}

/// An order to the player of the trailers.
package enum TrailerOrder: Hashable, Sendable { case playPause, stop }

/// An order about the party and its session.
package enum PartyOrder: Hashable, Sendable {
  case host
  case join(invite: String)
  case rejoin(String?)
  case leave(closing: Bool)
  /// Keep this program's relay for the others when the program ends.
  case keepRelay
  /// The party is over for this participant.
  case leaveEnded(PartyEnding)
  case endSession
  case change(UserCommand.Rule)
  case say(String)
  case react(Reaction)
  case rename(String)
  case askWhetherReady
  /// Show the others a notice of this user's action.
  case showNotice(GroupSessionEvent.Action)
  /// Remember a participant, unless the party is a crowd.
  case meet(Participant)
  case rememberRules
  /// Remember why this participant doesn't return to the party.
  case rememberEnding(String)
}
