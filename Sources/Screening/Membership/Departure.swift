import GroupActivities

/// The way in which this participant leaves its party, so that the party continues if it can.
package struct Departure: Hashable, Sendable {
  /// The state of a party that decides how this participant leaves it.
  struct Situation: Hashable, Sendable {
    /// A Boolean value that indicates whether the user ends the party for everyone.
    var isClosing = false
    /// The user's wish that this machine relays for the others afterwards.
    var keepsRelay = false
    var isHost = false
    var lifetime = PartyRules.Lifetime.automatic
    /// A Boolean value that indicates whether the party was opened with this program's relay.
    var isRelay = false
    /// This program's relay, if others use it.
    var serving: OwnRelay?
    /// The owner of the relay that takes over; nil for none.
    var successor: Participant.ID?
    /// The other participants, in the order of their joining.
    var others: [Participant.ID] = []
  }

  /// The participant who becomes the host; nil for none.
  package var newHost: Participant.ID?
  /// A Boolean value that indicates whether the party ends for the others too.
  package var closes = false
  /// A Boolean value that indicates whether this program's relay asks its clients to move to another one.
  package var retires = false
  /// The relay that a process of its own continues; nil for none.
  package var kept: OwnRelay?
  /// A Boolean value that indicates whether other participants lose the party.
  package var closesForOthers = false
  /// A Boolean value that indicates whether the party isn't remembered, because no other participant ever joined.
  package var forgets = false
  /// The fate of this participant's stay in a room elsewhere.
  package var room = Room.leaves

  package enum Room: Hashable, Sendable {
    case leaves
    /// The people there come along into the next party.
    case comesAlong
    /// The user leaves it, and comes back if the next party can't be entered.
    case waits
  }

  /// | the relay of this program | hands over | keeps | closes |
  /// | --- | --- | --- | --- |
  /// | another one takes over | to its owner | no | no |
  /// | another one would, but the party ends with its host | no | no | yes, if it was opened with this relay |
  /// | none takes over, and the user keeps it | to the participant here longest | yes | no |
  /// | none takes over | no | no | yes, if it was opened with this relay |
  init(_ situation: Situation) {
    let endsWithHost = situation.isHost && situation.lifetime != .automatic
    let successor =
      situation.isClosing || situation.others.isEmpty || endsWithHost ? nil : situation.successor
    retires = successor != nil
    if situation.isHost { newHost = successor }
    if !situation.isClosing, situation.keepsRelay, Self.canKeepRelay(situation) {
      kept = situation.serving
      if situation.isHost { newHost = situation.others.first }
    }
    closes = situation.isClosing || situation.isRelay && successor == nil && kept == nil
    closesForOthers = closes && !situation.others.isEmpty
  }

  /// Returns a Boolean value that indicates whether this machine can relay for the party after this program's end, and
  /// no other takes over.
  static func canKeepRelay(_ situation: Situation) -> Bool {
    situation.serving != nil && situation.successor == nil && situation.lifetime == .automatic
  }

  /// Returns the number of other participants who lose the party if this participant leaves it.
  static func othersLosingParty(_ situation: Situation) -> Int {
    let endsWithMe = situation.lifetime == .endsWhenHostLeaves && situation.isHost
    let isLost =
      situation.serving != nil && situation.successor == nil && !situation.keepsRelay
    return endsWithMe || isLost ? situation.others.count : 0
  }
}

/// The reason why no relay is kept, for the user.
package enum KeptRelayProblem: Error, Hashable, CustomStringConvertible {
  case noRelay, endsWithHost

  package var description: String {
    switch self {
    case .noRelay: "Your program isn't this party's relay. To quit, type: quit"
    case .endsWithHost: "This party ends with its host. Change that first: lifetime automatic"
    }
  }
}
