import Concurrency
import Foundation
import Synchronization
import Timekeeping

/// A room with a roster that participants enter with an invite. It outlives any activity, as the FaceTime call does in
/// SharePlay.
public actor Party {
  /// The invite to this party. It contains the secret: show it to the user only.
  public nonisolated let invite: Invite
  /// The party's time, readable from anywhere.
  public nonisolated let clock = GroupClock()
  /// The total time that this machine had slept at the last check.
  var slept = HostTime.slept()
  /// The party's events, for one consumer. The buffer is bounded: a consumer that is thousands behind loses the oldest.
  public nonisolated let events: AsyncStream<PartyEvent>
  /// This participant's identifier.
  public nonisolated let localID: Participant.ID

  var machine: PartyMachine
  var host = MachineHost<PartyMachine>()
  let alarm = Alarm()
  let transport: any GroupTransport
  let keys: PartyKeys
  /// The number of unauthorized playback states that the playback coordinator received.
  package nonisolated let unauthorized = Atomic<Int>(0)
  let sealer: EnvelopeSealer
  nonisolated let inbox = PartyInbox()
  nonisolated let authorship: Authorship
  let eventContinuation: AsyncStream<PartyEvent>.Continuation
  nonisolated let relays = PartyRelays()
  var edges: Edges
  var stay = Stay.arriving
  /// The place where this party is, or will be, the current one; nil for a party that calls name.
  private(set) var currency: CurrentParty?

  var sessionFactories: [String: SessionFactory] = [:]
  /// The sessions that haven't ended and that a reader in this program waits for.
  var sessions: [GroupSessionID: any PartySession] = [:]
  var activationPreparer:
    (@Sendable (GroupActivityMetadata) async -> GroupActivityActivationResult)?
  /// The coordination handlers by session: one coordinator may begin before another has ended.
  var coordinationHandlers: [GroupSessionID: CoordinationHandler] = [:]
  var lanes = Lanes()
  /// The reported signs of programs of other versions.
  var foreignPrograms = ForeignPrograms()
  let milestones = Milestones()

  /// The intake of messages, over the transport and over this program's own relay.
  struct Edges: Sendable {
    /// The tasks that decrypt messages and sort them into the inbox, and the one that takes them from there.
    var work: [Task<Void, Never>] = []
    /// Sorts the messages that this program's own relay passes on.
    var bridgeSorter: MessageSorter
  }

  /// The instants for which this participant's program waits.
  struct Milestones: Sendable {
    /// Fulfilled when this participant has joined, or the party has ended before.
    let joined = OneShot<Bool>()
    /// Fulfilled when the others know that this participant leaves.
    let departure = OneShot<Void>()
  }

  /// The stay of this participant in the party, as its program knows it.
  enum Stay: Hashable, Sendable {
    case arriving, joined, over
  }

  var isClosed: Bool { stay == .over }

  // MARK: - Opening a party

  /// The basis of a new party: its creator's identity, and the secret and keys that admit others.
  public struct Founding: Sendable {
    /// The creator's identity. A program that keeps it can open the party again.
    public let identity: ParticipantIdentity
    /// The party's secret.
    public let secret: PartySecret
    /// The keys for the party's transport: ``PartyKeys/admission`` connects to the broker.
    public let keys: PartyKeys
    let isReopened: Bool

    /// The number of an opening at this moment, in milliseconds of the wall clock: greater than the number of each
    /// earlier opening, even if their log was lost.
    static var openingNumber: UInt64 {
      UInt64(max(1, min(Date().timeIntervalSince1970, 1e15)) * 1000)
    }

    /// Creates the basis of a new party, with a new identity and a new secret.
    public init() {
      identity = ParticipantIdentity()
      isReopened = false
      secret = PartySecret()
      keys = PartyKeys(secret: secret, party: identity.id)
    }

    /// Returns the basis of an existing party, for its creator to open it again.
    ///
    /// - Returns: nil if this isn't its creator's identity.
    public init?(reopening invite: Invite, as identity: ParticipantIdentity) {
      guard identity.id == invite.party else { return nil }
      self.identity = identity
      isReopened = true
      secret = invite.secret
      keys = PartyKeys(secret: secret, party: identity.id)
    }

    /// The party's id, which is its creator's.
    public var party: Participant.ID { identity.id }

    /// Returns the party's invite.
    ///
    /// - Parameter addresses: the addresses at which the broker may be found.
    public func invite(addresses: [Invite.Address]) -> Invite {
      Invite(addresses: addresses, party: identity.id, secret: secret)
    }
  }

  /// Opens a new party, of which this participant is the host.
  ///
  /// - Parameters:
  ///   - founding: the identity and the secret of the party, new or kept from the last stay.
  ///   - addresses: the addresses at which the broker may be found, for the invite; at least one.
  ///   - transport: a transport that isn't connected yet, admitted by `founding.keys.admission`.
  ///   - name: the name that the others see; cleaned of control characters.
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
  ///   - invite: the invite, which ``Invite/init(_:)`` parses.
  ///   - identity: the identity of an earlier stay, to return as the same participant, for example as the creator;
  ///     otherwise a new one.
  ///   - name: the name that the others see; cleaned of control characters.
  ///   - transport: a transport that isn't connected yet, admitted by the invite's ``PartyKeys/admission``.
  ///   - policyLog: ``policyLog`` of the last stay; nil for none.
  ///   - door: the door through which the participant's user comes in; nil for a program of its own.
  ///   - deadline: the longest time to wait for an answer from a member of the party.
  /// - Throws: ``PartyError/transport(_:)``, ``PartyError/nobodyHere``, ``PartyError/otherProtocol(_:)``,
  ///   ``PartyError/damagedPolicyLog``.
  public static func join(
    _ invite: Invite, as identity: ParticipantIdentity = ParticipantIdentity(), name: String,
    transport: any GroupTransport, policyLog: Data? = nil, door: Participant.Door? = nil,
    deadline: Duration = .seconds(10)
  ) async throws(PartyError) -> Party {
    let party = try Party(
      invite: invite, identity: identity, name: name, transport: transport, opens: false,
      policyLog: policyLog, door: door)
    try await party.open()
    guard await party.waitUntilJoined(deadline: deadline) else {
      let version = await party.foreignPrograms.version
      await party.close(.left)
      throw version.map { .otherProtocol($0) } ?? .nobodyHere
    }
    return party
  }

  private init(
    invite: Invite, identity: ParticipantIdentity, name: String, transport: any GroupTransport,
    opens: Bool, policyLog: Data?, opening: UInt64? = nil, door: Participant.Door? = nil
  ) throws(PartyError) {
    let authorship = Authorship.of(identity, party: invite.party)
    var log: PolicyLog?
    if let policyLog {
      log = PolicyLog(
        decoding: policyLog, creator: invite.party, authorship: authorship)
      guard log != nil else { throw .damagedPolicyLog }
    }
    self.authorship = authorship
    self.invite = invite
    self.transport = transport
    localID = identity.id
    keys = PartyKeys(secret: invite.secret, party: invite.party)
    sealer = EnvelopeSealer(party: invite.party, identity: identity, keys: keys)
    edges = Edges(bridgeSorter: MessageSorter(sealer: sealer))
    machine = PartyMachine(
      PartyMachine.Configuration(
        id: identity.id, epoch: .random(in: .min ... .max), party: invite.party,
        name: PartyText.name(name) ?? "Guest",
        opens: opens, authorship: authorship, exchange: .fresh(party: invite.party),
        policyLog: log,
        opening: opening, door: door))
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
    let sorting = Task { [inbox, sealer] in
      var sorter = MessageSorter(sealer: sealer)
      for await event in transportEvents {
        guard inbox.put(sorter.sort(event)) else { return }
      }
      inbox.finish(discarding: false)
    }
    let pump = Task { [weak self, inbox] in
      while let turn = await inbox.next() {
        guard let self else { return inbox.finish(discarding: true) }
        await self.handle(turn)
        // Swift has as many threads as the machine has cores: without this, a backlog of messages would keep sorting
        // and the rest of the program from them.
        await Task.yield()
      }
    }
    edges.work = [sorting, pump]
  }

  /// Waits until this participant has joined. Returns false at the deadline, or if the party ends before.
  func waitUntilJoined(deadline: Duration) async -> Bool {
    await milestones.joined.value(atMost: deadline) ?? false
  }

  /// Makes this party the current one as soon as it has admitted this participant, in place of another one, and keeps it
  /// until it is over for this participant. Then there is no current party, even if the program is in another one:
  /// an activity never reaches a party that the program didn't name.
  public func becomeCurrent() {
    guard !isClosed else { return }
    currency = .here
    if stay == .joined { CurrentParty.here.set(self) }
  }

  // MARK: - Participants

  /// This participant, as the others see it.
  public var localParticipant: Participant { machine.me }

  /// All participants: this one first, then the others, longest present first.
  public var participants: [Participant] { [machine.me] + machine.others }

  /// The number of participants in the party, this one included. In a party of some hundreds or more, ``participants``
  /// is a sample, and this number is an estimate.
  public var participantCount: Int { machine.participantCount }

  /// Returns whether another participant arrived in the party before this one.
  public func preceded(_ id: Participant.ID) -> Bool {
    guard let mine = machine.joinedAt, let theirs = machine.roster[id]?.arrivedAt else {
      return false
    }
    return theirs < mine
  }

  /// A Boolean value that indicates whether the connection to the broker is up. It is restored automatically
  /// after a loss.
  public var isConnected: Bool { machine.isConnected }

  /// The time of the next attempt to restore a lost connection; nil while it isn't lost, or while an attempt is under
  /// way.
  public nonisolated var nextAttempt: HostTime? { transport.nextAttempt }

  /// The number of messages that were discarded since the party was opened or joined, by reason.
  public var rejections: PartyRejections {
    var rejections = machine.misconduct.rejections
    rejections.unauthorized += unauthorized.load(ordering: .relaxed)
    rejections.unsealable += machine.policy.keys.unreadCount
    return rejections
  }

  // MARK: - Rules

  /// The party's rules: the permissions of its participants.
  public var rules: PartyRules { machine.rules }

  /// The rules with their history and its proofs, to be kept with the party's key. Pass it when the party is opened or
  /// joined again.
  public var policyLog: Data { machine.policyLog.encoded() }

  /// Changes the party's rules for all participants.
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
  }

  // MARK: - Chat and name

  /// Sends a chat message to all participants, reliably and in order.
  ///
  /// - Throws: ``PartyError/emptyMessage`` if nothing is left without control characters.
  public func sendChat(_ text: String) throws(PartyError) {
    guard let cleaned = PartyText.chat(text) else { throw .emptyMessage }
    guard machine.joinedAt != nil else { throw .notJoined }
    perform(machine.sendChat(cleaned))
  }

  /// Changes this participant's name, or takes the next free one like it (`Ana 2`). The others see it at once.
  ///
  /// - Throws: ``PartyError/emptyMessage`` if nothing is left without control characters.
  public func rename(_ name: String) throws(PartyError) {
    guard let cleaned = PartyText.name(name) else { throw .emptyMessage }
    perform(machine.rename(cleaned, at: .now()))
  }

  /// Leaves the party and announces it to the others. Waits for their answers, half a second at most.
  ///
  /// - Parameters:
  ///   - closesParty: true if the party can't continue without this participant, because its program is the relay, or
  ///     if the host ends the party. If this participant is the host, the party ends for the others at once
  ///     (``PartyEnd/closed(by:)``); if it is the party's creator, it ends as soon as the relay is gone.
  ///   - keepsRelay: true if the relay that this participant offers (``offerRelay(at:local:)``) continues without it.
  ///     The others still try it then, and newcomers find it. Ignored if the party closes.
  public func leave(closesParty: Bool = false, keepsRelay: Bool = false) async {
    guard !isClosed else { return }
    let isCompany = machine.participantCount > 1
    perform(machine.leave(closesParty: closesParty, keepsRelay: keepsRelay))
    for session in sessions.values { session.invalidate(.partyClosed) }
    for id in sessions.keys { endLanes(of: id) }
    // The participants of a large party don't answer, but the relay needs the time too.
    if !machine.departure.unconfirmed.isEmpty || closesParty && isCompany && machine.isConnected {
      await milestones.departure.value(atMost: .milliseconds(500))
    }
    await endLanes()
    await close(.left)
  }

  // MARK: - The end

  func close(_ end: PartyEnd) async {
    await transport.close()
    finish(end)
  }

  /// Ends the party from synchronous code, which can't wait for the transport.
  func end(_ end: PartyEnd) {
    let transport = transport
    finish(end)
    // Bounded by the transport; nothing is left here that could cancel it.
    Task { await transport.close() }
  }

  func finish(_ end: PartyEnd) {
    guard !isClosed else { return }
    stay = .over
    currency?.remove(self)
    alarm.perform(host.cancelAlarm()) { _ in }
    for task in edges.work { task.cancel() }
    inbox.finish(discarding: true)
    for id in sessions.keys { endSession(id, .partyClosed) }
    for factory in sessionFactories.values {
      for reader in factory.readers.values { reader.finish() }
    }
    sessionFactories = [:]
    clock.set(nil, slept: slept)
    milestones.joined.fulfil(false)
    milestones.departure.fulfil(())
    eventContinuation.yield(.closed(end))
    eventContinuation.finish()
    relays.finish()
  }
}
