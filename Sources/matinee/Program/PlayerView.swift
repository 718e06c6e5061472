import MPVPlayer
import Timekeeping

/// The shown part of the player's state.
struct PlayerView: Sendable {
  var snapshot: PlayerSnapshot

  init(_ snapshot: PlayerSnapshot) { self.snapshot = snapshot }
}
