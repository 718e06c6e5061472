import GroupActivities
import Timekeeping

/// This participant's membership in a party: whether it is in one, since when, and how the last one ended.
package struct Membership: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    /// In no party. The ending of the last one, if this participant didn't leave it, until the user has done something
    /// else.
    case alone(after: PartyEnding?)
    /// A party is being opened or joined. The film continues alone.
    case entering
    case member(since: HostTime)
    /// The party is being left, because of this ending if the user didn't ask for it.
    case leaving(after: PartyEnding?)
  }

  package private(set) var state = State.alone(after: nil)
  /// A Boolean value that indicates whether the link to the party's relay is up.
  package private(set) var isLinkUp = false
  /// A Boolean value that indicates whether this participant has joined a session of this party.
  package private(set) var hasTakenPart = false
  /// The participants who are present, and the last ones who left: the notes about their actions need the names.
  package private(set) var known: [Participant] = []

  /// A Boolean value that indicates whether guests have come through a door during this stay. They may come again, also while
  /// they seem to be gone: the next door is another program for the party.
  private(set) var hasDoorGuests = false

  var chat = ChatMemory()
  /// The way into this party; nil in none.
  private(set) var entrance: Entrance?
  /// A Boolean value that indicates whether the user is in a room elsewhere if the next party can't be entered.
  private var keepsRoom = false
  /// The participant who speaks for the room elsewhere from which this one came; nil if it came from none.
  private(set) var speaker: Participant.ID?
  private var speakerLeft: HostTime?
  /// The participants who control the room elsewhere, if it is a managed one.
  private(set) var roomOperators: Set<Participant.ID> = []
  /// The invite to a party that a person in the room elsewhere has opened; nil for none.
  private(set) var invitation: Invite?
  private var inviter = ""
  var evening = Evening()
  var voting = Voting()
  /// The largest measured distance from the group during this stay; nil without a measurement.
  private(set) var largestError: Duration?

  /// The number of participants who left that are still known.
  static let departedLimit = 64
  /// The time after entering within which a session's first film counts as already being watched.
  static let arrival = Duration.seconds(3)

  private static let speakerPatience = Duration.seconds(5)

  package init() {}

  /// A Boolean value that indicates whether this participant is in a party.
  package var isMember: Bool { if case .member = state { true } else { false } }

  /// A Boolean value that indicates whether a party is being left.
  var isLeaving: Bool { if case .leaving = state { true } else { false } }

  /// The ending of the last party; nil in a party, and after the user has opened another film or dismissed it.
  package var ending: PartyEnding? {
    switch state {
    case .alone(let ending), .leaving(let ending): ending
    case .entering, .member: nil
    }
  }

  /// The reason why this participant watches a session's first film.
  ///
  /// - Parameter isOwn: true if this participant began the session.
  package func cause(ofSessionAt now: HostTime, isOwn: Bool) -> FilmCause {
    guard case .member(let since) = state, now - since < Self.arrival else { return .chosen }
    return isOwn ? .own : .current
  }

  package func name(of id: Participant.ID) -> String {
    known.first { $0.id == id }?.name ?? "a participant"
  }

  // MARK: - Events

  /// The user opens or joins a party.
  ///
  /// - Throws: ``MembershipProblem`` if another party is being entered or left.
  package mutating func beginEntering(by entrance: Entrance) throws(MembershipProblem) {
    switch state {
    case .alone: (state, self.entrance) = (.entering, entrance)
    case .entering: throw .entering
    case .leaving: throw .leaving
    case .member: throw .member
    }
  }

  /// The party can't be entered.
  ///
  /// - Returns: true if the people of a room elsewhere wait for a party.
  package mutating func enteringFailed() -> Bool {
    guard state == .entering else { return false }
    (state, entrance) = (.alone(after: nil), nil)
    defer { keepsRoom = false }
    return keepsRoom
  }

  package mutating func entered(at now: HostTime) {
    if keepsRoom, case .join(let invite) = entrance { speaker = invite.party }
    (state, keepsRoom) = (.member(since: now), false)
    isLinkUp = true
  }

  /// Another participant speaks for the room elsewhere from now on.
  mutating func speakerChanged(to id: Participant.ID) { (speaker, speakerLeft) = (id, nil) }

  /// - Returns: whether the speaker has been gone for so long that the party has moved to another relay, if it has to.
  mutating func lacksSpeaker(among present: [Participant], at now: HostTime) -> Bool {
    guard let speaker, isLinkUp, !present.contains(where: { $0.id == speaker }) else {
      speakerLeft = nil
      return false
    }
    let left = speakerLeft ?? now
    speakerLeft = left
    return now - left >= Self.speakerPatience
  }

  mutating func roomOperatorsChanged(to ids: Set<Participant.ID>) { roomOperators = ids }

  /// The name of the person in the room elsewhere who has opened a party for it; nil for none.
  var roomHost: String? { invitation == nil || entrance != .room ? nil : inviter }

  /// A person in the room elsewhere invites this participant.
  ///
  /// - Returns: true if the party is a new one.
  mutating func invited(to invite: Invite, by name: String) -> Bool {
    defer { (invitation, inviter) = (invite, name) }
    return invitation?.party != invite.party
  }

  package mutating func tookPart() { hasTakenPart = true }

  /// - Parameter error: the distance of this player from the group.
  mutating func measured(_ error: Duration) {
    largestError = max(largestError ?? .zero, error.magnitude)
  }

  /// Returns the other participants who were there during this stay.
  func others(than me: Participant.ID?) -> [Participant] { known.filter { $0.id != me } }

  /// Returns a Boolean value that indicates whether this participant opened the party, and no other ever joined.
  func isUnvisited(by me: Participant.ID?) -> Bool {
    (entrance == .host || entrance == .room) && others(than: me).isEmpty
  }

  package mutating func linkChanged(isUp: Bool) {
    if isMember { isLinkUp = isUp }
  }

  /// The participants who are present changed.
  package mutating func participantsChanged(to present: [Participant]) {
    let ids = Set(present.map(\.id))
    hasDoorGuests = hasDoorGuests || present.contains { $0.door != nil }
    known = present + known.filter { !ids.contains($0.id) }.prefix(Self.departedLimit)
  }

  /// This participant leaves the party.
  ///
  /// - Parameters:
  ///   - ending: the ending of the party; nil if the user leaves it.
  ///   - keepsRoom: whether the user is in a room elsewhere if the next party can't be entered.
  /// - Returns: false if it is in no party, or already leaves it.
  package mutating func beginLeaving(
    after ending: PartyEnding?, keepingRoom keepsRoom: Bool = false
  ) -> Bool {
    guard isMember else { return false }
    (state, self.keepsRoom) = (.leaving(after: ending), keepsRoom)
    return true
  }

  package mutating func left() {
    guard case .leaving(let ending) = state else { return }
    let keepsRoom = keepsRoom
    self = Membership()
    (state, self.keepsRoom) = (.alone(after: ending), keepsRoom)
  }

  /// Forgets the ending of the last party.
  ///
  /// - Returns: false if there is none.
  package mutating func dismissEnding() -> Bool {
    switch state {
    case .alone(_?): state = .alone(after: nil)
    case .leaving(_?): state = .leaving(after: nil)
    case .alone, .leaving, .entering, .member: return false
    }
    return true
  }
}

/// A party that can't be entered now.
package enum MembershipProblem: Error, Hashable, CustomStringConvertible {
  case entering, leaving, member

  package var description: String {
    switch self {
    case .entering: "Already opening or joining a party. Wait a moment."
    case .leaving: "Still leaving the last party. Try again in a moment."
    case .member: "You are in a party already. To leave it, type: leave"
    }
  }
}
