import Foundation
import Timekeeping

/// One participant's part of a party: the members, their messages, the sessions and the party's time. It makes every
/// decision and has no effects: it has no I/O, no clock and no randomness of its own.
struct PartyMachine: Sendable {
  /// The membership of this participant in the party.
  ///
  /// `arriving` → `joined` once it knows the members and the time (the creator at once) → `left`.
  enum Membership: Hashable, Sendable {
    /// `mentioned` contains the members that others mentioned; `since` is the time when the first one admitted this
    /// participant.
    case arriving(mentioned: Set<Participant.ID>, since: HostTime?)
    case joined(at: GroupTime)
    case left
  }

  var configuration: Configuration
  var membership = Membership.arriving(mentioned: [], since: nil)
  /// The name that the others see: unique.
  var name: String
  /// The cleaned name that the user wants; ``name`` differs from it only if another participant has it.
  private(set) var wantedName: String
  private(set) var isConnected = false
  var roster: Roster
  var presence: Presence
  var misconduct = Misconduct()
  var policy: Policy

  var sessions = PartySessions()
  var playback = PlaybackReport()
  /// The time of the latest event that came with one, for methods without a time.
  var latest = HostTime(nanoseconds: 0)

  var stamps: StampClock
  var log = EventLog()
  var asked = Asked()
  var numbers = SequenceNumbers()
  var allowances = Allowances()
  var ownArrival = OwnArrival()
  var clock = PartyClock()
  var keeper = Keeper()
  var exchanges: ClockExchanges
  var departure = Departure()
  var standby = StandbyState()

  var random: RandomSource

  static let memberListLimit = ProbeReply.Introduction.memberLimit
  /// The largest size of a coordinator's report, in bytes.
  static let coordinationLimit = CoordinationReport.limit

  init(_ configuration: Configuration) {
    self.configuration = configuration
    name = configuration.name
    wantedName = configuration.name
    roster = Roster(creator: configuration.party)
    var policyLog = configuration.policyLog ?? PolicyLog(creator: configuration.party)
    if let number = configuration.opening {
      policyLog.open(number: number, authorship: configuration.authorship)
    }
    policy = Policy(policyLog, configuration)
    stamps = StampClock(participant: configuration.id)
    random = configuration.random
    presence = Presence(salt: random.next())
    exchanges = ClockExchanges(burst: configuration.timing.clockBurst)
  }

  // MARK: - Properties

  var isCreator: Bool { configuration.id == configuration.party }

  var me: Participant {
    Participant(
      id: configuration.id, name: name, role: rules.role(of: configuration.id),
      door: configuration.door)
  }

  var joinedAt: GroupTime? {
    if case .joined(let at) = membership { at } else { nil }
  }

  /// The other participants in the party, longest present first.
  var others: [Participant] {
    roster.presentBySeniority.map(participant)
  }

  func peerClock(_ id: Participant.ID) -> (uncertainty: Duration, roundTrip: Duration)? {
    guard let peer = roster[id], let uncertainty = peer.beacon?.clockUncertainty else { return nil }
    // A participant that was apart from the rest reports zero, because it was its own reference.
    guard let roundTrip = id == keeper.known ? .zero : peer.clock.roundTrip else { return nil }
    return (id == keeper.known ? .zero : .microseconds(uncertainty), roundTrip)
  }

  /// Returns the participants that have joined a session, this one included.
  func members(of session: GroupSessionID) -> [Participant] {
    guard sessions[session] != nil else { return [] }
    let present = roster.present.filter { $0.beacon?.hasJoined(session) == true }
    return (sessions.joined.contains(session) ? [me] : []) + present.map(participant)
  }

  /// Returns the participants that have joined a session, this one included, longest in the party first.
  func seniors(in session: GroupSessionID) -> [Participant.ID] {
    guard sessions[session] != nil else { return [] }
    var ranked = roster.present
      .filter { $0.beacon?.hasJoined(session) == true }
      .compactMap { roster.seniority(of: $0) }
    if sessions.joined.contains(session), let mySeniority { ranked.append(mySeniority) }
    return ranked.sorted().map(\.id)
  }

  // MARK: - The link

  mutating func connected(at now: HostTime) -> [PartyAction] {
    latest = now
    isConnected = true
    presence.linkReturned(at: now)
    roster.linkReturned(at: now)
    var actions = repairAfterOutage(at: now)
    if configuration.opens ?? isCreator, joinedAt == nil {
      // The founder's host clock is group time.
      clock.assume(offset: .zero, uncertainty: .zero, at: now)
      clock.hold(at: now)
      keeper.known = configuration.id
      membership = .joined(at: GroupTime(nanoseconds: now.nanoseconds))
      actions += [.report(.joined(me)), .report(.clockChanged)]
    }
    beginClockBurst(at: now)
    actions += keysAfterOutage(at: now)
    guard joinedAt != nil else { return actions + askToArrive(at: now) }
    return actions + sendBeacon(at: now)
  }

  mutating func disconnected() -> [PartyAction] {
    isConnected = false
    presence.linkLost(at: latest)
    log.linkLost()
    return departure.relay.map { [.report(.partyClosed(by: $0))] } ?? []
  }

  // MARK: - The user's actions

  mutating func sendChat(_ text: String) -> [PartyAction] {
    sendEvent(.chat(ChatText(text: text)))
  }

  /// - Parameter name: the cleaned name (``PartyText/name(_:)``).
  mutating func rename(_ wanted: String, at now: HostTime) -> [PartyAction] {
    wantedName = wanted
    guard joinedAt != nil else { return [] }
    return chooseUniqueName(at: now)
  }

  /// - Returns: nil if so much was sent just now that the others wouldn't accept it, or if more waits for the link than
  ///   is kept for sending it again.
  mutating func send(
    _ message: AppMessage, isLoose: Bool, at now: HostTime
  ) -> [PartyAction]? {
    let pieces = message.split(id: random.next())
    guard isConnected || log.hasRoom(for: pieces.count),
      allowances.application.spend(pieces.count, at: now)
    else { return nil }
    return pieces.flatMap { piece -> [PartyAction] in
      guard isLoose else { return sendEvent(.app(piece)) }
      guard isConnected else { return [] }
      numbers.loose += 1
      return [.send(.loose(piece), sequence: numbers.loose, to: .everyone)]
    }
  }

  /// Sends a message on a lane, which is received at most once.
  mutating func send(_ packet: LanePacket, to recipient: PartyAction.Recipient) -> [PartyAction] {
    guard isConnected, sessions.joined.contains(packet.session) else { return [] }
    numbers.lane += 1
    return [.send(.lane(packet), sequence: numbers.lane, to: recipient)]
  }

  /// Starts a session with an activity, for everyone, in place of one with the same kind of activity.
  ///
  /// - Returns: nil while the group's time isn't known yet.
  mutating func activate(
    identifier: String, activity: Data, endsWithInitiator: Bool = false, at now: HostTime
  ) -> [PartyAction]? {
    setSession(at: now) { stamp, random in
      SessionRegister(
        id: GroupSessionID(rawValue: random.next()), stamp: stamp, initiator: stamp.participant,
        activityIdentifier: identifier, activity: activity,
        endsWithInitiator: endsWithInitiator, ended: false)
    }
  }

  /// Changes a session's activity, or ends the session, for everyone.
  mutating func changeSession(
    _ id: GroupSessionID, at now: HostTime, _ change: (inout SessionRegister) -> Void
  ) -> [PartyAction]? {
    guard var register = sessions[id] else { return nil }
    change(&register)
    return setSession(at: now) { stamp, _ in
      register.stamp = stamp
      return register
    }
  }

  mutating func joinSession(_ id: GroupSessionID, at now: HostTime) -> [PartyAction] {
    sessions.join(id)
    return [.report(.sessionMembersChanged)] + tellNews(at: now)
  }

  mutating func leaveSession(_ id: GroupSessionID, at now: HostTime) -> [PartyAction] {
    sessions.leave(id)
    playback.forget(id)
    return [.report(.sessionMembersChanged)] + tellNews(at: now)
  }

  /// Sends a report of this participant's coordinator to all.
  ///
  /// - Parameter isCommand: whether the report is about an action of the user for the whole group.
  mutating func setCoordination(
    _ data: Data, session: GroupSessionID, isCommand: Bool
  ) -> [PartyAction] {
    let report = playback.update(data, session: session, isCommand: isCommand)
    return sendEvent(.coordination(report), isActivity: isCommand)
  }

  /// Sends the changed part of the report to all, with the next beacon.
  mutating func setCoordinationDigest(
    _ data: Data, otherCopy: UInt32? = nil, session: GroupSessionID
  ) {
    playback.update(digest: data, otherCopy: otherCopy, session: session)
  }

  /// - Parameters:
  ///   - closesParty: announces that the party can't continue without this participant.
  ///   - keepsRelay: announces that its relay continues.
  mutating func leave(closesParty: Bool = false, keepsRelay: Bool = false) -> [PartyAction] {
    guard membership != .left else { return [] }
    let actions = sendEvent(.leave(Leave(closesParty: closesParty, keepsRelay: keepsRelay)))
    if isConnected, rosterPolicy.confirmsDepartures {
      departure.unconfirmed = Set(roster.present.map(\.id))
    }
    membership = .left
    return actions
  }

  /// Processes a confirmation of this participant's departure. The leaving participant waits briefly for confirmations:
  /// afterwards it can't repeat its announcement, and its relay may end with it.
  private mutating func departureConfirmed(of sender: Participant.ID) -> [PartyAction] {
    guard departure.unconfirmed.remove(sender) != nil, departure.unconfirmed.isEmpty else {
      return []
    }
    return [.report(.leaveKnown)]
  }

  // MARK: - Messages of the others

  mutating func received(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction] {
    latest = now
    presence.messageReceived(waitingSince: inbound.waitingSince ?? inbound.receivedAt, at: now)
    let before = misconduct.rejections
    let held = roster.heldBytes(of: inbound.sender)
    let actions = messageReceived(inbound, at: now)
    if roster.heldBytes(of: inbound.sender) > held {
      misconduct.rejections.stale += roster.boundMemory(of: inbound.sender, at: now)
    }
    // A participant that passes on an earlier decision of another need not know that the other has lost its permission.
    if case .direct(.state) = inbound.message { return actions }
    return actions + reportOffences(of: inbound.sender, since: before, at: now)
  }

  /// Reports the participant that broke a rule, if it is one that the user knows.
  private mutating func reportOffences(
    of id: Participant.ID, since before: PartyRejections, at now: HostTime
  ) -> [PartyAction] {
    guard misconduct.rejections != before, let peer = roster[id], peer.isPresent else { return [] }
    return misconduct.rejections.offences(since: before).compactMap { offence in
      misconduct.reported.add(offence, of: id, at: now)
        ? .report(.misbehaved(participant(peer), offence)) : nil
    }
  }

  /// Processes a message that can't be decoded at all.
  mutating func receivedMalformed(from id: Participant.ID, at now: HostTime) -> [PartyAction] {
    let before = misconduct.rejections
    misconduct.rejections.invalid += 1
    return reportOffences(of: id, since: before, at: now)
  }

  private mutating func messageReceived(_ inbound: InboundMessage, at now: HostTime)
    -> [PartyAction]
  {
    guard membership != .left else {
      return inbound.message == .leaveReply ? departureConfirmed(of: inbound.sender) : []
    }
    guard inbound.sender != configuration.id else {
      misconduct.rejections.stale += 1  // Our own words, played back.
      return []
    }
    guard rules.admits(inbound.sender) else {
      misconduct.rejections.unauthorized += 1
      return turnAway(inbound.sender, at: now)
    }
    if case .direct(.policyLog(let links)) = inbound.message {
      // A policy log proves itself, whichever participant brings it and however old it is. A participant that isn't
      // admitted hears nothing else.
      guard allowances.policyLogs.spend(at: now) else {
        misconduct.rejections.excess += 1
        return []
      }
      return policyLogReceived(links, at: now)
    }
    if let actions = keyMessageReceived(inbound, at: now) { return actions }
    switch inbound.message {
    case .direct(.arrival(let arrival)):
      return welcome(arrival, from: inbound, at: now)
    case .direct(.welcome(let welcome)):
      return welcomed(welcome, by: inbound, at: now)
    case .event, .beacon, .direct, .loose, .lane: break
    }
    if let actions = heardOutsider(inbound, at: now) { return actions }
    var actions = meet(inbound, at: now)
    guard let peer = roster[inbound.sender] else { return actions }
    guard peer.epoch == inbound.epoch else {
      return actions + heardOtherEpoch(inbound, at: now)
    }
    guard roster.spend(for: inbound, at: now) else {
      misconduct.rejections.excess += 1
      return actions
    }

    switch inbound.message {
    case .direct(.probe(let probe)):
      // Every sender gets an answer: it proves that this participant is alive, and reveals nothing to a stranger, which
      // can't read it.
      return actions + answer(probe, from: inbound, at: now)
    case .direct(.probeReply(let reply)):
      return actions + answered(reply, from: inbound, at: now)
    case .event, .beacon, .direct, .loose, .lane: break
    }
    switch peer.standing {
    case .admitted:
      actions += process(inbound, at: now)
    case .challenged, .absent:
      misconduct.rejections.stale += roster.hold(inbound)
    }
    return actions
  }

  // MARK: - Time passes

  mutating func timerFired(at now: HostTime) -> [PartyAction] {
    latest = now
    guard isConnected, membership != .left else { return [] }
    var actions: [PartyAction] = []
    actions += ageProbes(at: now)
    actions += noticeSilence(at: now)
    for id in roster.overdueAuthors(at: now) { actions += requestMissing(from: id, at: now) }
    actions += performRepairs(at: now)
    actions += repeatArrival(at: now)
    actions += askAboutRoster(at: now)
    actions += finishArriving(at: now)
    actions += exchangeClock(at: now)
    actions += attendToKeys(at: now)
    actions += sendBeaconIfDue(at: now)
    return actions
  }

  // MARK: - Helpers

  /// Updates the derived state after a participant joined or left.
  mutating func rosterChanged() {
    presence.rosterChanged(toPresent: roster.presentCount, at: latest)
  }

  func participant(_ peer: PeerRecord) -> Participant {
    Participant(
      id: peer.id, name: peer.name ?? "?", role: rules.role(of: peer.id),
      door: peer.beaconSource.door)
  }

  /// Sends an event to all. If not every roster contains every participant, one that becomes active sends its beacon
  /// first.
  ///
  /// - Parameter isActivity: whether the event is an action of the user; otherwise the program sends it unasked.
  mutating func sendEvent(_ event: EventMessage, isActivity: Bool = true) -> [PartyAction] {
    let before = log.lastSequence
    let sequence = log.append(event, isSent: isConnected)
    var actions: [PartyAction] = []
    if joinedAt != nil, isActivity {
      let becomesActive = presence.acted(after: before, at: latest, timing: configuration.timing)
      if becomesActive, !rosterPolicy.allMeet { actions += sendBeacon(at: latest) }
    }
    guard isConnected else { return actions }
    return actions + [.send(.event(event), sequence: sequence, to: .everyone)]
  }

  mutating func setSession(
    at now: HostTime, _ make: (Stamp, inout RandomSource) -> SessionRegister
  ) -> [PartyAction]? {
    guard joinedAt != nil, let reading = clockReading(at: now) else { return nil }
    guard rules.mayControl(configuration.id) else { return nil }
    return publish(make(stamps.next(at: reading.groupTime(at: now)), &random))
  }
}
