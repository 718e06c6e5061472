import PlaybackCoordination
import Timekeeping
import WatchTogether

/// An order about finding films and opening them in the player. The answers to requests are events with their numbers.
package enum FilmOrder: Hashable, Sendable {
  /// The number of a request of the film machine.
  package typealias Number = FilmMachine<OriginRefusal>.Number

  /// Read the identity of the film at this location, or the list of films there; the answer is
  /// ``ScreeningMachine/FilmEvent/identified(_:_:)`` or ``ScreeningMachine/FilmEvent/listed(_:_:)``.
  ///
  /// - Parameter isEntry: true for a location from a list, which isn't a list itself.
  case identify(String, FilmPurpose, isEntry: Bool)
  /// Find out whether a film that the user chose can be opened; the answer is ``ScreeningMachine/FilmEvent/canPlay(_:)``.
  case tryOut(FilmIdentity, FilmChoice.Number)
  /// Read the lengths of a film that the user named and of the party's; the answer is
  /// ``ScreeningMachine/FilmEvent/compared(_:_:)``.
  case compare(FilmIdentity, with: PlaylistEntry, CopyComparison.Purpose)
  /// Open a film. The film before it may continue until the new one is loaded.
  case load(Number, FilmIdentity, proposing: PlaybackTiming?)
  /// Open a film again at the group's position.
  case reopen(Number, FilmIdentity)
  /// Empty the player.
  case close
  /// The film on the screen has other times on the party's timeline.
  case retime(CopyTimeline)
  /// Give the coordinator the film on the screen again.
  case restoreItem(FilmIdentity)
  /// Look up the network of a server, for the question to the user.
  case findNetwork(of: OriginRefusal, Number)
  /// Look up the network of the server of the party's first film.
  case findArrivalNetwork(FilmOrigin, SessionStart)
  /// Connect to no other servers than these.
  case use(URLPolicy)
}
