import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// A program offers at most one relay, connects to the relays of others rarely and only to find out whether it reaches
/// them, and bridges its own only for those who wait there.
struct StandbyChecker: Checker {
  let name = "a standby relay disturbs nobody"
  /// The time between two connections to an address at first; it doubles.
  private static let firstPause = Nanoseconds.seconds(10)

  private struct Stay {
    var relays = KnownRelays()
    var isMember = true
    var isHosting = false
    var served = 0
    var offered = 0
    var begun: Nanoseconds
    /// The time of the next connection to an address, and the pause before it.
    var tries: [Invite.Address: (next: Nanoseconds, pause: Nanoseconds)] = [:]
    var tryCount = 0
    /// The numbers of clients, the newest last, and the relays at the time of the newest.
    var clients: [Int] = []
    var counted = KnownRelays()
    var bridged: String?
    /// True if the bridge has to end before the clients are counted again.
    var mustEnd = false
  }

  private var stays: [Int: Stay] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    guard case .program(let occurrence) = occurrence else { return nil }
    if case .event(.party(.entered(let entered))) = occurrence {
      stays[participant.index] = Stay(isHosting: entered.facts.isHosting, begun: simulation.now)
    }
    guard var stay = stays[participant.index] else { return nil }
    stay.relays.note(occurrence)
    defer { stays[participant.index] = stay }
    let complaint: String?
    switch occurrence {
    case .leaves:
      stay.isMember = false
      stay.bridged = nil
      return nil
    case .event(.party(let change)): complaint = note(change, &stay)
    case .effect(.party(let order)):
      complaint = note(order, &stay, participant.id, at: simulation.now)
    default: return nil
    }
    return complaint.map { "\(participant.label) \($0)" }
  }

  private func note(_ change: ScreeningMachine.PartyChange, _ stay: inout Stay) -> String? {
    switch change {
    case .clients(let count):
      if stay.mustEnd, stay.bridged != nil { return "keeps a bridge that nobody needs" }
      stay.clients.append(count)
      stay.counted = stay.relays
      guard let bridged = stay.bridged else { break }
      stay.mustEnd =
        count == 0 || stay.relays.server != bridged || stay.relays.isInUse
    case .bridgeFailed(let server):
      if stay.bridged == server { stay.bridged = nil }
    default: break
    }
    return nil
  }

  private func note(
    _ order: PartyOrder, _ stay: inout Stay, _ me: Participant.ID, at now: Nanoseconds
  ) -> String? {
    switch order {
    case .serve:
      stay.served += 1
      if stay.isHosting || stay.served > 1 { return "starts another relay" }
    case .offerRelay:
      stay.offered += 1
      if !stay.isMember { return "offers a relay outside a party" }
      if stay.offered > 1 { return "offers another relay" }
    case .verify(let offer, at: let address):
      return verifies(offer, at: address, &stay, me, now)
    case .bridge(to: let server):
      if stay.clients.suffix(2).filter({ $0 > 0 }).count < 2 { return "bridges for nobody" }
      // The link may have moved since; the next count ends the bridge then.
      if stay.counted.server != server { return "bridges to a relay that isn't in use" }
      if stay.counted.isInUse { return "bridges the relay in use" }
      if stay.bridged != nil { return "bridges twice" }
      (stay.bridged, stay.mustEnd) = (server, false)
    case .endBridge: (stay.bridged, stay.mustEnd) = (nil, false)
    default: break
    }
    return nil
  }

  private func verifies(
    _ offer: RelayOffer, at address: Invite.Address, _ stay: inout Stay, _ me: Participant.ID,
    _ now: Nanoseconds
  ) -> String? {
    if !stay.isMember { return "connects to a relay outside a party" }
    if stay.relays.server == nil { return "looks at relays without a link" }
    guard let known = stay.relays.offers.first(where: { $0.owner == offer.owner }),
      known.owner != me, known.isPresent, !known.isReached, known.addresses.contains(address)
    else { return "connects to a relay that it knows" }
    let tried = stay.tries[address]
    // The clocks of two machines differ by less than a thousandth.
    if let tried, now < tried.next - tried.pause / 1000 {
      return "connects to \(address) again too soon"
    }
    let pause = tried.map { $0.pause * 2 } ?? Self.firstPause
    stay.tries[address] = (now + pause, pause)
    stay.tryCount += 1
    let allowed = Double(RelayRanking.limit) + 0.21 * Double(now - stay.begun) / 1e9
    return Double(stay.tryCount) > allowed ? "connects \(stay.tryCount) times" : nil
  }
}
