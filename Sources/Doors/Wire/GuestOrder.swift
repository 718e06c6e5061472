import Timekeeping

/// An order of the party to a guest's player.
struct GuestOrder: Hashable, Sendable {
  enum Action: String, Hashable, Sendable, Encodable { case play, pause, seek, ready }

  var number: Int
  var action: Action
  var position: MediaTime
  /// The time at which a player is at the position, from which on it plays.
  var date: HostTime
  var rate: Double
  /// The name of the participant that caused the order; nil for none.
  var by: String?
}
