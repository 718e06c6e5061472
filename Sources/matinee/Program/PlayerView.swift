import MPVPlayer
import Timekeeping

/// The part of the player's state that the interface shows.
struct PlayerView: Sendable {
  var snapshot: PlayerSnapshot

  init(_ snapshot: PlayerSnapshot) { self.snapshot = snapshot }
}
