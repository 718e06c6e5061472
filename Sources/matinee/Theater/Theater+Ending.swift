import GroupActivities

/// The pause at the end of the group's session.
extension Theater {
  /// Pauses the group before its session or party ends: otherwise each player would continue alone, or begin a start
  /// that is waited for. A participant that has stepped away, or watches alone, keeps what it sees.
  func pauseIfPlaying() async throws {
    guard !isSteppedAway else { return }
    switch await coordinator.snapshot().status {
    case .noItem, .paused: break
    case .waiting, .playing: try await pause()
    }
  }

  /// Pauses after the end of the group's session, which may have come before the group's pause. This player plays alone
  /// by now, so that it needs no permission.
  func pause(afterEndOf reason: InvalidationReason) async {
    // In the meantime the next session may have begun.
    guard case .ended = reason, session?.state != .joined, session?.state != .waiting else {
      return
    }
    do { try await pauseIfPlaying() } catch { emit(.warning("\(error)")) }
  }
}
