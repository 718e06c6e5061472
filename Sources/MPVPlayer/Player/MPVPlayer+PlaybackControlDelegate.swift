import PlaybackCoordination

extension MPVPlayer: PlaybackControlDelegate {
  /// Carries out ``MPVPlayer/play(_:)``.
  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
  ) async -> CommandResult { await play(command) }

  /// Carries out ``MPVPlayer/pause(_:)``.
  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
  ) async -> CommandResult { await pause(command) }

  /// Carries out ``MPVPlayer/seek(_:)``.
  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult { await seek(command) }

  /// Carries out ``MPVPlayer/buffer(_:)``.
  public func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult { await buffer(command) }
}
