/// The use of a film that was identified.
package enum FilmPurpose: Hashable, Sendable {
  case watch, watchAlone, enqueue
  /// To watch the film from where the user stopped watching it.
  case resume
  /// The user loaded the film in the player itself.
  case loadedInPlayer
}

/// The consequence of a failure that isn't the command's.
package enum FailureEffect: Hashable, Sendable {
  /// Report the error, after these words.
  case report(String)
  /// Warn of the error, after these words.
  case warn(String)
  /// Report the error, and return the player to the group's position.
  case reapply
}
