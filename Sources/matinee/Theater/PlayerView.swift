import MPVPlayer
import Timekeeping

/// What is shown of the player.
struct PlayerView: Sendable {
  var snapshot: PlayerSnapshot

  init(_ snapshot: PlayerSnapshot) { self.snapshot = snapshot }
}
