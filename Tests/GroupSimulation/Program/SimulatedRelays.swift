import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The relays of a simulated program's party, as far as its adapter knows. No message goes through them: all participants
/// hear each other, and only the programs believe that relays are in use.
struct SimulatedRelays {
  /// The relay of this program.
  var own: OwnRelay?
  var isOffered = false
  /// The owner of the relay in use; nil outside a party.
  var link: Int?
  /// The owners of the relays that this program has reached.
  var reached: Set<Int> = []
}

extension Simulation {
  private static func relay(of index: Int) -> OwnRelay {
    let port = 5000 + index
    return OwnRelay(
      addresses: [.init(host: "host\(index).example", port: port)!], port: port, listensOn: "*")
  }

  /// Returns the address of the relay that a participant uses; nil while its link is down.
  private func server(of participant: SimulatedParticipant) -> String? {
    guard participant.party.isConnected, let owner = participant.program!.relays.link else {
      return nil
    }
    let relay = Self.relay(of: owner)
    return owner == participant.index ? relay.local!.text : relay.addresses[0].text
  }

  // MARK: - In and out

  func enterRelays(_ participant: SimulatedParticipant) {
    let isOwner = participant.index == 0
    participant.program!.relays = SimulatedRelays(own: isOwner ? Self.relay(of: 0) : nil)
    let owners = participants.filter { $0.isRunning && $0.program!.relays.isOffered }
    participant.program!.relays.link = isOwner ? 0 : owners.first?.index ?? 0
    later(.hearsOfRelays, after: dice.number(20_000_000...300_000_000), at: participant)
  }

  func leaveRelays(_ participant: SimulatedParticipant, _ departure: Departure) {
    let isServing = participant.program!.relays.own != nil && departure.kept == nil
    participant.program!.relays = SimulatedRelays()
    announceRelays()
    guard isServing else { return }
    for other in running where other.program!.relays.link == participant.index {
      later(.losesRelay(of: participant.index), after: .milliseconds(600), at: other)
    }
  }

  /// The relay in use is gone: the participant moves to another one, or its link is down until the same one is there
  /// again.
  func loseRelay(of owner: Int, _ participant: SimulatedParticipant) {
    guard participant.program!.isMember, participant.program!.relays.link == owner else { return }
    if let next = otherRelays(participant).first { return move(participant, to: next) }
    disconnect(participant)
    schedule(
      .reconnect(participant.index), at: now + dice.number(.milliseconds(300)...(.seconds(1))))
  }

  /// The relays to which the participant's link can move.
  private func otherRelays(_ participant: SimulatedParticipant) -> [Int] {
    running.filter { other in
      let relays = other.program!.relays
      return relays.isOffered && other.index != participant.program!.relays.link
        && (other === participant || participant.program!.relays.reached.contains(other.index))
    }.map(\.index)
  }

  private func move(_ participant: SimulatedParticipant, to owner: Int) {
    participant.program!.relays.link = owner
    linkReported(participant)
  }

  /// Reports the state of the link.
  func linkReported(_ participant: SimulatedParticipant) {
    guard participant.program?.isMember == true else { return }
    let event = server(of: participant).map { PartyEvent.connected(server: $0) }
    post(
      .party(.reported(event ?? .disconnected(reason: "no answer"), precedes: false)), .party,
      at: participant)
  }

  /// Moves the link to another relay now and then, as the transport does by itself.
  func lookAtLink(_ participant: SimulatedParticipant) {
    later(.relays, after: .milliseconds(400), at: participant)
    guard participant.program!.isMember, now < scenario.calmAt, dice.chance(0.06),
      case let others = otherRelays(participant), !others.isEmpty
    else { return }
    move(participant, to: dice.pick(others))
  }

  // MARK: - Offers

  private func announceRelays() {
    for other in running where other.program!.isMember {
      later(.hearsOfRelays, after: dice.number(20_000_000...300_000_000), at: other)
    }
  }

  func hearOfRelays(_ participant: SimulatedParticipant) {
    guard participant.program!.isMember else { return }
    let owners = running.filter { $0.program!.isMember && $0.program!.relays.isOffered }
    let offers = owners.map { owner in
      let addresses = Self.relay(of: owner.index).addresses
      let isReached =
        owner === participant || participant.program!.relays.reached.contains(owner.index)
      return RelayOffer(
        owner: owner.id, addresses: addresses, isCreators: owner.index == 0, isPresent: true,
        isKept: false, reached: isReached ? addresses : [], reach: .nobody,
        joinedAt: Int64(owner.index))
    }
    post(.party(.relays(offers)), .relays, at: participant)
  }

  func reached(_ id: Participant.ID, _ address: Invite.Address, _ participant: SimulatedParticipant)
  {
    guard participant.program!.isMember, let owner = self.participant(id),
      owner.program!.relays.isOffered
    else { return }
    participant.program!.relays.reached.insert(owner.index)
    hearOfRelays(participant)
  }

  // MARK: - Orders

  /// A relay runs. It ends together with the departure from its party.
  func serve(_ job: ScreeningLoop.Job, stay: Int, _ participant: SimulatedParticipant) {
    let isHere = participant.program!.isMember || participant.program!.machine.membership.isLeaving
    guard participant.program!.stays == stay, isHere else { return }
    let own = Self.relay(of: participant.index)
    answer(job, .success(EffectAnswer([.party(.served(own))])), at: participant)
  }

  func perform(
    relayOrder: PartyOrder, for job: ScreeningLoop.Job, at participant: SimulatedParticipant
  ) throws -> Performance {
    switch relayOrder {
    case .offerRelay(let own):
      guard participant.program!.isMember else { break }
      participant.program!.relays.own = own
      participant.program!.relays.isOffered = true
      announceRelays()
    case .serve:
      guard !dice.chance(0.1) else { return .pending }
      later(
        .serves(job, stay: participant.program!.stays),
        after: dice.number(50_000_000...400_000_000),
        at: participant)
      return .pending
    case .verify(let offer, at: let address):
      guard let owner = self.participant(offer.owner) else { return .pending }
      var luck = Dice(seed: scenario.seed, 30, UInt64(participant.index), UInt64(owner.index))
      guard luck.chance(0.8) else { return .pending }
      later(
        .reached(offer.owner, address), after: dice.number(50_000_000...500_000_000),
        at: participant)
      return .pending
    case .countClients:
      // A few participants wait at the relay for some seconds, most of the time nobody.
      var luck = Dice(
        seed: scenario.seed, 31, UInt64(participant.index), UInt64(now / .seconds(2)))
      let count = luck.chance(0.3) ? Int(luck.number(1...3)) : 0
      return .after(moment(), EffectAnswer([.party(.clients(count))]))
    case .bridge(to: let server):
      guard !dice.chance(0.1) else {
        note(.program(.event(.party(.bridgeFailed(to: server)))), at: participant)
        throw SimulatedProblem.noBridge
      }
      if dice.chance(0.1) {
        later(.bridgeFails(to: server), after: dice.number(0...(.seconds(2))), at: participant)
      }
    default: break
    }
    return .after(moment(), .done)
  }
}
