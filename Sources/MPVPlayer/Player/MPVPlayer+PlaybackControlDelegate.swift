import PlaybackCoordination

extension MPVPlayer: PlaybackControlDelegate {
  /// Carries out ``MPVPlayer/play(_:)``.
  package func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
  ) async -> CommandResult { await play(command) }

  /// Carries out ``MPVPlayer/pause(_:)``.
  package func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
  ) async -> CommandResult { await pause(command) }

  /// Carries out ``MPVPlayer/seek(_:)``.
  package func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult { await seek(command) }

  /// Carries out ``MPVPlayer/buffer(_:)``.
  package func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult { await buffer(command) }
}
