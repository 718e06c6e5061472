import Foundation
import Timekeeping

/// The messages of admitted participants, and their effects.
extension PartyMachine {
  mutating func process(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction] {
    guard let peer = roster[inbound.sender] else { return [] }
    switch inbound.message {
    case .event(let event):
      guard peer.isPresent else {
        // A participant that isn't shown isn't heard either. If it has just arrived, its beacon will say so,
        // and its events are requested again.
        misconduct.rejections.stale += 1
        return []
      }
      let next = peer.streams.inbound?.next ?? 1
      let actions = receive(event, in: inbound, at: now)
      if inbound.sequence >= next {
        roster.spoke(inbound.sender, isOwnWord: event.isOwnWord, at: now)
        log.passedOn(of: inbound.sender, through: inbound.sequence)
      }
      return actions
    case .beacon(let beacon):
      presence.schedule.heard(size: inbound.size, at: now, timing: configuration.timing)
      if inbound.sequence > peer.beaconSource.sequence {
        roster.beaconSigned(by: inbound.sender, as: inbound.original)
        noteTime(of: beacon, in: inbound, at: now)
        compareTime(of: beacon, in: inbound, at: now)
      }
      return beaconReceived(
        beacon, sequence: inbound.sequence, from: inbound.sender, at: now, isIntroduction: false)
    case .direct(let message):
      return process(message, from: inbound.sender, at: now)
    case .loose(let message):
      guard roster.looseReceived(inbound.sequence, from: inbound.sender) else {
        misconduct.rejections.stale += 1
        return []
      }
      return appMessageReceived(message, from: inbound.sender, isLoose: true)
    case .lane(let packet):
      guard roster.laneReceived(inbound.sequence, from: inbound.sender) else {
        misconduct.rejections.stale += 1
        return []
      }
      return sessions.joined.contains(packet.session) && peer.isPresent
        ? [.report(.lane(from: inbound.sender, packet))] : []
    }
  }

  /// Processes an admitted participant's event that this program can't read: it takes its turn, without
  /// effect.
  mutating func receivedUnreadable(
    from sender: Participant.ID, epoch: UInt64, sequence: UInt64, at now: HostTime
  ) -> [PartyAction] {
    guard membership != .left, rules.admits(sender), let peer = roster[sender],
      peer.epoch == epoch, peer.isPresent, roster.spend(by: sender, at: now)
    else { return [] }
    let patience = patience()
    let delivered = roster.eventReceived(
      nil, sequence: sequence, from: sender, patience: patience, at: now)
    return (delivered ?? []).flatMap { deliver($0, from: sender, at: now) }
  }

  /// Processes a direct message. None is a sign of life, since it may be a replay.
  mutating func process(
    _ message: DirectMessage, from sender: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    switch message {
    case .resendRequest(let request):
      return asked(request, by: sender, at: now)
    case .vector(let vector):
      return vectorReceived(vector, from: sender, at: now)
    case .roster(let comparison):
      return comparisonReceived(comparison, from: sender, at: now)
    case .originals(let originals):
      guard roster.spend((originals.signed.count + 3) / 4, by: sender, at: now) else {
        misconduct.rejections.excess += 1
        return []
      }
      return [.verify(originals.signed, from: sender)]
    case .coordinationRequest:
      guard let report = playback.full,
        affordsAnswer(to: sender, bytes: max(8 << 10, report.data.count), at: now)
      else { return [] }
      return [.send(.direct(.coordination(report)), sequence: 0, to: .only(sender))]
    case .coordination(let report):
      guard roster[sender]?.isPresent == true else { return refuse() }
      return coordinationReceived(report, from: sender)
    case .resendRefusal(let refusal):
      let outcome = roster.resendRefused(through: refusal.through, by: sender, at: now)
      return outcome.map { perform($0, from: sender, at: now) } ?? []
    case .stateRequest:
      let size = sessions.all.reduce(0) { $0 + $1.activity.count + 512 }
      guard affordsAnswer(to: sender, bytes: max(32 << 10, size), at: now) else {
        return []
      }
      return sessions.all.map {
        .send(.state($0), sequence: 0, to: .only(sender))
      }
    case .state(let register):
      guard roster[sender]?.isPresent == true else { return refuse() }
      return sessionReceived(register, at: now)
    case .policyLogRequest:
      let size = 256 * (policyLog.links.count + 1)
      guard affordsAnswer(to: sender, bytes: max(32 << 10, size), at: now) else {
        return []
      }
      return [
        .send(
          .direct(.policyLog(policyLog.message)), sequence: 0, to: .only(sender))
      ]
    case .probe, .probeReply, .arrival, .welcome, .policyLog, .keyRequest, .keyShares:
      // These were processed before, whether their sender is admitted or not.
      return []
    case .leaveReply: return refuse()
    }
  }

  /// Charges an answer's cost to the allowance of the asking participant. Answers are longer than questions,
  /// and a participant that asks for much would fill this one's uplink.
  private mutating func affordsAnswer(
    to id: Participant.ID, bytes: Int, at now: HostTime
  ) -> Bool {
    if roster.spend(forAnswer: (bytes + 1023) / 1024, to: id, at: now) { return true }
    misconduct.rejections.excess += 1
    return false
  }

  /// Processes one event in its turn.
  mutating func deliver(
    _ event: EventMessage, from sender: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    guard let peer = roster[sender] else { return [] }
    switch event {
    case .chat(let chat):
      guard let text = PartyText.chat(chat.text) else { return refuse() }
      return [.report(.chat(from: participant(peer), text: text))]
    case .session(let register):
      return sessionReceived(register, at: now)
    case .coordination(let report):
      return coordinationReceived(report, from: sender)
    case .app(let message):
      return appMessageReceived(message, from: sender, isLoose: false)
    case .policyLog(let links):
      return policyLogReceived(links, at: now)
    case .leave(let leave):
      let isAwaited = rosterPolicy.confirmsDepartures
      let answer: [PartyAction] =
        isAwaited ? [.send(.leaveReply, sequence: 0, to: .only(sender))] : []
      // The answer comes first: its sender waits for it, and the party may end here.
      return answer + depart(sender, announced: true, keepsRelay: leave.keepsRelay, at: now)
        + closing(by: sender, leave)
    }
  }

  mutating func beaconReceived(
    _ beacon: Beacon, sequence: UInt64, from sender: Participant.ID, at now: HostTime,
    isIntroduction: Bool
  ) -> [PartyAction] {
    guard let before = roster[sender] else { return [] }
    let claimed: String
    switch before.verdict(on: beacon, sequence: sequence, isIntroduction: isIntroduction) {
    case .acceptable(let name): claimed = name
    case .repeated:
      misconduct.rejections.stale += 1
      return []
    case .impossible: return refuse()
    }
    let patience = patience()
    var new = Roster.AcceptableBeacon(
      beacon: beacon, sequence: sequence, name: claimed, isIntroduction: isIntroduction)
    if let joinedAt = beacon.joinedAt, before.arrivedAt == nil {
      new.arrival = witnessed(joinedAt, by: sender, at: now)
    }
    let isElsewhere = roster.beaconAccepted(
      new, of: sender, besides: Roster.Oneself(name: name, seniority: mySeniority),
      patience: patience, at: now)
    guard let peer = roster[sender] else { return [] }
    note(beacon, of: sender, isIntroduction: isIntroduction)
    if isElsewhere {
      rosterChanged()
      updateReference(at: now)
    }
    if case .arriving(let mentioned, nil) = membership, peer.isPresent {
      membership = .arriving(mentioned: mentioned, since: now)
    }

    var actions: [PartyAction] = []
    if joinedAt != nil {
      if peer.isPresent, !before.isPresent || isIntroduction {
        actions.append(.report(.participantJoined(participant(peer))))
        // A participant that left unannounced and is back was forgotten, with all of its reports.
        if let report = peer.coordination {
          actions.append(.report(.coordination(from: sender, report)))
        }
      } else if peer.isPresent, let old = before.name, old != peer.name {
        actions.append(.report(.renamed(participant(peer), from: old)))
      }
      actions += resolveName(against: peer, at: now)
    }
    if isIntroduction || !before.isPresent
      || !(before.beacon?.sessions ?? []).elementsEqual(
        beacon.sessions, by: { $0.joined == $1.joined })
    {
      actions.append(.report(.sessionMembersChanged))
    }
    if isIntroduction { actions += tellNewcomer(at: now) }
    guard peer.isPresent else { return actions }
    if !rosterPolicy.allAreKnown { presence.population.heard(sender, at: now) }
    compareRoster(beacon, of: sender, at: now)
    return actions + askForNews(beacon, of: sender, at: now)
  }

  /// Requests the state that a beacon announces and that is newer than this participant's, from one
  /// participant at a time, since the others announce the same.
  private mutating func askForNews(
    _ beacon: Beacon, of sender: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    func ask(_ question: DirectMessage) -> [PartyAction] {
      [.send(.direct(question), sequence: 0, to: .only(sender))]
    }
    var actions: [PartyAction] = []
    // Another session with a known stamp: its author sent different sessions to different participants.
    func isAnother(_ held: Beacon.HeldSession) -> Bool {
      guard let mine = sessions[kind: held.kind], let theirs = held.joined else { return false }
      return mine.stamp == held.stamp && mine.id != theirs
    }
    // One question covers all sessions, since the answer contains all.
    if let unknown = beacon.sessions.first(where: {
      admits($0.stamp, kind: $0.kind) || isAnother($0)
    }),
      asked.questions.mayAsk(.session(unknown.stamp), at: now)
    {
      actions += ask(.stateRequest)
    }
    if let digest = beacon.policyLog, digest != policyLog.digest, digest != 0,
      asked.questions.mayAsk(.policyLog(digest), at: now)
    {
      actions += ask(.policyLogRequest)
    }
    if beacon.coordination > roster[sender]?.coordination?.version ?? 0, concerns(sender, at: now),
      asked.questions.mayAsk(.coordination(sender, version: beacon.coordination), at: now)
    {
      actions += ask(.coordinationRequest)
    }
    if let digest = beacon.coordinationDigest, let session = roster[sender]?.coordination?.session {
      actions.append(
        .report(
          .coordinationDigest(
            from: sender, session: session, digest, otherCopy: beacon.otherCopy)))
    }
    return actions
  }

  /// Returns whether a participant's report matters here. In a large party only the reports of the
  /// reference and of active participants do.
  private func concerns(_ sender: Participant.ID, at now: HostTime) -> Bool {
    roster[sender].map { rosterPolicy.reportMatters(of: standing(of: $0, at: now)) } ?? false
  }

  mutating func sessionReceived(_ register: SessionRegister, at now: HostTime) -> [PartyAction] {
    guard register.isWithinLimits, sessions.isGenuine(register) else { return refuse() }
    // The session was decided on before the party was opened again, or since an unknown opening. The next
    // beacon asks again.
    guard register.opening == policyLog.opening?.number else {
      misconduct.rejections.stale += 1
      return []
    }
    // A stamp in the far future can't be recognized without the time. The next beacon asks again.
    guard let clock = clockReading(at: now) else { return [] }
    guard stamps.observe(register.stamp, at: clock.groupTime(at: now)) else { return refuse() }
    guard admits(register) else { return [] }
    guard
      configuration.authorship.isValid(
        register.proof, register.provenBytes, register.stamp.participant)
    else {
      misconduct.rejections.forged += 1
      return []
    }
    guard rules.mayControl(register.stamp.participant) else {
      misconduct.rejections.unauthorized += 1
      return []
    }
    return adopt(register)
  }

  mutating func adopt(_ register: SessionRegister) -> [PartyAction] {
    let author = register.stamp.participant
    let gone = sessions.registerReceived(register)
    for session in gone { playback.forget(session.id) }
    guard joinedAt != nil else { return [] }
    return gone.filter { $0.id != register.id }.map {
      .report(
        $0.kind == register.kind
          ? .sessionReplaced($0.id, by: author) : .sessionDisplaced($0, by: author))
    } + [.report(.sessionChanged(register, by: author))]
  }

  mutating func coordinationReceived(
    _ report: CoordinationReport, from sender: Participant.ID
  ) -> [PartyAction] {
    guard report.data.count <= Self.coordinationLimit else { return refuse() }
    guard roster.coordinationReported(report, by: sender) else { return [] }
    return [.report(.coordination(from: sender, report))]
  }

  private mutating func appMessageReceived(
    _ message: AppMessage, from sender: Participant.ID, isLoose: Bool
  ) -> [PartyAction] {
    guard message.isWithinLimits else { return refuse() }
    guard sessions.joined.contains(message.session),
      message.recipients?.contains(configuration.id) ?? true,
      let whole = roster.partReceived(message, from: sender, isLoose: isLoose)
    else { return [] }
    return [.report(.app(from: sender, whole))]
  }

  /// Resolves equal names: the participant that is present longer keeps its name.
  mutating func resolveName(against peer: PeerRecord, at now: HostTime) -> [PartyAction] {
    guard let mine = mySeniority, let theirs = roster.seniority(of: peer), theirs < mine,
      peer.shown.key == PartyText.nameKey(name)
    else { return [] }
    return chooseUniqueName(at: now)
  }

  /// Takes the wanted name, or the next free one, and announces it.
  mutating func chooseUniqueName(at now: HostTime) -> [PartyAction] {
    let old = name
    name = roster.uniqueName(for: wantedName)
    guard name != old else { return [] }
    roster.ownNameChanged()
    return [.report(.renamed(me, from: old))] + sendBeacon(at: now)
  }

  mutating func refuse() -> [PartyAction] {
    misconduct.rejections.invalid += 1
    return []
  }
}
