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
  /// A Boolean value that indicates whether this participant opens a new party.
  private var isFounder = false
  var evening = Evening()
  var voting = Voting()
  /// The largest measured distance from the group during this stay; nil without a measurement.
  private(set) var largestError: Duration?

  /// The number of participants who left that are still known.
  static let departedLimit = 64
  /// The time after entering within which a session's first film counts as already being watched.
  static let arrival = Duration.seconds(3)

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
  /// - Parameter isFounder: true if the party is a new one.
  /// - Throws: ``MembershipProblem`` if another party is being entered or left.
  package mutating func beginEntering(asFounder isFounder: Bool = false) throws(MembershipProblem) {
    switch state {
    case .alone: (state, self.isFounder) = (.entering, isFounder)
    case .entering: throw .entering
    case .leaving: throw .leaving
    case .member: throw .member
    }
  }

  /// The party can't be entered.
  package mutating func enteringFailed() {
    if state == .entering { state = .alone(after: nil) }
  }

  package mutating func entered(at now: HostTime) {
    state = .member(since: now)
    isLinkUp = true
  }

  package mutating func tookPart() { hasTakenPart = true }

  /// - Parameter error: the distance of this player from the group.
  mutating func measured(_ error: Duration) {
    largestError = max(largestError ?? .zero, error.magnitude)
  }

  /// Returns the other participants who were there during this stay.
  func others(than me: Participant.ID?) -> [Participant] { known.filter { $0.id != me } }

  /// Returns a Boolean value that indicates whether this participant opened the party, and no other ever joined.
  func isUnvisited(by me: Participant.ID?) -> Bool { isFounder && others(than: me).isEmpty }

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
  /// - Parameter ending: the ending of the party; nil if the user leaves it.
  /// - Returns: false if it is in no party, or already leaves it.
  package mutating func beginLeaving(after ending: PartyEnding?) -> Bool {
    guard isMember else { return false }
    state = .leaving(after: ending)
    return true
  }

  package mutating func left() {
    guard case .leaving(let ending) = state else { return }
    self = Membership()
    state = .alone(after: ending)
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
