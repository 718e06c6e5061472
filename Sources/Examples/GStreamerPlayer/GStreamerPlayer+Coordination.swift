import PlaybackCoordination

extension GStreamerPlayer: PlaybackControlDelegate {
  typealias Coordinator = DelegatingPlaybackCoordinator
  func playbackCoordinator(_: Coordinator, didIssue play: PlayCommand) async -> CommandResult {
    await perform(play) { $0.play(play) }
  }
  func playbackCoordinator(_: Coordinator, didIssue pause: PauseCommand) async -> CommandResult {
    await perform(pause) { $0.pause() }
  }
  func playbackCoordinator(_: Coordinator, didIssue seek: SeekCommand) async -> CommandResult {
    await perform(seek) { $0.seek(to: seek.itemTime, rate: 1) }
  }
  func playbackCoordinator(_: Coordinator, didIssue ready: BufferingCommand) async -> CommandResult
  {
    await perform(ready) { $0.seek(to: $0.position, rate: ready.anticipatedPlaybackRate) }
  }
  private func perform(
    _ command: some PlaybackCoordinatorCommand,
    _ body: @escaping @Sendable (GStreamerPlayer) -> Void
  ) async -> CommandResult {
    await run { player in
      guard command.expectedCurrentItemIdentifier == player.item else { return .superseded }
      body(player)
      return .completed(itemTime: player.paused?.itemTime)
    }
  }
}
