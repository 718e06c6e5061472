import GroupActivities

/// The door for friends without Matinee that this program keeps open.
package struct KeptDoor: Hashable, Sendable {
  /// The film in this participant's player, for guests without a copy; nil for none.
  package var film: FilmIdentity?
  /// The place among the party's doors for browsers: guests come through the lowest. Nil if this program keeps none, and
  /// only friends with Syncplay may come in through it.
  package var rank: Int?
  /// The relay that the party uses; nil while the link is down.
  package var server: String?

  /// The doors that a party needs, so that the end of one program shows no guest out.
  static let count = 3
}

extension ScreeningMachine {
  /// The door that this program keeps open; nil for none.
  ///
  /// The host's is open for browsers at any time, since its links are made without it. Others open one as soon as there
  /// are guests who would lose the party with their keeper.
  var door: KeptDoor? {
    guard membership.isMember, let party else { return nil }
    return KeptDoor(
      film: filmMachine.isShown ? filmMachine.film : nil,
      rank: party.doorRank(isNeeded: membership.hasDoorGuests), server: standby.server)
  }
}

extension PartyFacts {
  /// Returns the place of this participant's door among the party's; nil if it keeps none.
  ///
  /// - Parameter isNeeded: whether there are guests who may lose their door.
  fileprivate func doorRank(isNeeded: Bool) -> Int? {
    if role == .host { return 0 }
    guard isNeeded else { return nil }
    // All participants choose the same keepers.
    let keepers = participants.filter { $0.door == nil && $0.role != .host }.map(\.id).sorted()
    return keepers.prefix(KeptDoor.count - 1).firstIndex(of: me).map { $0 + 1 }
  }
}
