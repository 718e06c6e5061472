import Foundation
import Synchronization
import Timekeeping

/// A room with a roster, found through an invite, that outlives any activity: what the FaceTime call
/// is to SharePlay.
public actor Party {
  public nonisolated let invite: Invite
  /// The party's time, readable from anywhere.
  public nonisolated let clock = GroupClock()
  /// How long this machine had slept when that was noticed last.
  var slept = HostTime.slept()
  /// For one consumer. Bounded: a consumer that is thousands behind loses the oldest.
  public nonisolated let events: AsyncStream<PartyEvent>
  public nonisolated let localID: Participant.ID

  var machine: PartyMachine
  let transport: any GroupTransport
  let keys: PartyKeys
  /// What the playback coordinator threw away.
  package nonisolated let unauthorized = Atomic<Int>(0)
  let sealer: EnvelopeSealer
  nonisolated let inbox = PartyInbox()
  nonisolated let authorship: Authorship
  let eventContinuation: AsyncStream<PartyEvent>.Continuation
  /// Decrypts what comes, and sorts it into the inbox.
  private var sorting: Task<Void, Never>?
  private var pump: Task<Void, Never>?
  var timer: Task<Void, Never>?
  var timerDeadline: HostTime?
  var hasJoined = false
  var isClosed = false

  var sessionFactories: [String: SessionFactory] = [:]
  /// Those that aren't over and that somebody here waits for.
  var sessions: [GroupSessionID: any AnyGroupSession] = [:]
  var activationPreparer:
    (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  /// By session, since one coordinator may begin before another has ended.
  var coordinationHandlers: [GroupSessionID: CoordinationHandler] = [:]
  var journals: [UUID: JournalLink] = [:]
  /// How many attachments this participant has ever added to a session.
  var journalSlots: [GroupSessionID: Int] = [:]
  /// The types and versions of messages that were reported as unknown.
  var unknownKinds: Set<String> = []
  static let unknownKindLimit = 16
  var waiters: [CheckedContinuation<Bool, Never>] = []

  // MARK: - Opening one

  /// What a new party is made of: who creates it and what lets others in.
  public struct Founding: Sendable {
    public let identity: ParticipantIdentity
    let secret: PartySecret
    public let keys: PartyKeys
    let isReopened: Bool

    /// The number of an opening now, by the wall clock: greater than that of each opening before, even if the log of
    /// those was lost.
    static var openingNumber: UInt64 {
      UInt64(max(1, min(Date().timeIntervalSince1970, 1e15)) * 1000)
    }

    public init() {
      identity = ParticipantIdentity()
      isReopened = false
      secret = PartySecret()
      keys = PartyKeys(secret: secret, party: identity.id)
    }

    /// The same party as before, by its creator.
    ///
    /// - Returns: nil if this isn't its creator's identity.
    public init?(reopening invite: Invite, as identity: ParticipantIdentity) {
      guard identity.id == invite.party else { return nil }
      self.identity = identity
      isReopened = true
      secret = invite.secret
      keys = PartyKeys(secret: secret, party: identity.id)
    }

    /// The party's id: the creator's.
    public var party: Participant.ID { identity.id }

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
  ///   - policyLog: ``policyLog`` of the last stay, for a party that is opened again: a removed participant stays
  ///     removed, and no earlier part of the log can replace it. Nil for a new party.
  /// - Throws: ``PartyError/transport(_:)``, ``PartyError/damagedPolicyLog``.
  public static func create(
    _ founding: Founding, addresses: [Invite.Address], name: String, transport: any GroupTransport,
    policyLog: Data? = nil
  ) async throws(PartyError) -> Party {
    let party = try Party(
      invite: founding.invite(addresses: addresses), identity: founding.identity, name: name,
      transport: transport, opens: true, policyLog: policyLog,
      opening: founding.isReopened ? Founding.openingNumber : nil)
    try await party.open()
    return party
  }

  /// Joins a party through its invite.
  ///
  /// - Parameters:
  ///   - identity: one that was kept to come back as the same participant, the creator for one; else a new one.
  ///   - transport: not yet connected; admitted by the invite's ``PartyKeys/admission``.
  ///   - policyLog: ``policyLog`` of the last stay; nil for none.
  ///   - deadline: how long to wait for a member of the party to answer.
  /// - Throws: ``PartyError/transport(_:)``, ``PartyError/nobodyHere``, ``PartyError/damagedPolicyLog``.
  public static func join(
    _ invite: Invite, as identity: ParticipantIdentity = ParticipantIdentity(), name: String,
    transport: any GroupTransport, policyLog: Data? = nil,
    deadline: Duration = .seconds(10)
  ) async throws(PartyError) -> Party {
    let party = try Party(
      invite: invite, identity: identity, name: name, transport: transport, opens: false,
      policyLog: policyLog)
    try await party.open()
    guard await party.waitUntilJoined(deadline: deadline) else {
      await party.close(.left)
      throw .nobodyHere
    }
    return party
  }

  private init(
    invite: Invite, identity: ParticipantIdentity, name: String, transport: any GroupTransport,
    opens: Bool, policyLog: Data?, opening: UInt64? = nil
  ) throws(PartyError) {
    let authorship = Authorship.of(identity, party: invite.party)
    var charter: PartyCharter?
    if let policyLog {
      charter = try PartyCharter(
        decoding: policyLog, creator: invite.party, authorship: authorship)
    }
    self.authorship = authorship
    self.invite = invite
    self.transport = transport
    localID = identity.id
    keys = PartyKeys(secret: invite.secret, party: invite.party)
    sealer = EnvelopeSealer(party: invite.party, identity: identity, keys: keys)
    machine = PartyMachine(
      PartyMachine.Configuration(
        id: identity.id, epoch: .random(in: .min ... .max), party: invite.party,
        name: PartyText.name(name) ?? "Guest",
        opens: opens, authorship: authorship, charter: charter,
        opening: opening))
    (events, eventContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4096))
  }

  func open() async throws(PartyError) {
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
    sorting = Task { [inbox, sealer] in
      var sorter = MessageSorter(sealer: sealer)
      for await event in transportEvents {
        guard inbox.put(sorter.sort(event)) else { return }
      }
      inbox.finish(discarding: false)
    }
    pump = Task { [weak self, inbox] in
      while let turn = await inbox.next() {
        guard let self else { return inbox.finish(discarding: true) }
        await self.handle(turn)
        // Swift's threads are as many as the cores: a backlog of messages would keep sorting, and the rest of the
        // program, from them.
        await Task.yield()
      }
    }
  }

  func waitUntilJoined(deadline: Duration) async -> Bool {
    if machine.joinedAt != nil { return true }
    return await wait(atMost: deadline)
  }

  /// For ``stopWaiting(_:)``: there is one thing at a time to wait for, first joining, at the end leaving.
  func wait(atMost deadline: Duration) async -> Bool {
    let alarm = Task { [weak self] in
      try? await Task.sleep(for: deadline, clock: .suspending)
      if !Task.isCancelled { await self?.stopWaiting(false) }
    }
    defer { alarm.cancel() }
    return await withCheckedContinuation { waiters.append($0) }
  }

  func stopWaiting(_ hasHappened: Bool) {
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.resume(returning: hasHappened) }
  }

  // MARK: - Who is here

  /// This participant, as the others see it.
  public var localParticipant: Participant { machine.me }

  /// Everybody, this participant first, then the others, longest present first.
  public var participants: [Participant] { [machine.me] + machine.others }

  /// How many are in the party, this participant included. Of some hundreds and more ``participants`` is a
  /// sample, and this an estimate.
  public var participantCount: Int { machine.participantCount }

  /// Returns whether another participant came to the party before this one.
  public func preceded(_ id: Participant.ID) -> Bool {
    guard let mine = machine.joinedAt, let theirs = machine.peers[id]?.arrivedAt else {
      return false
    }
    return theirs < mine
  }

  public var isConnected: Bool { machine.isConnected }

  /// When the lost connection is tried again; nil while it isn't lost, or while an attempt is under way.
  public nonisolated var nextAttempt: HostTime? { transport.nextAttempt }

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

  /// The rules with their history and its proofs, to be kept with the party's key: pass it on when the party is opened
  /// or joined again.
  public var policyLog: Data { machine.charter.encoded() }

  /// Changes the party's rules for everybody.
  ///
  /// - Throws: ``PartyError/notPermitted`` if this participant's role doesn't allow it, ``PartyError/rulesExhausted``
  ///   if the log of changes is full: for a co-host after twenty changes, for a host that isn't the creator after forty
  ///   at least.
  public func amend(_ amendment: PartyAmendment) throws(PartyError) {
    guard machine.joinedAt != nil else { throw .notJoined }
    guard let actions = machine.amend(amendment.withinLimits, at: .now()) else {
      throw machine.rules.permit(amendment, by: localID) ? .rulesExhausted : .notPermitted
    }
    perform(actions)
    // What was agreed on under the old rules is this participant's word from now on: a newcomer doesn't
    // take it from somebody who may no longer control.
    for session in machine.sessions.current {
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

  /// Leaves the party and announces it to the others, for whose answers it waits half a second at most.
  ///
  /// - Parameter closesParty: true when the party can't continue without this participant, because its program is the
  ///   relay, or when the host ends the party. For the others it is over at once (``PartyEnd/closed(by:)``), if this
  ///   participant is the host; if it is the party's creator, as soon as the relay is gone.
  public func leave(closesParty: Bool = false) async {
    guard !isClosed else { return }
    let isCompany = machine.participantCount > 1
    perform(machine.leave(closesParty: closesParty))
    for session in sessions.values { session.invalidate(.partyClosed) }
    // A large party doesn't answer, but the relay needs the time too.
    if !machine.farewells.isEmpty || closesParty && isCompany && machine.isConnected {
      _ = await wait(atMost: .milliseconds(500))
    }
    await endJournals()
    await close(.left)
  }

  // MARK: - The end

  func close(_ end: PartyEnd) async {
    await transport.close()
    finish(end)
  }

  /// Ends it from within, where nobody can wait.
  func end(_ end: PartyEnd) {
    let transport = transport
    finish(end)
    // Bounded by the transport; there is nothing left here to cancel it.
    Task { await transport.close() }
  }

  func finish(_ end: PartyEnd) {
    guard !isClosed else { return }
    isClosed = true
    if hasJoined { GroupStateObserver.partyEnded() }
    timer?.cancel()
    sorting?.cancel()
    pump?.cancel()
    inbox.finish(discarding: true)
    for session in sessions.values { session.invalidate(.partyClosed) }
    sessions = [:]
    for factory in sessionFactories.values {
      for reader in factory.readers.values { reader.finish() }
    }
    sessionFactories = [:]
    clock.set(nil, slept: slept)
    stopWaiting(false)
    eventContinuation.yield(.closed(end))
    eventContinuation.finish()
  }
}
