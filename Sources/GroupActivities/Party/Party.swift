import Foundation
import Synchronization
import Timekeeping

/// A room with a roster, found through an invite, that outlives any activity: what the FaceTime call
/// is to SharePlay.
public actor Party {
  public nonisolated let invite: Invite
  /// The party's time, readable from anywhere.
  public nonisolated let clock = GroupClock()
  /// For one consumer. Bounded: a consumer that is thousands behind loses the oldest.
  public nonisolated let events: AsyncStream<PartyEvent>
  public nonisolated let localID: Participant.ID

  private var machine: PartyMachine
  private let transport: any GroupTransport
  private let keys: PartyKeys
  /// What the playback coordinator threw away.
  package nonisolated let unauthorized = Atomic<Int>(0)
  private let sealer: EnvelopeSealer
  private nonisolated let authorship: Authorship
  private let eventContinuation: AsyncStream<PartyEvent>.Continuation
  private var pump: Task<Void, Never>?
  private var timer: Task<Void, Never>?
  private var timerDeadline: HostTime?
  private var hasJoined = false
  private var isClosed = false

  private var sessionFactories: [String: SessionFactory] = [:]
  private var currentSession: (any AnyGroupSession)?
  private var activationPreparer:
    (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  /// By session, since one coordinator may begin before another has ended.
  private var coordinationHandlers: [GroupSessionID: CoordinationHandler] = [:]
  /// The types and versions of messages that were reported as unknown.
  private var unknownKinds: Set<String> = []
  private static let unknownKindLimit = 16
  private var waiters: [CheckedContinuation<Bool, Never>] = []

  // MARK: - Opening one

  /// What a new party is made of: who creates it and what lets others in.
  public struct Founding: Sendable {
    let identity: ParticipantIdentity
    let secret: PartySecret
    public let keys: PartyKeys

    public init() {
      identity = ParticipantIdentity()
      secret = PartySecret()
      keys = PartyKeys(secret: secret, party: identity.id)
    }

    /// - Parameter addresses: where the broker may be found.
    public func invite(addresses: [Invite.Address]) -> Invite {
      Invite(addresses: addresses, party: identity.id, secret: secret)
    }
  }

  /// Opens a new party, of which this participant is the host.
  ///
  /// - Parameters:
  ///   - transport: not yet connected; admitted by `founding.keys.admission`.
  ///   - name: what the others see; cleaned of control characters.
  public static func create(
    _ founding: Founding, addresses: [Invite.Address], name: String, transport: any GroupTransport
  ) async throws(PartyError) -> Party {
    let party = Party(
      invite: founding.invite(addresses: addresses), identity: founding.identity, name: name,
      transport: transport)
    try await party.open()
    return party
  }

  /// Joins a party through its invite.
  ///
  /// - Parameters:
  ///   - transport: not yet connected; admitted by the invite's ``PartyKeys/admission``.
  ///   - deadline: how long to wait for a member of the party to answer.
  /// - Throws: ``PartyError/transport(_:)``, ``PartyError/nobodyHere``.
  public static func join(
    _ invite: Invite, name: String, transport: any GroupTransport,
    deadline: Duration = .seconds(10)
  ) async throws(PartyError) -> Party {
    let party = Party(
      invite: invite, identity: ParticipantIdentity(), name: name, transport: transport)
    try await party.open()
    guard await party.waitUntilJoined(deadline: deadline) else {
      await party.close(.left)
      throw .nobodyHere
    }
    return party
  }

  private init(
    invite: Invite, identity: ParticipantIdentity, name: String, transport: any GroupTransport
  ) {
    self.invite = invite
    self.transport = transport
    localID = identity.id
    keys = PartyKeys(secret: invite.secret, party: invite.party)
    sealer = EnvelopeSealer(party: invite.party, identity: identity, keys: keys)
    authorship = .of(identity, party: invite.party)
    machine = PartyMachine(
      PartyMachine.Configuration(
        id: identity.id, epoch: .random(in: .min ... .max), party: invite.party,
        name: PartyText.name(name) ?? "Guest",
        authorship: authorship))
    (events, eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
  }

  private func open() async throws(PartyError) {
    do {
      try await transport.connect()
      try await transport.subscribe(to: keys.subjects.everyone)
      try await transport.subscribe(to: keys.subjects.only(localID))
    } catch {
      await transport.close()
      throw .transport(error)
    }
    perform(machine.connected(at: .now()))
    let transportEvents = transport.events
    pump = Task { [weak self] in
      for await event in transportEvents {
        guard let self else { return }
        await self.handle(event)
      }
    }
  }

  private func waitUntilJoined(deadline: Duration) async -> Bool {
    if machine.joinedAt != nil { return true }
    return await wait(atMost: deadline)
  }

  /// For ``stopWaiting(_:)``: there is one thing at a time to wait for, first joining, at the end leaving.
  private func wait(atMost deadline: Duration) async -> Bool {
    let alarm = Task { [weak self] in
      try? await Task.sleep(for: deadline, clock: .suspending)
      if !Task.isCancelled { await self?.stopWaiting(false) }
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { waiters.append($0) }
  }

  private func stopWaiting(_ hasHappened: Bool) {
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.resume(returning: hasHappened) }
  }

  // MARK: - Who is here

  /// This participant, as the others see it.
  public var localParticipant: Participant { machine.me }

  /// Everybody, this participant first, then the others, longest present first.
  public var participants: [Participant] { [machine.me] + machine.others }

  public var isConnected: Bool { machine.isConnected }

  public var rejections: PartyRejections {
    var rejections = machine.rejections
    rejections.unauthorized += unauthorized.load(ordering: .relaxed)
    return rejections
  }

  /// How sure another participant is of the party's time.
  public func clockQuality(of id: Participant.ID) -> (uncertainty: Duration, roundTrip: Duration)? {
    machine.peerClock(id)
  }

  // MARK: - Rules

  /// Who may do what.
  public var rules: PartyRules { machine.rules }

  /// Changes the party's rules for everybody.
  ///
  /// - Throws: ``PartyError/notPermitted`` if this participant's role doesn't allow it, or if the rules were
  ///   changed a hundred times already.
  public func amend(_ amendment: PartyAmendment) throws(PartyError) {
    guard machine.joinedAt != nil else { throw .notJoined }
    guard let actions = machine.amend(amendment, at: .now()) else { throw .notPermitted }
    perform(actions)
    // What was agreed on under the old rules is this participant's word from now on: a newcomer doesn't
    // take it from somebody who may no longer control.
    if let session = machine.session, !session.ended {
      perform(machine.changeSession(session.id, at: .now()) { _ in } ?? [])
    }
  }

  // MARK: - Talking

  /// Says something to everybody, reliably and in order.
  ///
  /// - Throws: ``PartyError/emptyMessage`` when nothing is left after control characters went.
  public func sendChat(_ text: String) throws(PartyError) {
    guard let cleaned = PartyText.chat(text) else { throw .emptyMessage }
    guard machine.joinedAt != nil else { throw .notJoined }
    perform(machine.sendChat(cleaned))
  }

  /// Takes another name, or the next free one like it (`Ana 2`); the others see it at once.
  ///
  /// - Throws: ``PartyError/emptyMessage`` when nothing is left after control characters went.
  public func rename(_ name: String) throws(PartyError) {
    guard let cleaned = PartyText.name(name) else { throw .emptyMessage }
    perform(machine.rename(cleaned, at: .now()))
  }

  /// Goes, and tells the others, for whose answers it waits half a second at most. The party goes on
  /// without this participant.
  public func leave() async {
    guard !isClosed else { return }
    perform(machine.leave())
    currentSession?.invalidate(.partyClosed)
    if !machine.farewells.isEmpty { _ = await wait(atMost: .milliseconds(500)) }
    await close(.left)
  }

  // MARK: - Sessions

  func activate<A: GroupActivity>(
    _ activity: A, lifetimePolicy: GroupActivityMetadata.LifetimePolicy
  ) throws(PartyError) {
    let data = try encode(activity)
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard
      let actions = machine.activate(
        identifier: A.activityIdentifier, activity: data,
        endsWithInitiator: lifetimePolicy == .endsWhenInitiatorLeaves, at: .now())
    else { throw .notJoined }
    perform(actions)
  }

  /// Whom ``GroupActivity/prepareForActivation(in:)`` asks: a dialog of the program's, say.
  public func setActivationPreparer(
    _ preparer: (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  ) {
    activationPreparer = preparer
  }

  func prepareForActivation(
    of metadata: GroupActivityMetadata
  ) async -> GroupActivityActivationResult {
    await activationPreparer?(metadata) ?? .activationPreferred
  }

  var isJoined: Bool { !isClosed && machine.joinedAt != nil }

  func sessions<A: GroupActivity>(of type: A.Type) -> AsyncStream<GroupSession<A>> {
    let (stream, continuation) = AsyncStream.makeStream(of: GroupSession<A>.self)
    if isClosed {
      continuation.finish()
      return stream
    }
    var factory =
      sessionFactories[A.activityIdentifier]
      ?? SessionFactory { register, party in
        guard let activity = try? decodeActivity(A.self, from: register) else { return nil }
        return GroupSession<A>(
          id: register.id, initiator: register.initiator, activity: activity, party: party)
      }
    factory.deliver.append { session in
      if let session = session as? GroupSession<A> { continuation.yield(session) }
    }
    factory.finish.append { continuation.finish() }
    sessionFactories[A.activityIdentifier] = factory
    if let currentSession {
      if let session = currentSession as? GroupSession<A> { continuation.yield(session) }
    } else if let register = machine.session, !register.ended, machine.joinedAt != nil {
      makeSession(register)
    }
    return stream
  }

  func join(sessionID: GroupSessionID) {
    guard currentSession?.id == sessionID else { return }
    currentSession?.didJoin()
    perform(machine.joinSession(sessionID, at: .now()))
  }

  func leave(sessionID: GroupSessionID) {
    guard currentSession?.id == sessionID else { return }
    currentSession?.invalidate(.left)
    currentSession = nil
    perform(machine.joinSession(nil, at: .now()))
  }

  func end(sessionID: GroupSessionID) throws(PartyError) {
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard let actions = machine.changeSession(sessionID, at: .now(), { $0.ended = true }) else {
      throw .sessionOver
    }
    perform(actions)
  }

  func change<A: GroupActivity>(sessionID: GroupSessionID, to activity: A) throws(PartyError) {
    let data = try encode(activity)
    guard machine.rules.mayControl(localID) else { throw .notPermitted }
    guard let actions = machine.changeSession(sessionID, at: .now(), { $0.activity = data }) else {
      throw .sessionOver
    }
    perform(actions)
  }

  private func encode(_ activity: some GroupActivity) throws(PartyError) -> Data {
    let data: Data
    do {
      data = try JSONEncoder().encode(activity)
    } catch {
      preconditionFailure("the activity can't be encoded: \(error)")
    }
    guard data.count <= SessionRegister.activityLimit else {
      throw .tooLarge(bytes: data.count, limit: SessionRegister.activityLimit)
    }
    return data
  }

  private func makeSession(_ register: SessionRegister) {
    guard let factory = sessionFactories[register.activityIdentifier],
      let session = factory.make(register, self)
    else { return }
    currentSession = session
    session.update(participants: machine.sessionMembers)
    for deliver in factory.deliver { deliver(session) }
  }

  private func sessionChanged(_ register: SessionRegister, by: Participant.ID) {
    if let current = currentSession, current.id == register.id {
      if register.ended {
        current.invalidate(.ended(by: by))
        currentSession = nil
      } else {
        current.update(register)
      }
    } else if !register.ended {
      currentSession?.invalidate(.replaced(by: by))
      currentSession = nil
      makeSession(register)
    }
    eventContinuation.yield(register.ended ? .sessionEnded(by: by) : .activityChanged(by: by))
  }

  // MARK: - Messages of sessions

  func send(
    _ data: Data, named name: MessageName, session: GroupSessionID, to participants: Participants,
    deliveryMode: GroupSessionMessenger.DeliveryMode
  ) throws(PartyError) {
    guard currentSession?.id == session else { throw .sessionOver }
    guard machine.joinedSession == session else { throw .notJoined }
    guard data.count <= AppMessage.sizeLimit else {
      throw .tooLarge(bytes: data.count, limit: AppMessage.sizeLimit)
    }
    precondition(
      (1...AppMessage.typeLimit).contains(name.text.utf8.count), "a message type named \(name.text)"
    )
    var recipients: [Participant.ID]?
    if case .only(let some) = participants { recipients = some.map(\.id).sorted() }
    let message = AppMessage(
      session: session, type: name.text, version: name.version, data: data, recipients: recipients)
    guard
      let actions = machine.send(message, isLoose: deliveryMode == .unreliable, at: .now())
    else { throw .tooManyMessages }
    perform(actions)
  }

  private func deliver(_ message: AppMessage, from sender: Participant.ID) {
    guard let session = currentSession, session.id == message.session,
      let source = machine.others.first(where: { $0.id == sender })
    else { return }
    if message.type == MessageName.notice.text {
      if let notice = GroupSessionEvent(decoding: message.data, from: source) {
        eventContinuation.yield(.notice(notice))
      }
      return
    }
    let isTaken = session.mailbox.deliver(
      message.data, type: message.type, version: message.version, from: source)
    guard !isTaken else { return }
    eventContinuation.yield(
      .skippedMessage(
        type: PartyText.clean(message.type, limit: AppMessage.typeLimit),
        version: message.version, from: source))
  }

  func requestForeground() { eventContinuation.yield(.foregroundRequested) }

  // MARK: - For the playback coordinator

  /// What another participant's coordinator said.
  package struct CoordinationUpdate: Sendable {
    package var sender: Participant.ID
    package var session: GroupSessionID
    package var data: Data
    /// Its round trip to the clock's reference, as it says; nil while it doesn't know.
    package var roundTrip: Duration?
  }

  /// What each of the others' coordinators said last about a session.
  private func coordinationReports(session: GroupSessionID) -> [CoordinationUpdate] {
    machine.peers.values.compactMap { peer in
      guard peer.isPresent, let report = peer.coordination, report.session == session else {
        return nil
      }
      return update(report, from: peer.id)
    }
  }

  private func update(
    _ report: CoordinationReport, from sender: Participant.ID
  ) -> CoordinationUpdate {
    CoordinationUpdate(
      sender: sender, session: report.session, data: report.data,
      roundTrip: machine.peerClock(sender)?.roundTrip)
  }

  package func setCoordination(_ data: Data, session: GroupSessionID, announce: Bool) {
    perform(
      machine.setCoordination(CoordinationReport(session: session, data: data), announce: announce))
  }

  /// Signs what this participant writes into the group's state.
  package nonisolated func proof(of bytes: [UInt8]) -> Data {
    let proof = authorship.sign(bytes)
    return proof.publicKey + proof.signature
  }

  /// Whether `author` wrote this.
  package nonisolated func isProven(
    _ bytes: [UInt8], by author: Participant.ID, _ proof: Data
  ) -> Bool {
    guard proof.count == 96 else { return false }
    return authorship.isValid(
      Proof(publicKey: Data(proof.prefix(32)), signature: Data(proof.suffix(64))), bytes, author)
  }

  /// What a playback coordinator wants to hear of.
  package struct CoordinationHandler: Sendable {
    package var updated: @Sendable (CoordinationUpdate) -> Void
    package var rulesChanged: @Sendable (PartyRules) -> Void

    package init(
      updated: @escaping @Sendable (CoordinationUpdate) -> Void,
      rulesChanged: @escaping @Sendable (PartyRules) -> Void
    ) {
      self.updated = updated
      self.rulesChanged = rulesChanged
    }
  }

  /// - Returns: what is known now; the handler is told of everything that comes after.
  package func beginCoordination(
    session: GroupSessionID, handler: CoordinationHandler
  ) -> (rules: PartyRules, updates: [CoordinationUpdate]) {
    coordinationHandlers[session] = handler
    return (machine.rules, coordinationReports(session: session))
  }

  package func endCoordination(session: GroupSessionID) { coordinationHandlers[session] = nil }

  // MARK: - The shell

  private func handle(_ event: TransportEvent) {
    switch event {
    case .connected(let server):
      if !machine.isConnected { perform(machine.connected(at: .now())) }
      eventContinuation.yield(.connected(server: server))
    case .disconnected(let reason):
      machine.disconnected()
      schedule()
      eventContinuation.yield(.disconnected(reason: reason))
    case .received(let message):
      receive(message)
    case .warning(let text):
      eventContinuation.yield(.warning(text))
    case .closed(let error):
      machine.disconnected()
      finish(.transport(error))
    }
  }

  private func receive(_ message: TransportMessage) {
    let envelope: Envelope
    do {
      envelope = try sealer.open(message.payload, from: message.subject)
    } catch {
      machine.rejections.count(error)
      return
    }
    do {
      let wire = try WireMessage(decoding: envelope.payload)
      perform(
        machine.received(
          InboundMessage(
            sender: envelope.sender, epoch: envelope.epoch, delivery: envelope.delivery,
            sequence: envelope.sequence, message: wire, receivedAt: message.receivedAt),
          at: .now()))
    } catch {
      switch error {
      case .malformed: machine.rejections.invalid += 1
      case .unknown(let type, let version):
        machine.rejections.unknown += 1
        // Once each, and only so many: a flood of them would crowd out what people say.
        let kind = "\(PartyText.clean(type, limit: 32)) \(version)"
        guard unknownKinds.count < Self.unknownKindLimit, unknownKinds.insert(kind).inserted else {
          return
        }
        eventContinuation.yield(
          .warning("skipped a message of type \(kind), which this version doesn't know"))
      }
    }
  }

  private func perform(_ actions: [PartyAction]) {
    for action in actions {
      switch action {
      case .send(let message, let delivery, let sequence, let recipient):
        send(message, delivery, sequence, to: recipient)
      case .report(let event):
        report(event)
      }
    }
    clock.set(machine.clockReading(at: .now()))
    schedule()
  }

  private func send(
    _ message: WireMessage, _ delivery: Envelope.Delivery, _ sequence: UInt64,
    to recipient: PartyAction.Recipient
  ) {
    let subject =
      switch recipient {
      case .everyone: keys.subjects.everyone
      case .only(let id): keys.subjects.only(id)
      }
    let sealed = sealer.seal(
      Envelope(
        sender: localID, epoch: machine.configuration.epoch, delivery: delivery, sequence: sequence,
        payload: message.encoded()),
      for: subject)
    do {
      try transport.publish(sealed, to: subject)
    } catch {
      // Events are repaired, beacons repeated, probes tried again: nothing rests on one message.
      switch error.kind {
      case .notConnected, .closed: break
      case .unreachable, .refused, .payloadTooLarge, .slow, .invalidSubject:
        eventContinuation.yield(.warning("a message couldn't be sent: \(error)"))
      }
    }
  }

  private func report(_ event: PartyMachineEvent) {
    switch event {
    case .joined(let me):
      hasJoined = true
      GroupStateObserver.partyBegan()
      eventContinuation.yield(.joined(me))
      stopWaiting(true)
    case .participantJoined(let participant):
      eventContinuation.yield(.participantJoined(participant))
    case .participantLeft(let participant, let announced):
      eventContinuation.yield(.participantLeft(participant, announced: announced))
    case .renamed(let participant, let old):
      eventContinuation.yield(.renamed(participant, from: old))
      currentSession?.update(participants: machine.sessionMembers)
    case .chat(let participant, let text):
      eventContinuation.yield(.chat(participant, text))
    case .sessionChanged(let register, let by):
      sessionChanged(register, by: by)
    case .sessionMembersChanged:
      currentSession?.update(participants: machine.sessionMembers)
    case .coordination(let sender, let report):
      coordinationHandlers[report.session]?.updated(update(report, from: sender))
    case .app(let sender, let message): deliver(message, from: sender)
    case .eventsMissing(let id, let count):
      eventContinuation.yield(.eventsMissing(from: id, count: count))
    case .leaveKnown: stopWaiting(true)
    case .rulesChanged(let rules, let old, let by):
      eventContinuation.yield(.rulesChanged(rules, from: old, by: by))
      for handler in coordinationHandlers.values { handler.rulesChanged(rules) }
      currentSession?.update(participants: machine.sessionMembers)
    case .removed(let by): end(.removed(by: by))
    case .hostLeft: end(.hostLeft)
    case .clockChanged:
      break  // Published after each batch of actions.
    }
  }

  private func schedule() {
    guard !isClosed, let deadline = machine.nextDeadline else {
      timer?.cancel()
      timer = nil
      timerDeadline = nil
      return
    }
    // An earlier alarm than needed is harmless and saves making a new one for each message.
    if let timerDeadline, timer != nil, timerDeadline <= deadline { return }
    timer?.cancel()
    timerDeadline = deadline
    timer = Task { [weak self] in
      let delay = max(.zero, deadline - .now())
      try? await Task.sleep(for: delay, clock: .suspending)
      if !Task.isCancelled { await self?.timerFired() }
    }
  }

  private func timerFired() {
    timer = nil
    timerDeadline = nil
    perform(machine.timerFired(at: .now()))
  }

  private func close(_ end: PartyEnd) async {
    await transport.close()
    finish(end)
  }

  /// Ends it from within, where nobody can wait.
  private func end(_ end: PartyEnd) {
    let transport = transport
    finish(end)
    // Bounded by the transport; there is nothing left here to cancel it.
    Task { await transport.close() }
  }

  private func finish(_ end: PartyEnd) {
    guard !isClosed else { return }
    isClosed = true
    if hasJoined { GroupStateObserver.partyEnded() }
    timer?.cancel()
    pump?.cancel()
    currentSession?.invalidate(.partyClosed)
    currentSession = nil
    for factory in sessionFactories.values {
      for finish in factory.finish { finish() }
    }
    sessionFactories = [:]
    clock.set(nil)
    stopWaiting(false)
    eventContinuation.yield(.closed(end))
    eventContinuation.finish()
  }
}

/// Makes sessions of one kind of activity and hands them to those who wait for them.
private struct SessionFactory {
  var make: @Sendable (SessionRegister, Party) -> (any AnyGroupSession)?
  var deliver: [@Sendable (any AnyGroupSession) -> Void] = []
  var finish: [@Sendable () -> Void] = []

  init(make: @escaping @Sendable (SessionRegister, Party) -> (any AnyGroupSession)?) {
    self.make = make
  }
}

func decodeActivity<A: GroupActivity>(_ type: A.Type, from register: SessionRegister) throws -> A {
  try JSONDecoder().decode(A.self, from: register.activity)
}
