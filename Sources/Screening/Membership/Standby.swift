import GroupActivities
import Timekeeping

/// The machine that decides about the relays with which a party outlives its host's program: which of the others'
/// relays this program verifies, when it offers one of its own, and when it bridges that to the relay in use.
struct Standby: Sendable {
  enum Directive: Hashable, Sendable {
    /// Offer this relay to the others.
    case offer(OwnRelay)
    /// Start a relay for the party; the answer is ``served(_:at:)``.
    case serve
    /// Find out whether a relay can be reached at this address.
    case connect(RelayOffer, at: Invite.Address)
    /// Count the clients of this program's relay; the answer is ``clients(_:)``.
    case countClients
    /// Connect this program's relay with the relay that the party uses.
    case bridge(to: String)
    case endBridge
    /// The party's relays changed.
    case tell
  }

  /// An offer that this program has considered, and the time from which it tries it; nil to leave that to others.
  private struct Considered: Hashable, Sendable {
    var addresses: [Invite.Address]
    var from: HostTime?
  }

  /// The party's relays, best first.
  private(set) var offers: [RelayOffer] = []
  /// The addresses of this program's relay; nil without one.
  private(set) var own: OwnRelay?
  private var me: Participant.ID?
  /// A Boolean value that indicates whether ``own`` is a standby relay, not the one with which the party was opened.
  private var isStandby = false
  /// A Boolean value that indicates whether this program may offer a relay as a guest.
  private var mayServe = false
  private var servesAt: HostTime?
  /// The relay that this participant uses; nil while the link is down.
  private(set) var server: String?
  private var considered: [Participant.ID: Considered] = [:]
  private var trials = RelayTrials()
  private var nextTrial: HostTime?
  private var nextCount: HostTime?
  /// A Boolean value that indicates whether clients were at the relay at the last look.
  private var hasWaiting = false
  /// The relay in use to which ``own`` is bridged.
  private var bridged: String?

  /// The participants of a larger party that connect to each relay to verify it, besides the owners of others.
  private static let witnesses = 16.0
  /// The number of relays from which on a participant offers no further one.
  static let relayLimit = 6
  /// The interval between two looks at the relays that this program hasn't reached.
  private static let trialPace = Duration.milliseconds(200)
  /// The interval between two looks at the clients of the relay. A connection that only verifies the relay is over by
  /// the second one.
  static let bridgePace = Duration.milliseconds(500)

  /// A Boolean value that indicates whether the party uses this program's standby relay.
  var isInUse: Bool { isStandby && server != nil && server == own?.local?.text }

  /// A Boolean value that indicates whether the party was opened with this program's relay.
  var isPartysRelay: Bool { own != nil && !isStandby }

  /// A Boolean value that indicates whether this machine relays for the party after this program's end.
  private(set) var keeps = false

  /// Lets this machine relay for the party after this program's end, if no other relay takes over.
  mutating func keep() { keeps = true }

  /// This program's relay, if others use it.
  var serving: OwnRelay? { !isStandby || isInUse ? own : nil }

  /// The best relay that takes over when this program ends; nil for none.
  ///
  /// While this program's relay is in use, none of the better ones answers. Their owners may not count as gone yet.
  var successor: RelayOffer? {
    let own = isInUse ? offers.firstIndex { $0.owner == me } : nil
    return offers[(own ?? 0)...].first { $0.owner != me && $0.isPresent && $0.isReached }
  }

  // MARK: - Events

  /// This participant entered a party.
  ///
  /// - Parameters:
  ///   - own: the relay with which this program opened the party; nil for a guest.
  ///   - mayServe: true if this program may offer a relay as a guest.
  mutating func entered(as me: Participant.ID, own: OwnRelay?, mayServe: Bool) -> [Directive] {
    self = Standby()
    (self.me, self.own, self.mayServe) = (me, own, mayServe && own == nil)
    return own.map { [.offer($0)] } ?? []
  }

  /// The addresses of this program's own relay changed.
  mutating func moved(to own: OwnRelay) -> [Directive] {
    self.own = own
    return [.offer(own)]
  }

  /// This program's standby relay runs.
  mutating func served(_ relay: OwnRelay, at now: HostTime) -> [Directive] {
    (own, isStandby, nextCount) = (relay, true, now + Self.bridgePace)
    return [.offer(relay)]
  }

  mutating func linkChanged(to server: String?, at now: HostTime) {
    self.server = server
    planTrials(at: now)
  }

  /// The party's relays changed.
  ///
  /// - Parameter count: the number of participants.
  mutating func relaysChanged(
    to offers: [RelayOffer], among count: Int, at now: HostTime,
    using random: inout some RandomNumberGenerator
  ) -> [Directive] {
    self.offers = offers
    for offer in offers where offer.owner != me && offer.isPresent {
      guard considered[offer.owner]?.addresses != offer.addresses else { continue }
      // The connections of all participants don't come at once.
      let delay = Duration.seconds(.random(in: 0..<(count > 4 ? 3 : 1), using: &random))
      let isWitness =
        own != nil
        || Double.random(in: 0..<1, using: &random) * Double(count) < Self.witnesses
      considered[offer.owner] = Considered(
        addresses: offer.addresses, from: isWitness ? now + delay : nil)
    }
    if mayServe, offers.count < Self.relayLimit, !offers.isEmpty {
      mayServe = false
      // In a larger party the first relays are known by the time at which the others would be offered.
      let delay = count > Self.relayLimit ? Double.random(in: 0.5..<1, using: &random) : 0
      servesAt = now + .seconds(delay)
    }
    planTrials(at: now)
    return [.tell]
  }

  /// The clients of this program's relay were counted.
  mutating func clients(_ count: Int) -> [Directive] {
    let isNeeded = count > 0 && server != nil && !isInUse
    var directives: [Directive] = []
    if bridged != nil, !isNeeded || bridged != server {
      bridged = nil
      directives.append(.endBridge)
    }
    guard isNeeded, hasWaiting else {
      hasWaiting = isNeeded
      return directives
    }
    guard bridged == nil, let server else { return directives }
    bridged = server
    return directives + [.bridge(to: server)]
  }

  /// The bridge to a relay couldn't be made.
  mutating func bridgeFailed(to server: String) { if bridged == server { bridged = nil } }

  // MARK: - Time

  var nextDeadline: HostTime? { [servesAt, nextTrial, nextCount].compactMap { $0 }.min() }

  mutating func timerFired(at now: HostTime) -> [Directive] {
    var directives: [Directive] = []
    if let due = servesAt, now >= due {
      servesAt = nil
      directives.append(.serve)
    }
    if let due = nextTrial, now >= due {
      directives += trials.due(unreached.map(\.addresses), at: now).compactMap { address in
        unreached.first { $0.addresses.contains(address) }.map { .connect($0, at: address) }
      }
      nextTrial = nil
      planTrials(at: now + Self.trialPace)
    }
    if let due = nextCount, now >= due {
      nextCount = now + Self.bridgePace
      directives.append(.countClients)
    }
    return directives
  }

  /// The relays that this program tries to reach. While the link is down, the party's transport does.
  private var unreached: [RelayOffer] {
    guard server != nil else { return [] }
    return offers.filter { offer in
      offer.owner != me && offer.isPresent && !offer.isReached
        && considered[offer.owner]?.from != nil
    }
  }

  /// Plans the next look at the relays that this program hasn't reached, not before `now`.
  private mutating func planTrials(at now: HostTime) {
    let first = unreached.compactMap { considered[$0.owner]?.from }.min()
    nextTrial = first.map { max($0, now) }
  }
}

/// A relay of this program, and the addresses at which others reach it.
package struct OwnRelay: Hashable, Sendable {
  package var addresses: [Invite.Address]
  package var port: Int
  package var listensOn: String

  package init(addresses: [Invite.Address], port: Int, listensOn: String) {
    self.addresses = addresses
    self.port = port
    self.listensOn = listensOn
  }

  /// The address at which this program reaches it.
  package var local: Invite.Address? {
    let host = ["*", "0.0.0.0", "::"].contains(listensOn) ? "127.0.0.1" : listensOn
    return Invite.Address(
      host: listensOn == "::" ? "::1" : host, port: port, security: addresses.first?.security)
  }
}
