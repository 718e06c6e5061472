import Timekeeping

/// An event in this participant's player.
package enum PlayerReport: Hashable, Sendable {
  // The user's own changes in the player: with a key, a script, or its socket.
  case paused, resumed
  case sought(to: MediaTime)
  case changedRate(to: Double)
  case loaded(path: String)
  /// - Parameter isOpening: true for films that were appended while another one was being opened.
  case queued(paths: [String], isOpening: Bool)
  case closed
  case quit

  /// The player moved by itself, or a script moved it in answer to a command of the program.
  case strayed(at: HostTime)
  /// A loop was begun in the player, which will go back by itself.
  case loopBegan
  /// The film is at its end. `isEarly`: the rest of it is missing. `item`: nil for a film that the user loaded.
  case ended(at: MediaTime, isEarly: Bool, item: String?)
  /// The film's server disappeared.
  case connectionLost
  case failed(String)
  case soundLost, soundFound
  case windowUnavailable(String)
  case loadedPercentChanged
  /// A change that only a face shows.
  case changed
}
