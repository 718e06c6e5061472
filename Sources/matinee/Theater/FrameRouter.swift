import MPVPlayer
import Synchronization

/// Which player's pictures go into the pane: the film's, or while there is one the trailer's.
final class FrameRouter: Sendable {
  private struct State: Sendable {
    var target: (any FrameTarget)?
    var player: MPVPlayer?
  }

  private let state = Mutex(State())

  /// - Parameter target: nil shows none.
  func setTarget(_ target: (any FrameTarget)?) {
    state.withLock { state in
      state.target = target
      state.player?.setFrameTarget(target)
    }
  }

  /// Takes the pictures of this player from now on, and nobody else's.
  func show(_ player: MPVPlayer?) {
    state.withLock { state in
      state.player?.setFrameTarget(nil)
      state.player = player
      player?.setFrameTarget(state.target)
    }
    redraw()
  }

  /// Asks for the picture that is on once more.
  func redraw() { state.withLock { $0.player }?.redrawFrame() }
}
