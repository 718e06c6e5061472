import GroupActivities
import PlaybackCoordination
import Timekeeping

extension CoordinatedPlayer {
  /// The relation of a player to the rate that was asked for. Mirrors `AVPlayer.TimeControlStatus`.
  public enum TimeControlStatus: Hashable, Sendable {
    /// The player is paused.
    case paused
    /// The player plays as soon as the reason for waiting has gone (``CoordinatedPlayer/reasonForWaitingToPlay``).
    case waitingToPlayAtSpecifiedRate
    /// The player plays.
    case playing
  }

  /// The reason why a player waits. Mirrors `AVPlayer.WaitingReason`.
  public enum WaitingReason: Hashable, Sendable {
    /// The start waits for the group.
    case waitingForCoordinatedPlayback
    /// The player has too little data.
    case toMinimizeStalls
  }

  /// An event of a player. Mirrors notifications of `AVPlayer` and `AVPlayerItem`.
  public enum Event: Hashable, Sendable {
    /// ``CoordinatedPlayer/timeControlStatus`` or ``CoordinatedPlayer/reasonForWaitingToPlay`` changed.
    case timeControlStatusChanged(TimeControlStatus, WaitingReason?)
    /// A participant, perhaps this one, set the rate: zero for a pause. Outside a session the originator is nil.
    ///
    /// Mirrors `AVPlayer.rateDidChangeNotification` and `rateDidChangeOriginatingParticipantKey`.
    case rateDidChange(Double, originator: Participant.ID?)
    /// A participant, perhaps this one, moved playback to another position. Outside a session the originator is nil.
    ///
    /// Mirrors `AVPlayerItem.timeJumpedNotification` and `timeJumpedOriginatingParticipantKey`.
    case timeJumped(to: MediaTime, originator: Participant.ID?)
    /// The item can be played.
    case itemDidBecomeReady(PlayerItem)
    /// The item was played to its end.
    case didPlayToEndTime
    /// The item can't be played, for this reason. The player is apart from the group until the next item.
    case failedToPlay(String)
    /// A command had no effect, because the party's rules don't permit it or there is no item.
    case commandRefused(CoordinationError)
    /// The current interstitial event; nil at its end.
    case interstitialEventChanged(InterstitialEvent?)
    /// An event of the player's coordinator, such as a start that waits, a suspension, or the end of the session.
    case coordinator(CoordinatorEvent)
    /// The player is gone. The last event.
    case shutDown
  }
}
