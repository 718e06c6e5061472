import Foundation
import Timekeeping

/// The arrival of a newcomer, which asks any participant of the party. In a small party the newcomer then
/// exchanges introductions with every participant. In a large one it relies on the beacons that it receives,
/// which their senders signed.
extension PartyMachine {
  /// The largest number of beacons that a newcomer gets at once.
  private static let introductions = 128
  /// The time after this participant's question in which passed-on beacons are accepted.
  private static let gossipTime = Duration.seconds(10)

  mutating func askToArrive(at now: HostTime) -> [PartyAction] {
    let question = ArrivalQuestion(
      nonce: random.next(), askedAt: now, attempts: (ownArrival.question?.attempts ?? 0) + 1)
    ownArrival.question = question
    return [
      .send(
        .arrival(Arrival(nonce: question.nonce, exchangeKey: policy.keys.publicKey)),
        sequence: 0, to: .anyone)
    ]
  }

  /// Repeats the question after a time without an answer, with a beacon, since participants may know this one
  /// from before.
  mutating func repeatArrival(at now: HostTime) -> [PartyAction] {
    guard joinedAt == nil, let question = ownArrival.question, question.host == nil,
      now >= question.askedAt + configuration.timing.arrivalInterval
    else { return [] }
    return askToArrive(at: now) + sendBeacon(at: now)
  }

  /// Answers a newcomer that asked the party and reached this participant.
  mutating func welcome(
    _ arrival: Arrival, from inbound: InboundMessage, at now: HostTime
  ) -> [PartyAction] {
    guard joinedAt != nil else { return [] }
    // One participant answers: the answer is ten times as long as the question.
    guard !inbound.isToAll, allowances.arrivals.spend(at: now) else {
      misconduct.rejections.excess += 1
      return []
    }
    let rosterPolicy = rosterPolicy
    var reply = ProbeReply(
      nonce: arrival.nonce, times: times(of: inbound, at: now), baseline: log.lastSequence
    )
    reply.introduction = ProbeReply.Introduction(
      beacon: beacon(at: now), beaconSequence: numbers.beacon,
      members: rosterPolicy.allMeet ? others.map(\.id) : [], coordination: playback.full,
      seniors: seniors, exchangeKey: policy.keys.publicKey)
    var actions: [PartyAction] = []
    if policyLog.digest != 0 {
      actions.append(
        .send(
          .direct(.policyLog(policyLog.message)), sequence: 0, to: .only(inbound.sender)))
    }
    actions += sharesKey(with: arrival, from: inbound.sender, at: now)
    actions.append(
      .send(
        .welcome(
          Welcome(
            reply: reply, sessions: Welcome.fitting(sessions.all.reversed()),
            count: UInt64(rosterPolicy.participants))),
        sequence: 0, to: .only(inbound.sender)))
    guard !rosterPolicy.allMeet else { return actions }
    let known = roster.present.filter { $0.id != inbound.sender }
      .sorted { a, b in rank(of: a, at: now) < rank(of: b, at: now) }
      .prefix(Self.introductions).map(\.beaconSource.original).filter { !$0.isEmpty }
    return actions
      + Originals.messages(of: known).map {
        .send(.originals($0), sequence: 0, to: .only(inbound.sender))
      }
  }

  /// The order in which a newcomer learns of the others: first the reference, then active participants, then
  /// quiet ones, each longest present first.
  private func rank(of peer: PeerRecord, at now: HostTime) -> (Int, Int64) {
    let group =
      switch standing(of: peer, at: now) {
      case .reference: 0
      case .active: 1
      case .quiet: 2
      }
    return (group, peer.arrivedAt?.nanoseconds ?? .max)
  }

  /// Processes the answer to this participant's question. It answers a fresh question, so its sender is
  /// alive.
  mutating func welcomed(
    _ welcome: Welcome, by inbound: InboundMessage, at now: HostTime
  ) -> [PartyAction] {
    guard joinedAt == nil, let question = ownArrival.question, question.host == nil,
      welcome.reply.nonce == question.nonce, welcome.reply.introduction != nil
    else {
      misconduct.rejections.stale += 1
      return []
    }
    ownArrival.question?.host = inbound.sender
    ownArrival.question?.count = Int(clamping: min(welcome.count, UInt64(RosterPolicy.countLimit)))
    ownArrival.offeredSessions = Array(welcome.sessions.prefix(PartySessions.limit))
    roster.welcomed(
      by: inbound.sender, epoch: inbound.epoch, baseline: log.lastSequence, at: now)
    let actions = introduced(welcome.reply, by: inbound, sent: question.askedAt, at: now)
    // In a small party every participant is to know of the arrival.
    return actions + (rosterPolicy.allMeet ? sendBeacon(at: now) : [])
  }

  /// Processes a beacon that the welcoming participant passed on.
  mutating func heardOf(
    _ inbound: InboundMessage, _ beacon: Beacon, at now: HostTime
  ) -> [PartyAction] {
    guard !rosterPolicy.allMeet, awaitsGossip(at: now), let clock = clockReading(at: now),
      let sentAt = beacon.sentAt, roster.isNews(inbound)
    else { return [] }
    let freshness = configuration.timing.freshness
    let age = clock.groupTime(at: now) - sentAt
    guard age <= silenceLimits(at: now).limit(of: .quiet, after: beacon) + freshness,
      age >= .zero - freshness
    else {
      misconduct.rejections.stale += 1
      return []
    }
    if roster.isKnown(inbound) { return readmit(inbound, beacon, at: now) }
    guard hasRoom else { return [] }
    return admit(inbound, beacon, baseline: baseline(beacon, of: inbound.sender), at: now)
  }

  /// Returns whether this participant recently asked for the roster.
  private func awaitsGossip(at now: HostTime) -> Bool {
    if presence.rosterDoubt.awaitsAnswer(at: now) { return true }
    guard let question = ownArrival.question, question.host != nil else { return false }
    return now - question.askedAt < Self.gossipTime
  }

  /// Returns the last event of a previously unknown participant that isn't requested.
  private func baseline(_ beacon: Beacon, of sender: Participant.ID) -> UInt64 {
    if let known = ownArrival.held.baseline(of: sender) { return known }
    guard let mine = joinedAt, let joinedAt = beacon.joinedAt else { return beacon.lastEvent }
    // All events of a later arrival have been received from the beginning, unless this participant doesn't
    // know all others.
    return mine < joinedAt && rosterPolicy.allAreKnown ? 0 : beacon.settled
  }

  /// Processes a message of a participant that isn't admitted, in a large party.
  ///
  /// - Returns: nil if the sender is to be challenged, or is admitted.
  mutating func heardOutsider(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction]? {
    let standing = roster[inbound.sender]?.standing
    guard standing != .admitted, !rosterPolicy.allMeet else { return nil }
    if case .beacon(let beacon) = inbound.message { return encounter(inbound, beacon, at: now) }
    return standing == nil ? heardStranger(inbound, at: now) : nil
  }

  /// Processes a beacon of a participant outside the roster, in a large party. It is signed and contains its
  /// time in group time, so it can't be a replay.
  private mutating func encounter(
    _ inbound: InboundMessage, _ beacon: Beacon, at now: HostTime
  ) -> [PartyAction] {
    presence.schedule.heard(size: inbound.size, at: now, timing: configuration.timing)
    guard let joinedAt = beacon.joinedAt else { return [] }
    guard self.joinedAt != nil else { return hold(inbound) }
    guard isFresh(beacon, in: inbound) else {
      misconduct.rejections.stale += 1
      return []
    }
    presence.population.heard(inbound.sender, at: now)
    if roster.isKnown(inbound) { return readmit(inbound, beacon, at: now) }
    let isSpeaking = beacon.lastEvent > beacon.settled
    let arrival = witnessed(joinedAt, by: inbound.sender, at: now).time
    let claimed = precedence(
      of: Seniority(arrival, inbound.sender, creator: configuration.party))
    guard hasRoom || ((isSpeaking || outranksReference(claimed)) && makeRoom(at: now)) else {
      return []
    }
    return admit(inbound, beacon, baseline: baseline(beacon, of: inbound.sender), at: now)
  }

  /// Processes another message of a participant outside the roster, in a large party.
  private mutating func heardStranger(
    _ inbound: InboundMessage, at now: HostTime
  ) -> [PartyAction] {
    switch inbound.message {
    case .event where joinedAt == nil: return hold(inbound)
    case .event(.leave(let leave)):
      presence.population.left(inbound.sender)
      return closing(by: inbound.sender, leave)
    case .direct(.probe(let probe)):
      guard allowances.strangers.spend(at: now) else {
        misconduct.rejections.excess += 1
        return []
      }
      return answer(probe, from: inbound, at: now)
    case .direct(let message) where message.mayBeStrangers:
      guard allowances.strangers.spend(at: now) else {
        misconduct.rejections.excess += 1
        return []
      }
      return process(message, from: inbound.sender, at: now)
    case .event, .beacon, .direct, .loose, .lane:
      misconduct.rejections.stale += 1
      return []
    }
  }

  /// Holds a message of a participant that the welcoming participant may not have known yet.
  private mutating func hold(_ inbound: InboundMessage) -> [PartyAction] {
    if !ownArrival.held.hold(inbound) { misconduct.rejections.stale += 1 }
    return []
  }

  /// Processes the messages held between the welcome and now, once the time to judge them by is known.
  mutating func processHeld(at now: HostTime) -> [PartyAction] {
    var actions: [PartyAction] = []
    // Beacons come first, so that the senders of the events are known.
    for inbound in ownArrival.held.messages {
      guard case .beacon(let beacon) = inbound.message else { continue }
      if roster[inbound.sender]?.standing != .admitted {
        actions += encounter(inbound, beacon, at: now)
      } else if roster[inbound.sender]?.epoch == inbound.epoch {
        actions += process(inbound, at: now)
      }
    }
    for inbound in ownArrival.held.messages
    where inbound.delivery == .event && roster[inbound.sender]?.epoch == inbound.epoch {
      actions += process(inbound, at: now)
    }
    ownArrival.held = HeldOnArrival()
    return actions
  }

  /// Charges a request's cost to the allowance of its sender.
  mutating func pays(_ id: Participant.ID, _ cost: Int = 1, at now: HostTime) -> Bool {
    if roster[id] == nil {
      return !rosterPolicy.allMeet && allowances.strangers.spend(cost, at: now)
    }
    return roster.spend(cost, by: id, at: now)
  }

  /// Returns whether a beacon was sent just now and hasn't arrived before.
  private func isFresh(_ beacon: Beacon, in inbound: InboundMessage) -> Bool {
    guard let sentAt = beacon.sentAt, let clock = clockReading(at: inbound.receivedAt) else {
      return false
    }
    let age = clock.groupTime(at: inbound.receivedAt) - sentAt
    return age.magnitude <= configuration.timing.freshness && roster.isNewest(inbound)
  }

  private func outranksReference(_ claimed: Seniority) -> Bool {
    guard let known = keeper.known else { return true }
    guard let reference = roster[known].flatMap({ precedence(of: $0) }) else {
      return false
    }
    return claimed < reference
  }

  /// Admits a participant again that had left or hadn't answered.
  private mutating func readmit(
    _ inbound: InboundMessage, _ beacon: Beacon, at now: HostTime
  ) -> [PartyAction] {
    roster.readmitted(inbound.sender, at: now)
    if departure.relay == inbound.sender { departure.relay = nil }
    return beaconReceived(
      beacon, sequence: inbound.sequence, from: inbound.sender, at: now, isIntroduction: true)
  }

  private mutating func admit(
    _ inbound: InboundMessage, _ beacon: Beacon, baseline: UInt64, at now: HostTime
  ) -> [PartyAction] {
    roster.admitted(inbound, baseline: log.lastSequence, lastEvent: baseline, at: now)
    if departure.relay == inbound.sender { departure.relay = nil }
    let actions = beaconReceived(
      beacon, sequence: inbound.sequence, from: inbound.sender, at: now, isIntroduction: true)
    if roster[inbound.sender]?.beacon == nil { roster.admissionRefused(of: inbound.sender) }
    return actions
  }

  private var hasRoom: Bool {
    presence.presentCount < configuration.timing.rosterLimit && roster.hasRoom
  }

  /// Removes the quiet participant that came last from the roster, to make room for another one.
  private mutating func makeRoom(at now: HostTime) -> Bool {
    guard allowances.roster.spend(at: now) else { return false }
    guard
      roster.forgetLastQuiet(reference: keeper.known, timing: configuration.timing, at: now)
    else { return roster.hasRoom }
    rosterChanged()
    return true
  }
}

extension Originals {
  /// Splits signed messages into as many messages as needed.
  static func messages(of signed: [[UInt8]]) -> [Originals] {
    var messages: [Originals] = []
    var size = Originals.sizeLimit
    for original in signed where original.count + 10 <= Originals.sizeLimit {
      if size + original.count + 10 > Originals.sizeLimit
        || messages[messages.count - 1].signed.count == Originals.limit
      {
        messages.append(Originals(signed: []))
        size = 0
      }
      messages[messages.count - 1].signed.append(original)
      size += original.count + 10
    }
    return messages
  }
}
