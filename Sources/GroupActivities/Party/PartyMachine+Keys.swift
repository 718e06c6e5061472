import Foundation
import Timekeeping

/// The content keys: the messages about them, and the key for each message to the others.
extension PartyMachine {
  /// The rules with their history, and the content keys, whose epoch follows from the rules.
  struct Policy: Sendable {
    var log: PolicyLog
    var keys: KeyMachine

    init(_ log: PolicyLog, _ configuration: Configuration) {
      self.log = log
      keys = KeyMachine(
        me: configuration.id, exchange: configuration.exchange ?? .trusting(configuration.id),
        authorship: configuration.authorship, rules: log.rules, round: log.round)
    }
  }

  /// Returns the key to seal a message with; nil if it can't be sent without the key of the epoch. An event to all is
  /// sent as soon as the key is here; the loss of another message has no lasting effect.
  mutating func key(
    toSend message: WireMessage, sequence: UInt64, to recipient: PartyAction.Recipient
  ) -> ContentKeyID? {
    switch message.confidentiality {
    case .invite: return .invite
    case .epochIfKnown: return policy.keys.sealing ?? .invite
    case .epoch:
      if policy.keys.sealing == nil, case .event(let event) = message, recipient == .everyone {
        policy.keys.hold(event, sequence: sequence)
      }
      return policy.keys.sealing
    }
  }

  /// Processes a message that is sealed with a key that this participant lacked when it arrived.
  mutating func received(_ message: SealedMessage, at now: HostTime) -> [PartyAction] {
    latest = now
    guard membership != .left else { return [] }
    return perform(
      policy.keys.received(message, participants: participantCount, at: now, random: &random),
      at: now)
  }

  /// Processes a message about keys, whether or not its sender has answered a challenge: a question is answered for the
  /// sender's own key only, and the author of a secret is proven.
  ///
  /// - Returns: nil if the message is about something else.
  mutating func keyMessageReceived(_ inbound: InboundMessage, at now: HostTime) -> [PartyAction]? {
    switch inbound.message {
    case .direct(.keyShares(let shares)):
      guard allowances.keys.spend(at: now) else { break }
      let directives = policy.keys.received(
        shares, participants: participantCount, at: now, random: &random)
      return directives.map { perform($0, at: now) } ?? refuse()
    case .direct(.keyRequest(let request)):
      guard allowances.keys.spend(at: now) else { break }
      guard joinedAt != nil else { return [] }
      roster.exchangeKeyAnnounced(request.publicKey, by: inbound.sender)
      guard
        policy.keys.answers(
          request, isToAll: inbound.isToAll, participants: participantCount, random: &random)
      else { return [] }
      guard affordsKeys(for: inbound.sender, at: now) else { break }
      return perform(policy.keys.answer(to: request, from: inbound.sender), at: now)
    case .event, .beacon, .direct, .loose, .lane: return nil
    }
    misconduct.rejections.excess += 1
    return []
  }

  /// Charges an answer about keys: a participant can ask all others at once, and the answers are longer.
  private mutating func affordsKeys(for id: Participant.ID, at now: HostTime) -> Bool {
    roster[id] == nil
      ? allowances.strangerKeys.spend(at: now) : roster.spend(forKeysTo: id, at: now)
  }

  /// Seals the secret of the epoch for a newcomer.
  mutating func sharesKey(with arrival: Arrival, from id: Participant.ID, at now: HostTime)
    -> [PartyAction]
  {
    guard let key = arrival.exchangeKey else { return [] }
    return perform(
      policy.keys.answer(to: KeyRequest(publicKey: key, epoch: policy.keys.epoch), from: id),
      at: now)
  }

  /// Adapts the keys to changed rules.
  ///
  /// - Parameter isOwn: whether this participant changed them, and therefore draws the secret of a new epoch.
  mutating func adaptKeys(isOwn: Bool, at now: HostTime) -> [PartyAction] {
    let actions = perform(
      policy.keys.rulesChanged(
        rules, round: policyLog.round, participants: participantCount, at: now, random: &random),
      at: now)
    return actions + (isOwn && policy.keys.sealing == nil ? proposeKey(at: now) : [])
  }

  /// Draws a secret for the epoch, and seals it for all whose keys are known.
  mutating func proposeKey(at now: HostTime) -> [PartyAction] {
    let recipients = roster.values.compactMap { peer in
      peer.process.exchangeKey.map { KeyMachine.Recipient(id: peer.id, publicKey: $0) }
    }
    return perform(
      policy.keys.propose(
        to: recipients, participants: participantCount, at: now, random: &random), at: now)
  }

  /// Asks for keys that are missing, and forgets old ones.
  mutating func attendToKeys(at now: HostTime) -> [PartyAction] {
    perform(
      policy.keys.timerFired(
        mayPropose: joinedAt != nil, participants: participantCount, at: now, random: &random),
      at: now)
  }

  /// The keys after the connection has returned: a participant that is alone with the party, as its creator, begins.
  mutating func keysAfterOutage(at now: HostTime) -> [PartyAction] {
    policy.keys.linkReturned(participants: participantCount, at: now, random: &random)
    guard joinedAt != nil, policy.keys.sealing == nil, others.isEmpty else { return [] }
    return proposeKey(at: now)
  }

  private mutating func perform(
    _ directives: [KeyMachine.Directive], at now: HostTime
  ) -> [PartyAction] {
    directives.flatMap { directive -> [PartyAction] in
      switch directive {
      case .reopen(let messages): return [.reopen(messages)]
      case .propose: return proposeKey(at: now)
      // What is lost without a connection is asked for afterwards.
      case .sendRules(let id):
        guard isConnected, policyLog.digest != 0, allowances.keyRules.spend(at: now) else {
          return []
        }
        return [.send(.direct(.policyLog(policyLog.message)), sequence: 0, to: .only(id))]
      case .ask, .share, .resume:
        return isConnected ? messages(of: directive) : []
      }
    }
  }

  private func messages(of directive: KeyMachine.Directive) -> [PartyAction] {
    switch directive {
    case .ask(let request, let isPublic):
      [.send(.keyRequest(request), sequence: 0, to: isPublic ? .everyone : .anyone)]
    case .share(let shares, let id):
      [.send(.keyShares(shares), sequence: 0, to: id.map { .only($0) } ?? .everyone)]
    case .resume(let events):
      events.map { .send(.event($0.message), sequence: $0.sequence, to: .everyone) }
    case .reopen, .propose, .sendRules: []
    }
  }
}
