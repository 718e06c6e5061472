import Foundation
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A substitute for the proofs of states: each state that its author published, by session.
struct SignedStates {
  private struct Entry: Hashable {
    var session: GroupSessionID
    var state: ItemState
  }

  private var entries: Set<Entry> = []
  /// The states that an eavesdropper has recorded, the oldest first.
  private(set) var overheard: [ItemState] = []

  mutating func add(_ state: ItemState, in session: GroupSessionID) {
    if entries.insert(Entry(session: session, state: state)).inserted { overheard.append(state) }
  }

  func contains(_ state: ItemState, in session: GroupSessionID) -> Bool {
    entries.contains(Entry(session: session, state: state))
  }
}

/// The messages of participants that follow no rules.
extension Simulation {
  var villains: Set<Participant.ID> {
    guard !scenario.villains.isEmpty else { return [] }
    return Set(scenario.villains.compactMap { participant(numbered: $0.number)?.id })
  }

  func habits(of participant: SimulatedParticipant) -> Set<Villain.Habit> {
    scenario.villains.first { $0.number == participant.person.number }?.habits ?? []
  }

  // MARK: - Proofs

  func sign(
    _ report: ParticipantReport, in session: GroupSessionID, by author: SimulatedParticipant
  ) {
    guard !scenario.villains.isEmpty, let state = report.state,
      state.stamp.participant == author.id
    else { return }
    proofs.add(state, in: session)
  }

  /// Returns the report without a state that its author didn't write, as the coordinator's shell
  /// decodes it.
  func proven(_ report: ParticipantReport, in session: GroupSessionID) -> ParticipantReport {
    guard !scenario.villains.isEmpty, let state = report.state else { return report }
    let isProven =
      mutation.bindsProofs
      ? proofs.contains(state, in: session) : proofs.overheard.contains(state)
    guard !isProven else { return report }
    var report = report
    report.state = nil
    return report
  }

  /// Applies the planted bug: a participant's own claim decides when it arrived.
  func believe(_ sender: SimulatedParticipant, at receiver: SimulatedParticipant) {
    guard let claimed = receiver.party.roster[sender.id]?.beacon?.joinedAt else { return }
    receiver.party.roster.arrivalDecided(
      PeerRecord.Arrival(time: claimed, isWitnessed: true), of: sender.id)
  }

  // MARK: - Messages

  /// - Returns: nil if it sends nothing.
  func forged(
    _ message: WireMessage, by sender: SimulatedParticipant, to receiver: SimulatedParticipant
  ) -> WireMessage? {
    let habits = habits(of: sender)
    guard !habits.isEmpty else { return message }
    let isOtherHalf = receiver.index % 2 == 1
    switch message {
    case .beacon(let beacon): return .beacon(forged(beacon, habits))
    case .direct(.probeReply(var reply)):
      reply = forged(reply, habits, by: sender)
      return .probeReply(reply)
    case .direct(.welcome(var welcome)):
      welcome.reply = forged(welcome.reply, habits, by: sender)
      if habits.contains(.claims) { welcome.count = .max }
      return .welcome(welcome)
    case .event(.coordination(let report)):
      if habits.contains(.silence), isOtherHalf { return nil }
      return .coordination(forged(report, habits, by: sender, isOtherHalf: isOtherHalf))
    case .direct(.coordination(let report)):
      if habits.contains(.silence), isOtherHalf { return nil }
      return .direct(.coordination(forged(report, habits, by: sender, isOtherHalf: isOtherHalf)))
    case .event(.chat), .event(.app), .event(.leave), .loose:
      return habits.contains(.silence) && isOtherHalf ? nil : message
    case .event(.session), .event(.policyLog), .direct, .lane: return message
    }
  }

  private func forged(
    _ report: CoordinationReport, _ habits: Set<Villain.Habit>, by sender: SimulatedParticipant,
    isOtherHalf: Bool
  ) -> CoordinationReport {
    var report = report
    report.data = codec.data(
      forged(
        codec.report(report.data), habits, by: sender, in: report.session, isOtherHalf: isOtherHalf
      ))
    return report
  }

  private func forged(_ beacon: Beacon, _ habits: Set<Villain.Habit>) -> Beacon {
    var beacon = beacon
    if habits.contains(.claims) {
      if beacon.joinedAt != nil { beacon.joinedAt = GroupTime(nanoseconds: .min + 5) }
      beacon.clockUncertainty = .max
      beacon.clockRoundTrip = .max
      beacon.count = .max
    }
    if habits.contains(.haunts) { beacon.interval = .max }
    if habits.contains(.drops) {
      if beacon.joinedAt != nil { beacon.joinedAt = GroupTime(nanoseconds: .min + 5) }
      beacon.standby?.reach = .everybody
    }
    if habits.contains(.offers), beacon.standby != nil {
      let second = Int(now / 1_000_000_000)
      beacon.standby?.addresses = (0..<4).compactMap { part in
        Invite.Address(host: "192.0.2.\((4 * second + part) % 256)", port: 22)
      }
    }
    if habits.contains(.extremes) {
      beacon.interval = .max
      var digest = ReportDigest(ParticipantReport(revision: 1, suspensions: []))
      digest.startLatency = .max
      digest.rateChangeLatency = .min
      beacon.coordinationDigest = Data(digest.binary)
    }
    return beacon
  }

  private func forged(
    _ reply: ProbeReply, _ habits: Set<Villain.Habit>, by sender: SimulatedParticipant
  ) -> ProbeReply {
    var reply = reply
    if habits.contains(.lies), let times = reply.times {
      reply.times = .init(
        received: times.received + .seconds(7), sent: times.sent + .seconds(7), uncertainty: 0)
    }
    if let introduction = reply.introduction {
      reply.introduction?.beacon = forged(introduction.beacon, habits)
      if habits.contains(.claims) {
        reply.introduction?.seniors = [
          .init(id: sender.id, arrivedAt: GroupTime(nanoseconds: .min + 5))
        ]
      }
    }
    return reply
  }

  private func forged(
    _ report: ParticipantReport, _ habits: Set<Villain.Habit>, by sender: SimulatedParticipant,
    in session: GroupSessionID, isOtherHalf: Bool
  ) -> ParticipantReport {
    var report = report
    if habits.contains(.extremes) {
      report.startLatency = .max
      report.rateChangeLatency = .min
      report.syncError = .min
      report.readyFor = Stamp(time: .max, participant: sender.id)
      if var state = report.state {
        state.stamp = Stamp(
          time: sender.groupTime(at: now).nanoseconds, participant: sender.id)
        state.rate = 1e300
        state.phase = .paused(at: MediaTime(nanoseconds: .max), isExact: true)
        report.state = state
        proofs.add(state, in: session)
      }
    }
    if habits.contains(.replays),
      let old = proofs.overheard.last(where: {
        $0.item == report.item && $0.stamp.participant == participants[0].id && $0.stamp.time > 0
          && !proofs.contains($0, in: session)
      })
    {
      report.state = old
    }
    if habits.contains(.equivocation), isOtherHalf, var state = report.state,
      state.stamp.participant == sender.id
    {
      switch state.phase {
      case .paused(let at, let isExact):
        state.phase = .paused(at: at + .seconds(30), isExact: isExact)
      case .starting(let from, let due):
        state.phase = .starting(from: from + .seconds(30), due: due)
      case .playing(var line):
        line.itemTime = line.itemTime + .seconds(30)
        state.phase = .playing(line)
      }
      report.state = state
      proofs.add(state, in: session)
    }
    return report
  }
}
