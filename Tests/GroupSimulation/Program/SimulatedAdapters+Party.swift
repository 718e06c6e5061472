import Foundation
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

/// The fake adapter of the party: its ways in and out on the real party machine, and its session.
extension Simulation {
  /// An invite to the simulated party. Any invite leads there.
  static let invite =
    "matinee://relay.example:4222/" + String(repeating: "0", count: 32) + "#"
    + String(repeating: "A", count: 22)

  /// The program starts, and its user opens the party or joins it.
  func beginProgram(_ participant: SimulatedParticipant) {
    send(
      .started(
        trusting: [], naming: [], trailers: participant.program!.trailers, isEligible: false),
      to: participant)
    if participant.index == 0 {
      let films = scenario.plan.map(FilmShelf.film)
      participant.program!.named.formUnion(films.map(\.identifier))
      note(.program(.planned(scenario.plan)), at: participant)
      send(.planned(films, resumes: false, start: nil), to: participant)
    }
    later(.relays, after: .milliseconds(400), at: participant)
    comeBack(0, participant)
    pump(participant)
  }

  /// The user enters the party, again if an attempt failed.
  func comeBack(_ stay: Int, _ participant: SimulatedParticipant) {
    guard participant.program!.stays == stay, case .outside = participant.program!.stay,
      case .alone = participant.program!.machine.membership.state,
      now < scenario.calmAt || stay == 0
    else { return }
    send(
      .party(
        .enters(participant.index == 0 ? .host : .join((try? Invite(Self.invite))!))),
      to: participant)
  }

  /// The participants who are in the party's session.
  private var members: [SimulatedParticipant] {
    running.filter { $0.program?.facts?.session == .joined }
  }

  func perform(
    _ order: PartyOrder, for job: ScreeningLoop.Job, at participant: SimulatedParticipant
  ) throws -> Performance {
    switch order {
    case .recall:
      if case .inside = participant.program!.stay { throw SimulatedProblem.inParty }
    case .enter:
      participant.program!.stays += 1
      participant.program!.stay = .entering(job)
      let stay = participant.program!.stays
      later(.connects(stay: stay), after: dice.number(1_000_000...100_000_000), at: participant)
      // A returning creator looks for the others first.
      let isReturning = participant.index == 0 && stay > 1
      later(.givesUp(stay: stay), after: .seconds(isReturning ? 5 : 10), at: participant)
      if isReturning { renewParty(of: participant, opens: false) }
      return .pending
    case .leave(let departure):
      leaveParty(participant, departure)
      return .after(
        dice.number(1_000_000...700_000_000),
        EffectAnswer([.party(.left(closing: departure.closesForOthers, isEligible: false))]))
    case .beginSession(let activity):
      let data = try JSONEncoder().encode(activity)
      try request(participant) { $0.activate(identifier: "watch", activity: data, at: $1) }
      return .after(dice.number(1_000_000...20_000_000), .done)
    case .endSession:
      let session = try session(of: participant)
      try request(participant) { $0.changeSession(session, at: $1) { $0.ended = true } }
    case .setList(let edit): try set(edit, at: participant)
    case .restore(let list):
      let session = try session(of: participant)
      let data = try JSONEncoder().encode(FilmActivity(list))
      try request(participant) {
        $0.changeSession(session, at: $1) { ($0.activity, $0.isRestated) = (data, true) }
      }
    case .change(let rule):
      guard participant.program!.isMember else { throw PartyError.notJoined }
      let amendment = try rule.amendment(among: members(of: participant))
      try request(participant) { $0.amend(amendment.withinLimits, at: $1) }
      let facts = partyFacts(participant)
      return .after(moment(), EffectAnswer([.fact(.party(facts)), .party(.ruleChanged(rule))]))
    case .say(let text):
      guard participant.program!.isMember else { throw PartyError.notJoined }
      act(participant) { machine, _ in machine.sendChat(text) }
      guard let cleaned = PartyText.chat(text) else { throw PartyError.emptyMessage }
      let me = participant.party.me
      return .after(moment(), EffectAnswer([.party(.said(me, cleaned))]))
    case .askForEarlierChat(let id):
      let me = participant.party.me
      for other in running where other.id == id && other.session == participant.session {
        post(.party(.earlierChatWanted(by: me)), .chatQuestions, at: other)
      }
    case .sendEarlierChat(let lines, to: let id):
      let me = participant.party.me
      for other in running where other.id == id && other.session == participant.session {
        post(.party(.earlierChat(lines, by: me)), .chatAnswers, at: other)
      }
    case .rename(let name): act(participant) { $0.rename(name, at: $1) }
    case .askWhetherReady:
      let session = try session(of: participant)
      let me = participant.party.me
      for other in running where other !== participant && other.session == session {
        post(.party(.readyCheck(by: me)), .readyChecks, at: other)
      }
    case .countDown(let seconds):
      let session = try session(of: participant)
      let me = participant.party.me
      for other in running where other !== participant && other.session == session {
        post(.party(.countdown(seconds, by: me)), .readyChecks, at: other)
      }
    case .rememberList(let list): participant.program!.remembered = list
    case .propose(let vote):
      let id = GroupSessionID(rawValue: UInt64(votes.count + 1))
      votes[id] = [:]
      for member in members {
        let question = Voting.Question(
          id: id, vote, asker: participant.id, isOwn: member.index == participant.index)
        post(.vote(.asked(question)), .party, at: member)
      }
    case .vote(let isYes, in: let id):
      votes[id]?[participant.id] = isYes
      for member in members { post(.vote(.counted(votes[id] ?? [:], in: id)), .party, at: member) }
    case .endVote(let id):
      for member in members { post(.vote(.ended(id)), .party, at: member) }
    case .react, .requestForeground, .showNotice, .meet, .rememberRules, .rememberEnding,
      .tellInvite, .keepDoor, .makePage, .openSyncplay, .speakForRoom:
      break
    case .offerRelay, .serve, .verify, .countClients, .bridge, .endBridge:
      return try perform(relayOrder: order, for: job, at: participant)
    }
    return .after(moment(), .done)
  }

  private func request(
    _ participant: SimulatedParticipant,
    _ body: (inout PartyMachine, HostTime) -> [PartyAction]?
  ) throws {
    guard participant.program!.isMember else { throw PartyError.notJoined }
    guard isGranted(body, to: participant) else { throw PartyError.notPermitted }
  }

  private func session(of participant: SimulatedParticipant) throws -> GroupSessionID {
    guard let session = participant.session else { throw PartyError.sessionOver }
    return session
  }

  private func set(_ edit: ListEdit, at participant: SimulatedParticipant) throws {
    let session = try session(of: participant)
    let data = try JSONEncoder().encode(edit.activity)
    let before = edit.before.playlist
    let byUser = participant.program!.isActing
    try request(participant) {
      $0.changeSession(session, at: $1) { ($0.activity, $0.isRestated) = (data, false) }
    }
    let added = Set(edit.playlist.entries.map(\.id)).subtracting(before.entries.map(\.id))
    if byUser { participant.program!.added.formUnion(added) }
    note(
      .program(.listSet(before: before, after: edit.playlist, byUser: byUser)), at: participant)
  }

  // MARK: - Facts

  private func members(of participant: SimulatedParticipant) -> [Participant] {
    participant.inParty { [$0.me] + $0.others }
  }

  private func partyFacts(_ participant: SimulatedParticipant) -> PartyFacts? {
    let host = participant.hostTime(at: now)
    switch participant.program!.stay {
    case .outside, .entering: return nil
    case .over: participant.program!.facts?.session = .over
    case .inside:
      let (rules, clock) = participant.inParty { ($0.rules, $0.clockReading(at: host)) }
      var facts = PartyFacts(
        me: participant.id, rules: rules, participants: members(of: participant), clock: clock,
        session: participant.session == nil ? .over : .joined)
      facts.isHosting = participant.index == 0
      participant.program!.facts = facts
    }
    return participant.program!.facts
  }

  func sendPartyFacts(to participant: SimulatedParticipant) {
    send(.fact(.party(partyFacts(participant))), to: participant)
  }

  // MARK: - In

  func connect(_ stay: Int, _ participant: SimulatedParticipant) {
    guard participant.program!.stays == stay, case .entering = participant.program!.stay,
      participant.outages == 0
    else { return }
    act(participant) { $0.connected(at: $1) }
  }

  /// Stops to look for the others. A creator opens the party again.
  func giveUp(_ stay: Int, _ participant: SimulatedParticipant) {
    guard participant.program!.stays == stay, case .entering(let job) = participant.program!.stay
    else { return }
    if participant.index == 0, stay > 1, participant.party.configuration.opens == false {
      renewParty(of: participant, opens: true)
      later(.givesUp(stay: stay), after: .seconds(10), at: participant)
      return connect(stay, participant)
    }
    renewParty(of: participant, opens: nil)
    participant.program!.stay = .outside
    answer(job, .failure(PartyError.nobodyHere), at: participant)
    later(.comesBack(stay: stay), after: .seconds(1), at: participant)
  }

  func enteredParty(_ participant: SimulatedParticipant) {
    guard case .entering(let job)? = participant.program?.stay else { return }
    participant.program!.stay = .inside
    enterRelays(participant)
    let me = participant.party.me
    post(.party(.reported(.joined(me), precedes: false)), .party, at: participant)
    linkReported(participant)
    let facts = partyFacts(participant)!
    let chain = send(
      .party(
        .entered(
          .init(
            facts: facts, isEligible: true, relay: participant.program!.relays.own,
            mayServe: participant.index != 0))),
      to: participant)
    participant.program!.entry = chain
    participant.program!.entering = job
    pump(participant)
  }

  /// The program is in the party: it follows the party's events and its session.
  func attend(_ participant: SimulatedParticipant) {
    participant.program!.entry = nil
    guard let job = participant.program!.entering.take() else { return }
    // The party may be over already.
    participant.program!.isAttending = true
    if participant.program!.isMember {
      for register in participant.party.sessions.current
      where register.activityIdentifier == "watch" {
        programSessionChanged(register, at: participant)
      }
    }
    for stream in SimulatedProgram.Stream.allCases { scheduleNext(of: stream, at: participant) }
    let hosted = Machine.PartyChange.hosted(
      isEmpty: participant.party.sessions.current.isEmpty,
      remembered: participant.program!.remembered)
    let isHost = participant.index == 0 && participant.party.configuration.opens != false
    later(
      .answered(job, .success(EffectAnswer(isHost ? [.party(hosted)] : []))), after: moment(),
      at: participant)
  }

  // MARK: - Out

  private func leaveParty(_ participant: SimulatedParticipant, _ departure: Departure) {
    if participant.program!.isMember {
      if let host = departure.newHost {
        act(participant) { $0.amend(.handOver(to: host), at: $1) ?? [] }
      }
      leaveSession(participant, .partyClosed)
      act(participant) { machine, _ in
        machine.leave(closesParty: departure.closes, keepsRelay: departure.kept != nil)
      }
      note(.gone, at: participant)
      renewParty(of: participant, opens: nil)
    }
    participant.program!.stay = .outside
    participant.program!.facts = nil
    participant.program!.isAttending = false
    for stream in SimulatedProgram.Stream.allCases where stream.isPartys {
      participant.program!.inboxes[stream] = nil
    }
    leaveRelays(participant, departure)
  }

  /// The party is over for a participant, as its machine reports.
  private func partyIsOver(_ end: PartyEnd, _ participant: SimulatedParticipant) {
    switch participant.program!.stay {
    case .outside, .over: return
    case .entering:
      return later(.givesUp(stay: participant.program!.stays), after: moment(), at: participant)
    case .inside: break
    }
    _ = partyFacts(participant)
    leaveSession(participant, .partyClosed)
    note(.gone, at: participant)
    participant.program!.stay = .over
    renewParty(of: participant, opens: nil)
    post(.party(.reported(.closed(end), precedes: false)), .party, at: participant)
  }

  /// Prepares another stay of the same participant.
  private func renewParty(of participant: SimulatedParticipant, opens: Bool?) {
    participant.connection += 1
    var configuration = participant.party.configuration
    configuration.epoch += 1
    configuration.name = participant.party.wantedName
    configuration.opens = opens
    configuration.opening = opens == true ? UInt64(participant.program!.stays) : nil
    configuration.policyLog = participant.party.policyLog
    configuration.timing = PartyTiming()
    configuration.random = .seeded(dice.next())
    participant.party = PartyMachine(configuration)
    prepareParty(of: participant)
  }

  // MARK: - Events

  /// The party's machine reports an event.
  func programReported(_ event: PartyMachineEvent, at participant: SimulatedParticipant) {
    let passed: PartyEvent
    switch event {
    case .joined: return enteredParty(participant)
    case .participantJoined(let other): passed = .participantJoined(other)
    case .participantLeft(let other, let isAnnounced):
      passed = .participantLeft(other, announced: isAnnounced)
    case .renamed(let other, let old): passed = .renamed(other, from: old)
    case .chat(let other, let text): passed = .chat(other, text)
    case .eventsMissing(let id, let count): passed = .eventsMissing(from: id, count: count)
    case .misbehaved(let other, let offence): passed = .misbehaved(other, offence)
    case .rulesChanged(let rules, let old, let by):
      passed = .rulesChanged(rules, from: old, by: by)
    case .sessionReplaced(let id, let by):
      if participant.session == id { leaveSession(participant, .replaced(by: by)) }
      return
    case .sessionDisplaced(let register, let by):
      if participant.session == register.id { leaveSession(participant, .replaced(by: by)) }
      passed = .sessionEnded(FilmActivity.activityIdentifier, by: by)
    case .sessionChanged(let register, let by):
      guard register.activityIdentifier == "watch" else { return }
      programSessionChanged(register, at: participant)
      passed =
        register.ended
        ? .sessionEnded(FilmActivity.activityIdentifier, by: by)
        : .activityChanged(FilmActivity.activityIdentifier, by: by)
    case .removed(let by): return partyIsOver(.removed(by: by), participant)
    case .hostLeft: return partyIsOver(.hostLeft, participant)
    case .partyClosed(let by): return partyIsOver(.closed(by: by), participant)
    case .sessionMembersChanged, .coordination, .coordinationDigest, .app, .lane, .clockChanged,
      .notAdmitted, .leaveKnown:
      return
    }
    guard participant.program!.isMember else { return }
    post(.party(.reported(passed, precedes: false)), .party, at: participant)
  }

  // MARK: - The session

  private func leaveSession(_ participant: SimulatedParticipant, _ reason: InvalidationReason) {
    guard participant.session != nil else { return }
    leaveSession(participant)
    participant.program!.inboxes[.session]?.events = []
    post(.playback(.coordinated(.sessionEnded(reason))), .coordinator, at: participant)
  }

  /// A session's register changed, also by this participant.
  private func programSessionChanged(
    _ register: SessionRegister, at participant: SimulatedParticipant
  ) {
    let by = register.stamp.participant
    guard !register.ended else {
      if participant.session == register.id { leaveSession(participant, .ended(by: by)) }
      return
    }
    guard participant.program!.isAttending else { return }
    let start = start(of: register, at: participant)
    guard participant.session != register.id else {
      return post(.party(.listChanged(start.list, by: start.chooser)), .session, at: participant)
    }
    leaveSession(participant, .replaced(by: by))
    join(register.id, participant, from: start)
  }

  private func start(
    of register: SessionRegister, at participant: SimulatedParticipant
  ) -> SessionStart {
    let activity = FilmActivity(in: register)
    let time = GroupTime(nanoseconds: register.stamp.time)
    let arrival = participant.inParty { $0.joinedAt }
    let isEarlier = arrival.map { time <= $0 } ?? false
    let chooser = register.isRestated ? nil : register.stamp.participant
    return SessionStart(
      list: activity.playlist, chooser: chooser, isOwnFilm: activity.isOwnFilm,
      precedesJoining: isEarlier)
  }

  private func join(
    _ id: GroupSessionID, _ participant: SimulatedParticipant, from start: SessionStart
  ) {
    act(participant) { $0.joinSession(id, at: $1) }
    join(id, participant)
    post(.party(.sessionBegan(start)), .session, at: participant)
    witness(.sessionChanged, participant)
  }
}
