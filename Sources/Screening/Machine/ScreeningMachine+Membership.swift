import GroupActivities
import Timekeeping
import WatchTogether

/// Entering parties and leaving them, and the relays with which they continue.
extension ScreeningMachine {
  mutating func enter(_ entrance: Entrance) throws(MembershipProblem) -> [Effect] {
    let isFounder = entrance == .host || entrance == .room
    if membership.isMember, !isFounder {
      return leave() + [.wait(.departed), .then(.party(.enters(entrance)))]
    }
    try membership.beginEntering(by: entrance)
    return [.party(.enter(entrance))]
  }

  mutating func entered(_ entered: EnteredParty) -> [Effect] {
    membership.entered(at: now)
    _ = take(.party(entered.facts))
    // Before the session, whose film the player may load at once.
    return films(.enteredParty) + [.drawing(.followSessions)]
      + Self.eligibilityChanged(to: entered.isEligible)
      + [Self.waiting(by: entered.facts.rules)]
      + follow(
        standby.entered(as: entered.facts.me, own: entered.relay, mayServe: entered.mayServe))
  }

  /// A host who returns to participants watches their film.
  mutating func hosted(isEmpty: Bool, _ remembered: Playlist?) -> [Effect] {
    guard isEmpty else { return [] }
    if let ownList { return [.party(.beginSession(activity(ownList)))] }
    guard let remembered else { return [] }
    return [
      .library(.findPosition(remembered.current.film)),
      .party(.beginSession(activity(remembered))),
    ]
  }

  // MARK: - Leaving

  /// The state that decides how this participant leaves its party.
  private func situation(closing: Bool = false) -> Departure.Situation {
    var situation = Departure.Situation()
    guard let party else { return situation }
    situation.isClosing = closing
    situation.keepsRelay = standby.keeps
    situation.isHost = party.rules.host == party.me
    situation.lifetime = party.rules.lifetime
    situation.isRelay = standby.isPartysRelay
    situation.serving = standby.serving
    situation.successor = standby.successor?.owner
    // A guest through a door can't be the host: its keeper's program speaks for it.
    situation.others = party.participants.filter { $0.id != party.me && $0.door == nil }.map(\.id)
    return situation
  }

  /// The number of other participants who lose the party if this participant leaves it.
  package var othersLosingParty: Int { Departure.othersLosingParty(situation()) }

  /// A Boolean value that indicates whether this machine can relay for the party after this program's end, and no other
  /// takes over.
  package var canKeepRelay: Bool { Departure.canKeepRelay(situation()) }

  /// Leaves the party, if there is one.
  ///
  /// - Parameters:
  ///   - closing: true if the party ends for the others too. It always does when this program is their relay and no
  ///     other can take over.
  ///   - ending: the ending of the party; nil if the user leaves it.
  ///   - room: the fate of the stay in a room elsewhere, if there is one.
  mutating func leave(
    closing: Bool = false, after ending: PartyEnding? = nil, room: Departure.Room = .leaves
  ) -> [Effect] {
    var departure = Departure(situation(closing: closing))
    departure.forgets = ending == nil && membership.isUnvisited(by: party?.me)
    if membership.entrance == .room { departure.room = room }
    let stay = stay(endingBy: departure)
    guard beginLeaving(after: ending, keepingRoom: departure.room != .leaves) else { return [] }
    // The last party with others is what the user reads in the shell.
    if let stay { say(stay) }
    _ = take(.party(nil))
    standby = Standby()
    return draw(.leftParty) + [.drawing(.detach), .party(.leave(departure))]
  }

  mutating func keepRelay() throws(KeptRelayProblem) -> [Effect] {
    guard standby.serving != nil else { throw .noRelay }
    guard party?.rules.lifetime == .automatic else { throw .endsWithHost }
    standby.keep()
    return [.report(.quitWanted)]
  }

  /// The program ends.
  mutating func quit() -> [Effect] {
    let film = filmMachine.isShown ? filmMachine.film : nil
    let stop = follow(trailers.handle(.stopped))
    return (film.map { [.look(.remember($0))] } ?? []) + leave() + [.wait(.departed)] + stop
  }

  /// The stay in the party that ends now; nil without a party, or if no other participant was there.
  private func stay(endingBy departure: Departure) -> Farewell? {
    // One who came again, or through another's door, is one person.
    var names: [String] = []
    for name in membership.others(than: party?.me).map(\.name) where !names.contains(name) {
      names.append(name)
    }
    guard case .member(let since) = membership.state, !names.isEmpty else { return nil }
    return Farewell(
      time: now - since, names: names, evening: membership.evening,
      film: filmMachine.isShown ? filmMachine.film?.title : nil,
      largestError: membership.largestError, newHost: departure.newHost.map { name(of: $0) },
      closes: departure.closesForOthers)
  }

  // MARK: - Relays

  /// The party's relays, best first.
  package var relays: [RelayOffer] { standby.offers }

  func follow(_ directives: [Standby.Directive]) -> [Effect] {
    directives.map { directive in
      switch directive {
      case .offer(let relay): .party(.offerRelay(relay))
      case .serve: .party(.serve)
      case .connect(let offer, let address): .party(.verify(offer, at: address))
      case .countClients: .party(.countClients)
      case .bridge(let server):
        // A participant who can't bridge is no problem of its user.
        .attempt([.party(.bridge(to: server))], orElse: .nothing)
      case .endBridge: .party(.endBridge)
      case .tell: .party(.tellInvite(standby.offers))
      }
    }
  }
}
