/// An order to this participant's own player.
package enum PlayerOrder: Hashable, Sendable {
  case setVolume(Double)
  case changeVolume(by: Double)
  case toggleMute
  /// Listen for calls in other programs, or no longer; see ``ScreeningMachine/PlaybackEvent/callHeard(_:)``.
  case listenForCalls(Bool)
  /// Lower the film's sound, or end that.
  case lower(Bool)
  case setLatencyOffset(Duration)
  case changeLatencyOffset(by: Int)
  case cycleAudio
  case cycleSubtitles(by: Int)
  case toggleSubtitles
  /// Show the picture there. `isClosed`: because its window was closed.
  case show(ScreeningEvent.VideoLocation, isClosed: Bool)
  case setPictureInPicture(Bool)
  case setFullscreen(Bool)
  /// Prepare for nudges of the speed, as a group needs them.
  case expectNudges(Bool)
  /// End the loops over a part of the film.
  case endLoops
  case perform(PlayerCommand)
  /// Open the films that follow with these tracks.
  case prefer(PreferredTracks)
  /// Add subtitles to an item, without selecting them. It fails if the item isn't on the screen.
  case addSubtitles(SharedSubtitles, titled: String, to: String)
}

/// An order to the player of the trailers.
package enum TrailerOrder: Hashable, Sendable {
  case playPause
  case open
  case play(String)
  /// Shut the trailers' player down.
  case close
  /// Show the film's picture instead of the trailers'.
  case showFilm
}

/// An order about this player's distance from the group.
package enum SyncOrder: Hashable, Sendable {
  /// Measure the player and correct it; the answer is ``ScreeningMachine/PlaybackEvent/measured(error:)``.
  ///
  /// - Parameters:
  ///   - reportsEnd: true if the player's film is the coordinator's item.
  ///   - isLive: true if it is a live stream, which has no end.
  case correct(reportsEnd: Bool, isLive: Bool)
  /// Let the player go on without corrections; the answer is ``ScreeningMachine/PlaybackEvent/wentOn(to:)``.
  case goOnAlone
  /// Stay where the player is, instead of carrying out a command that would still lead to the group's position.
  case stayHere
  /// Begin to measure again, because nothing can be measured, or the earlier measurements don't count any more.
  case forget
  case noteStall
  case noteLatencyOffset
}
