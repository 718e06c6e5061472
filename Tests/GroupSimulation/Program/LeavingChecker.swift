import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The relays of a party, as a participant's program knows them from the events that its adapters report.
struct KnownRelays {
  var offers: [RelayOffer] = []
  /// The relay in use; nil while the link is down.
  var server: String?
  var own: OwnRelay?
  var isStandby = false

  mutating func note(_ occurrence: ProgramOccurrence) {
    switch occurrence {
    case .event(.party(.entered(let entered))): self = KnownRelays(own: entered.relay)
    case .event(.party(.relays(let offers))): self.offers = offers
    case .event(.party(.served(let own))): (self.own, isStandby) = (own, true)
    case .event(.party(.reported(.connected(let server), _))): self.server = server
    case .event(.party(.reported(.disconnected, _))): server = nil
    default: break
    }
  }

  var isInUse: Bool { isStandby && server != nil && server == own?.local?.text }
  var isPartysRelay: Bool { own != nil && !isStandby }
  var isServing: Bool { isPartysRelay || isInUse }

  /// Returns the owner of the relay that takes over from a participant's.
  func successor(of me: Participant.ID) -> Participant.ID? {
    // While a standby relay is in use, the better ones don't answer.
    let rest = isInUse ? offers.drop { $0.owner != me } : offers[...]
    return rest.first { $0.owner != me && $0.isPresent && $0.isReached }?.owner
  }
}

/// A party goes on without a participant if it can: it isn't closed while another relay takes over, and it has a host again.
/// The participant is outside soon, and can enter a party again.
struct LeavingChecker: Checker {
  let name = "a party continues without one who leaves, who isn't stuck"
  private static let patience = Nanoseconds.seconds(3)

  private struct Leaver {
    var relays = KnownRelays()
    var closes = false
    var keepsRelay = false
    /// The way in which the participant should leave its party, and the time since when it does.
    var expected: Departure?
    var since: Nanoseconds?
    var isAwaited = false
  }

  private var leavers: [Int: Leaver] = [:]

  mutating func note(
    _ occurrence: Occurrence, at participant: SimulatedParticipant, in simulation: Simulation
  ) -> String? {
    if case .tick = occurrence { return stuck(participant, simulation) }
    guard case .program(let occurrence) = occurrence else { return nil }
    var leaver = leavers[participant.index] ?? Leaver()
    leaver.relays.note(occurrence)
    defer { leavers[participant.index] = leaver }
    switch occurrence {
    case .typed(.endParty, _): leaver.closes = true
    case .used(.endParty, .some): leaver.closes = false
    case .typed(.keepRelay, _):
      leaver.keepsRelay =
        leaver.relays.isServing && participant.program?.facts?.rules.lifetime == .automatic
    case .leaves:
      leaver.expected = participant.program?.facts.map { expected(of: leaver, $0) }
      leaver.since = simulation.now
      (leaver.closes, leaver.keepsRelay) = (false, false)
    case .effect(.party(.leave(let departure))):
      guard !leaver.isAwaited else { return "\(participant.label) leaves its party twice" }
      leaver.isAwaited = true
      guard let expected = leaver.expected.take() else {
        return "\(participant.label) leaves a party that it isn't in"
      }
      // This checker doesn't know the participants who left earlier.
      var known = departure
      known.forgets = departure.forgets && departure.closesForOthers
      if known != expected {
        return "\(participant.label) leaves with \(departure) instead of \(expected)"
      }
    case .event(.party(.left)):
      guard leaver.isAwaited else { return "\(participant.label) has left twice" }
      leaver.isAwaited = false
    default: break
    }
    return nil
  }

  private func expected(of leaver: Leaver, _ facts: PartyFacts) -> Departure {
    var departure = Departure(.init())
    let rules = facts.rules
    let isHost = rules.host == facts.me
    let others = facts.participants.filter { $0.id != facts.me && $0.door == nil }.map(\.id)
    let mayContinue = !leaver.closes && !others.isEmpty
    let successor = leaver.relays.successor(of: facts.me)
    let goesOn = mayContinue && !(isHost && rules.lifetime == .endsWhenHostLeaves)
    let isKept =
      leaver.keepsRelay && !leaver.closes && successor == nil && leaver.relays.isServing
      && rules.lifetime == .automatic
    departure.retires = goesOn && successor != nil
    departure.kept = isKept ? leaver.relays.own : nil
    if isHost {
      departure.newHost = isKept ? others.first : departure.retires ? successor : nil
    }
    departure.closes =
      leaver.closes || leaver.relays.isPartysRelay && !departure.retires && !isKept
    departure.closesForOthers = departure.closes && !others.isEmpty
    return departure
  }

  private mutating func stuck(
    _ participant: SimulatedParticipant, _ simulation: Simulation
  ) -> String? {
    guard let since = leavers[participant.index]?.since else { return nil }
    guard participant.program?.machine.membership.isLeaving == true else {
      leavers[participant.index]?.since = nil
      return nil
    }
    guard simulation.now - max(since, participant.thawedAt) > Self.patience else { return nil }
    return "\(participant.label) is leaving for ever"
  }

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      guard let program = participant.program else { continue }
      switch (program.machine.membership.state, program.stay) {
      case (.entering, .outside): return "\(participant.label) enters no party for ever"
      case (.member, .outside): return "\(participant.label) is in no party and doesn't know"
      case (.alone, .inside): return "\(participant.label) is in a party and doesn't know"
      default: break
      }
    }
    return nil
  }
}

/// Every command of a user comes to its end.
struct CommandEndChecker: Checker {
  let name = "every command ends"
  /// The time in which a participant enters a party, or gives up.
  private static let patience = Nanoseconds.seconds(18)

  mutating func checkHealed(_ simulation: Simulation) -> String? {
    for participant in simulation.running {
      for (command, time) in participant.program?.acts.values.map({ $0 }) ?? []
      where simulation.now - max(time, participant.thawedAt) > Self.patience {
        return "\(participant.label) waits for the end of \(command.map { "\($0)" } ?? "its act")"
      }
    }
    return nil
  }
}
