/// Any player, as a ``NowPlayingSession`` sees it. In place of `AVPlayer`, of which there is none here.
public protocol NowPlayingPlayer: AnyObject, Sendable {
  /// What it does now; nil while there is nothing to play.
  func nowPlayingState() async -> NowPlayingState?

  /// An element whenever the state is another one for other reasons than that time goes by. More elements than changes
  /// do no harm. For one reader: a session asks once. Best made with `.bufferingNewest(1)`.
  func nowPlayingChanges() -> AsyncStream<Void>
}
