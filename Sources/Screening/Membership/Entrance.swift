import GroupActivities

/// A way into a party.
package enum Entrance: Hashable, Sendable {
  case host
  /// Open a private party, whose other participants are the people of a room elsewhere. It isn't shown, and isn't
  /// remembered: a return would find none of them.
  case room
  case join(Invite)
  /// Return to the party of earlier runs that was found before.
  case rejoin
}
