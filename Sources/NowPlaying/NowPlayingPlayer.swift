/// A player in a ``NowPlayingSession``. Replaces `AVPlayer`, which doesn't exist here.
public protocol NowPlayingPlayer: AnyObject, Sendable {
  /// Returns the player's current state; nil while there is nothing to play.
  func nowPlayingState() async -> NowPlayingState?

  /// Returns a stream with an element for each change of the state that isn't explained by the passing of time. Extra
  /// elements do no harm. The stream is for one reader: a session asks once. It is best made with
  /// `.bufferingNewest(1)`.
  func nowPlayingChanges() -> AsyncStream<Void>
}
