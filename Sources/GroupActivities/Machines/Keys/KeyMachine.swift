import Concurrency
import Timekeeping

/// The content keys of a party, as one participant knows them.
///
/// The rules alone decide the epoch (``KeyEpoch``). A participant that removes another one draws a secret for the new
/// epoch and seals it for each of the others; each holder seals it again for participants that ask, newcomers too. A
/// participant that gets no answer draws a secret itself. Of several secrets of an epoch all participants use the same
/// one, and open messages under each.
///
/// While a participant has no secret of its epoch it holds its events back. A message whose key it doesn't hold waits
/// too, while it asks for the key.
struct KeyMachine: Sendable {
  enum Directive: Hashable, Sendable {
    /// Asks all participants, or any one of them.
    case ask(KeyRequest, isPublic: Bool)
    /// Sends sealed secrets to one participant, or to all.
    case share(KeyShares, to: Participant.ID?)
    /// Sends the policy log to a participant that holds another one.
    case sendRules(to: Participant.ID)
    /// Opens messages whose key is here now.
    case reopen([SealedMessage])
    /// Sends events that were held back.
    case resume([HeldEvents.Event])
    /// Calls ``propose(to:at:random:)``: no other participant seems to have a secret.
    case propose
  }

  /// A participant for which secrets can be sealed.
  struct Recipient: Hashable, Sendable {
    var id: Participant.ID
    /// Its ``KeyExchange/publicKey``.
    var publicKey: [UInt8]
  }

  private struct Question: Hashable {
    var at: HostTime
    var attempts = 0
  }

  private struct Proposal: Hashable {
    var at: HostTime
    /// The number of times that another participant's secret was announced and didn't arrive.
    var postponements = 0
  }

  private let me: Participant.ID
  let exchange: KeyExchange
  private let authorship: Authorship
  private var rules: PartyRules
  private(set) var epoch: KeyEpoch
  private(set) var secrets = EpochSecrets()
  /// The key for this participant's messages; nil while it has no secret of its epoch.
  private(set) var sealing: ContentKeyID?
  private(set) var unopened = UnopenedMessages()
  private(set) var held = HeldEvents()
  private var question: Question?
  private var proposal: Proposal?

  private static let askAgain = Duration.milliseconds(300)
  private static let longestPause = Duration.seconds(5)
  private static let postponementLimit = 3
  /// The largest number of answers to one question that all receive.
  private static let answerLimit: UInt64 = 8
  /// The number of private questions in a larger party before one goes to all.
  private static let privateQuestions = 8

  /// - Parameter round: see ``KeyEpoch/init(of:round:)``.
  init(
    me: Participant.ID, exchange: KeyExchange, authorship: Authorship, rules: PartyRules,
    round: [UInt64] = []
  ) {
    self.me = me
    self.exchange = exchange
    self.authorship = authorship
    self.rules = rules
    epoch = KeyEpoch(of: rules, round: round)
    sealing = epoch == .invite ? .invite : nil
  }

  // MARK: - Properties

  /// This participant's key, for which others seal secrets.
  var publicKey: [UInt8] { exchange.publicKey }

  /// The secrets of all keys that open messages, besides the invite's.
  var openable: [EpochSecret] { secrets.entries.map(\.secret) }

  /// Counts the changes of ``openable``.
  var revision: Int { secrets.revision }

  func holds(_ key: ContentKeyID) -> Bool { key == .invite || secrets[key] != nil }

  /// The number of messages that couldn't be opened, so far or at all.
  var unreadCount: Int { unopened.count + unopened.discardedCount }

  var nextDeadline: HostTime? {
    var next = question?.at
    next.bringForward(to: proposal?.at)
    next.bringForward(to: unopened.nextExpiry)
    next.bringForward(to: secrets.nextExpiry)
    return next
  }

  // MARK: - The rules

  /// Processes a change of the rules. A participant that made it proposes a secret then, if ``sealing`` is nil.
  mutating func rulesChanged(
    _ new: PartyRules, round: [UInt64] = [], participants: Int, at now: HostTime,
    random: inout RandomSource
  ) -> [Directive] {
    rules = new
    let next = KeyEpoch(of: new, round: round)
    if next != epoch {
      epoch = next
      secrets.epochChanged(to: next, at: now)
      question = nil
      proposal = nil
    }
    choose()
    return settle(participants: participants, at: now, random: &random)
  }

  /// Draws a secret for the epoch and seals it for the others.
  mutating func propose(
    to recipients: [Recipient], participants: Int, at now: HostTime, random: inout RandomSource
  ) -> [Directive] {
    var bytes: [UInt8] = []
    while bytes.count < EpochSecret.byteCount { bytes += random.next().bigEndianBytes }
    guard let secret = EpochSecret(epoch: epoch, bytes: bytes) else { return [] }
    let entry = EpochSecrets.Entry(
      secret, author: me, proof: authorship.sign(secret.provenBytes), retiredAt: nil)
    guard secrets.add(entry, keeping: sealing) else { return [] }
    choose()
    let admitted = recipients.filter { rules.admits($0.id) && $0.id != me }
    var directives: [Directive] = []
    for start in stride(from: 0, to: admitted.count, by: KeyShares.limit) {
      let part = admitted[start..<min(admitted.count, start + KeyShares.limit)]
      directives.append(.share(shares(of: entry, for: Array(part)), to: nil))
    }
    // Those whose keys aren't known learn that there is a secret, and ask for it.
    if admitted.isEmpty, participants > 1 {
      directives.append(.share(shares(of: entry, for: []), to: nil))
    }
    return directives + settle(participants: participants, at: now, random: &random)
  }

  // MARK: - Messages of the others

  /// Returns whether this participant is among those that answer a question. All that receive it decide so at random.
  ///
  /// - Parameter isToAll: whether all participants received the question, or this one alone.
  func answers(
    _ request: KeyRequest, isToAll: Bool, participants: Int, random: inout RandomSource
  ) -> Bool {
    let hoped = min(request.answers, Self.answerLimit)
    guard isToAll, hoped < participants else { return true }
    return Double.random(in: 0...1, using: &random) * Double(participants) <= Double(hoped)
  }

  /// Returns the answer to a question, if its sender is a participant that the rules admit.
  func answer(to request: KeyRequest, from asker: Participant.ID) -> [Directive] {
    guard rules.admits(asker), epoch != .invite || request.epoch != epoch else { return [] }
    // Only secrets of the present epoch: the rules say who may have them.
    let entries = secrets.entries.filter {
      $0.secret.epoch == epoch && ($0.id == sealing || $0.id == request.wanted)
    }
    let recipient = Recipient(id: asker, publicKey: request.publicKey)
    return (request.epoch == epoch ? [] : [.sendRules(to: asker)])
      + entries.map { .share(shares(of: $0, for: [recipient]), to: asker) }
  }

  /// Processes secrets that another participant sealed.
  ///
  /// - Returns: nil if no honest participant sends this.
  mutating func received(
    _ shares: KeyShares, participants: Int, at now: HostTime, random: inout RandomSource
  ) -> [Directive]? {
    guard shares.epoch != .invite else { return nil }
    // An author that the rules exclude, or a secret of an epoch in which this participant isn't.
    guard rules.admits(shares.author) else { return [] }
    guard let share = shares.shares.first(where: { $0.recipient == me }) else {
      if shares.epoch == epoch, sealing == nil {
        announced(participants: participants, at: now, random: &random)
      }
      return []
    }
    guard let bytes = exchange.open(share.sealed, Self.context(shares.epoch, me)),
      let secret = EpochSecret(epoch: shares.epoch, bytes: bytes)
    else { return nil }
    guard !holds(secret.id) else { return [] }
    guard authorship.isValid(shares.proof, secret.provenBytes, shares.author) else { return nil }
    let entry = EpochSecrets.Entry(
      secret, author: shares.author, proof: shares.proof,
      retiredAt: shares.epoch == epoch ? nil : now)
    guard secrets.add(entry, keeping: sealing) else { return [] }
    choose()
    let messages = unopened.take(secret.id)
    let reopened: [Directive] = messages.isEmpty ? [] : [.reopen(messages)]
    return reopened + settle(participants: participants, at: now, random: &random)
  }

  /// Processes a message that is sealed with a key that wasn't here when it arrived.
  mutating func received(
    _ message: SealedMessage, participants: Int, at now: HostTime, random: inout RandomSource
  ) -> [Directive] {
    guard !holds(message.key) else { return [.reopen([message])] }
    unopened.hold(message, at: now)
    return settle(participants: participants, at: now, random: &random)
  }

  // MARK: - Messages to the others

  /// Holds an event back until there is a key for it.
  mutating func hold(_ message: EventMessage, sequence: UInt64) {
    held.hold(HeldEvents.Event(message: message, sequence: sequence))
  }

  // MARK: - Time passes

  /// - Parameter mayPropose: whether this participant has joined; a newcomer waits for the others' secret.
  mutating func timerFired(
    mayPropose: Bool, participants: Int, at now: HostTime, random: inout RandomSource
  ) -> [Directive] {
    secrets.forget(at: now)
    unopened.forget(at: now)
    var directives: [Directive] = []
    if let due = question, now >= due.at {
      directives.append(ask(due, participants: participants, at: now, random: &random))
    }
    if let due = proposal, now >= due.at {
      let next = now + patience(participants: participants, random: &random)
      proposal = Proposal(at: next, postponements: due.postponements)
      if mayPropose { directives.append(.propose) }
    }
    return directives + settle(participants: participants, at: now, random: &random)
  }

  private mutating func ask(
    _ due: Question, participants: Int, at now: HostTime, random: inout RandomSource
  ) -> Directive {
    let isCrowd = !RosterPolicy(participants: participants).sendsNewsAtOnce
    let isPublic = !isCrowd || due.attempts >= Self.privateQuestions
    var pause = Self.askAgain
    // In a large party more and more participants hold the key: each question has twice the chance of the one before.
    let growth = isCrowd ? max(0, due.attempts - Self.privateQuestions) : due.attempts
    for _ in 0..<min(growth, 8) { pause = pause * 1.5 }
    question = Question(
      at: now + min(pause, Self.longestPause) * Double.random(in: 0.8...1.2, using: &random),
      attempts: due.attempts + 1)
    let answers: UInt64 = isPublic ? min(2 << UInt64(min(due.attempts, 5)), Self.answerLimit) : .max
    return .ask(
      KeyRequest(
        publicKey: publicKey, epoch: epoch, wanted: unopened.newestKey, answers: answers),
      isPublic: isPublic)
  }

  /// Waits again for answers that couldn't come while the connection was down.
  mutating func linkReturned(
    participants: Int, at now: HostTime, random: inout RandomSource
  ) {
    question = nil
    proposal = nil
    _ = settle(participants: participants, at: now, random: &random)
  }

  // MARK: - Helpers

  /// Chooses the key for this participant's messages.
  private mutating func choose() {
    sealing = epoch == .invite ? .invite : secrets.best(of: epoch, rules: rules)?.id
  }

  /// Sends what was held back if there is a key, and begins or ends the waiting.
  private mutating func settle(
    participants: Int, at now: HostTime, random: inout RandomSource
  ) -> [Directive] {
    guard rules.admits(me) else {
      // No participant gives the key to this one. It reads the policy log, and asks when that admits it again.
      (question, proposal) = (nil, nil)
      return []
    }
    if sealing == nil || !unopened.isEmpty {
      if question == nil {
        let dice = Double.random(in: 0...1, using: &random)
        let window = max(Duration.milliseconds(25), Duration.milliseconds(1) * participants)
        question = Question(at: now + .milliseconds(5) + window * dice)
      }
    } else {
      question = nil
    }
    guard sealing == nil else {
      proposal = nil
      let events = held.take()
      return events.isEmpty ? [] : [.resume(events)]
    }
    if proposal == nil {
      proposal = Proposal(at: now + patience(participants: participants, random: &random))
    }
    return []
  }

  /// Notes that another participant has a secret and didn't seal it for this one.
  private mutating func announced(
    participants: Int, at now: HostTime, random: inout RandomSource
  ) {
    guard let due = proposal, due.postponements < Self.postponementLimit else { return }
    proposal = Proposal(
      at: now + patience(participants: participants, random: &random),
      postponements: due.postponements + 1)
  }

  /// Returns the time to wait for another participant's secret before drawing one: hosts are first, and in a large party
  /// one is early.
  private func patience(participants: Int, random: inout RandomSource) -> Duration {
    let dice = Double.random(in: 0...1, using: &random)
    let extra = Duration.milliseconds(10) * participants
    switch rules.role(of: me) {
    case .host: return .milliseconds(1500) + .milliseconds(2) * participants
    case .coHost: return .seconds(2) + extra * dice
    case .guest: return .milliseconds(2500) + extra + (.milliseconds(500) + extra * 2) * dice
    }
  }

  private func shares(of entry: EpochSecrets.Entry, for recipients: [Recipient]) -> KeyShares {
    KeyShares(
      epoch: entry.secret.epoch, author: entry.author, proof: entry.proof,
      shares: recipients.compactMap { recipient in
        exchange.seal(
          entry.secret.bytes, recipient.publicKey, Self.context(entry.secret.epoch, recipient.id)
        ).map { KeyShares.Share(recipient: recipient.id, sealed: $0) }
      })
  }

  private static func context(_ epoch: KeyEpoch, _ recipient: Participant.ID) -> [UInt8] {
    epoch.rawValue.bigEndianBytes + recipient.bytes
  }
}
