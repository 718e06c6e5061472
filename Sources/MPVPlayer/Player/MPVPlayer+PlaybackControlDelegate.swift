import PlaybackCoordination

extension MPVPlayer: PlaybackControlDelegate {
  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
  ) async -> CommandResult { await play(command) }

  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
  ) async -> CommandResult { await pause(command) }

  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult { await seek(command) }

  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult { await buffer(command) }
}
