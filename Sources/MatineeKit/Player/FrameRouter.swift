import MPVPlayer
import Synchronization

/// Selects the player whose pictures appear in the pane: the film's, or the trailer's while there is one.
package final class FrameRouter: Sendable {
  private struct State: Sendable {
    var target: (any FrameTarget)?
    package var player: MPVPlayer?
  }

  private let state = Mutex(State())

  /// - Parameter target: the target of the pictures; nil for none.
  package func setTarget(_ target: (any FrameTarget)?) {
    state.withLock { state in
      state.target = target
      state.player?.setFrameTarget(target)
    }
  }

  /// Shows the pictures of this player from now on, and those of no other.
  package func show(_ player: MPVPlayer?) {
    state.withLock { state in
      state.player?.setFrameTarget(nil)
      state.player = player
      player?.setFrameTarget(state.target)
    }
    redraw()
  }

  /// Requests the current picture again.
  package func redraw() { state.withLock { $0.player }?.redrawFrame() }
}
