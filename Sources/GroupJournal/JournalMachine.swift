import Concurrency
import Crypto
import Foundation
import GroupActivities
import OrderedCollections
import Timekeeping

/// One participant's part of a session's journal: its entries, the known holders, and the next requests. It
/// makes decisions only: it has no files, no clock, and no randomness of its own.
struct JournalMachine: HostedMachine, Sendable {
  struct Configuration: Sendable {
    var id: Participant.ID
    var authorship = AttachmentAuthorship.trusting
    var timing = JournalTiming()
    var random = RandomSource.system
  }

  let configuration: Configuration
  var book: JournalBook
  private(set) var isConnected = true
  /// The participants in the session, ordered by time in the party, longest first. Includes this participant
  /// once it has joined.
  private(set) var seniors: [Participant.ID] = []
  var holders: OrderedDictionary<Participant.ID, HolderRecord> = [:]
  /// The attachments that are complete here.
  var held: Set<UUID> = []
  /// The attachments that are incomplete or in transfer.
  var downloads: OrderedDictionary<UUID, Download> = [:]
  /// The attachments that could not be stored. Only the user's request starts their transfer again.
  var unstorable: Set<UUID> = []
  var serving: ServingQueue

  var summaryAt: HostTime?
  /// The query whose answer is pending.
  var query: PendingQuery?
  var nextQueryAt: HostTime
  /// The participants to ask for entries after joining or reconnecting. Usually the first one answers.
  var toAsk: [Participant.ID] = []
  /// A Boolean value that indicates whether a participant has answered since then.
  var isIntroduced = false
  var random: RandomSource
  /// The number of discarded messages: malformed, over a limit, or untrue.
  var refused = 0

  struct PendingQuery: Hashable, Sendable {
    var peer: Participant.ID
    var nonce: UInt64
    var deadline: HostTime
  }

  init(_ configuration: Configuration, at now: HostTime) {
    self.configuration = configuration
    book = JournalBook(authorship: configuration.authorship)
    serving = ServingQueue(timing: configuration.timing, at: now)
    nextQueryAt = now
    random = configuration.random
  }

  var timing: JournalTiming { configuration.timing }
  var isMember: Bool { seniors.contains(configuration.id) }
  /// A Boolean value that indicates whether messages can be sent.
  var isActive: Bool { isConnected && isMember }

  /// The time of the next call of ``timerFired(at:)``.
  var nextDeadline: HostTime? {
    guard isActive else { return nil }
    var next = summaryAt
    next.bringForward(to: query?.deadline)
    next.bringForward(to: serving.dueAt)
    if query == nil, !toAsk.isEmpty { next.bringForward(to: nextQueryAt) }
    for download in downloads.values {
      for request in download.outstanding.values { next.bringForward(to: request.timeout) }
      guard download.isWanted else { continue }
      next.bringForward(to: download.eagerAt)
      let since = [
        download.demands > 0 ? download.unavailableSince : nil,
        download.readers.isEmpty ? nil : download.blockedSince,
      ]
      for since in since { next.bringForward(to: since.map { $0 + timing.unavailableAfter }) }
    }
    if downloads.values.contains(where: \.isWanted) {
      for holder in holders.values { next.bringForward(to: holder.retryAt) }
    }
    return next
  }

  // MARK: - The link and the members

  mutating func connected(at now: HostTime) -> [JournalAction] {
    isConnected = true
    for id in holders.keys { holders[id]?.linkReturned() }
    return arrive(at: now)
  }

  /// Cancels all requests when the link is down. They are sent again when it returns; arrived pieces stay.
  mutating func disconnected() {
    isConnected = false
    query = nil
    serving.removeAll()
    for id in downloads.keys {
      downloads[id]?.outstanding = [:]
      downloads[id]?.unavailableSince = nil
      downloads[id]?.blockedSince = nil
    }
    for id in holders.keys { holders[id]?.linkReturned() }
  }

  /// - Parameter seniors: the participants that have joined the session, longest in the party first.
  mutating func membersChanged(
    _ seniors: [Participant.ID], at now: HostTime
  ) -> [JournalAction] {
    let wasMember = isMember
    self.seniors = seniors
    let others = Set(seniors).subtracting([configuration.id])
    for id in holders.keys where !others.contains(id) {
      holders[id] = nil
      serving.forget(id)
      toAsk.removeAll { $0 == id }
      if query?.peer == id { query = nil }
      for download in downloads.keys { takeBack(download) { $0.holder == id } }
    }
    for id in seniors where others.contains(id) && holders[id] == nil {
      holders[id] = HolderRecord(timing: timing, at: now)
      if wasMember, !isIntroduced { toAsk.append(id) }
    }
    guard isMember else {
      summaryAt = nil
      return []
    }
    return (wasMember ? [] : arrive(at: now)) + reconsider(at: now) + ask(at: now) + pump(at: now)
  }

  /// Begins synchronization after joining or reconnecting: asks a participant for its entries and announces
  /// ours.
  private mutating func arrive(at now: HostTime) -> [JournalAction] {
    guard isActive else { return [] }
    query = nil
    isIntroduced = false
    toAsk = seniors.filter { $0 != configuration.id }
    nextQueryAt = now
    return ask(at: now) + (book.isEmpty ? [] : [summarize(to: .everyone, at: now)])
      + pump(at: now)
  }

  // MARK: - The user's actions

  /// Adds an attachment that is complete here.
  ///
  /// - Parameter slot: a slot that was never used in this session.
  /// - Returns: nil if the journal is full.
  mutating func add(
    _ body: JournalBody, slot: Int, at now: HostTime
  ) -> (id: UUID, actions: [JournalAction])? {
    let bytes = Data(body.binary)
    let bodyHash = Data(SHA256.hash(data: bytes))
    let record = JournalRecord(
      author: configuration.id, slot: slot, bodyHash: bodyHash,
      proof: configuration.authorship.sign(
        JournalRecord.statement(author: configuration.id, slot: slot, bodyHash: bodyHash)),
      body: bytes)
    guard case .added(let id) = book.merge(record) else { return nil }
    held.insert(id)
    return (id, [.changed] + announce(record, at: now))
  }

  /// Removes an attachment for every participant. It may be removed already.
  mutating func remove(_ id: UUID, at now: HostTime) -> [JournalAction] {
    guard case .removed = book.remove(id), let record = book.record(id) else { return [] }
    return [.changed] + drop(id) + announce(record, at: now)
  }

  /// Registers a local caller that waits for an attachment. The caller calls ``demandEnded(_:)`` when it no
  /// longer waits.
  mutating func demand(_ id: UUID, at now: HostTime) -> [JournalAction] {
    guard !held.contains(id), let entry = book.entry(id) else { return [] }
    unstorable.remove(id)
    let begin = begin(entry, isEager: false)
    downloads[id]?.demands += 1
    return begin + pump(at: now)
  }

  mutating func demandEnded(_ id: UUID) -> [JournalAction] {
    guard let demands = downloads[id]?.demands, demands > 0 else { return [] }
    downloads[id]?.demands = demands - 1
    downloads[id]?.unavailableSince = nil
    return rest(id)
  }

  /// Gives up an attachment that could not be stored, for example on a full disk.
  mutating func storageFailed(_ id: UUID) {
    takeBack(id) { _ in true }
    downloads[id] = nil
    held.remove(id)
    unstorable.insert(id)
  }

  /// Handles an attachment of this participant whose file is missing or has changed.
  mutating func lost(_ id: UUID, at now: HostTime) -> [JournalAction] {
    held.remove(id)
    return reconsider(at: now)
  }

  // MARK: - Messages of other participants

  mutating func received(
    _ data: Data, from sender: Participant.ID, at now: HostTime
  ) -> [JournalAction] {
    guard isActive, sender != configuration.id, holders[sender] != nil else { return [] }
    // The sender's allowance is charged before the message is decoded, since decoding costs time.
    let isAffordable =
      switch JournalMessage.kind(of: data) {
      case .query, .records, .summary, .holding:
        holders[sender]?.controlAllowance.spend(at: now) ?? false
      case .request: holders[sender]?.requestAllowance.spend(at: now) ?? false
      case .piece, .shared: true
      case nil: false
      }
    guard isAffordable, let message = JournalMessage(decoding: data) else {
      refused += 1
      return []
    }
    switch message {
    case .query(let query): return answer(query, from: sender, at: now)
    case .records(let records): return recordsReceived(records, from: sender, at: now)
    case .summary(let summary): return summaryReceived(summary, from: sender, at: now)
    case .request(let request): return requestReceived(request, from: sender, at: now)
    case .holding(let holding): return holdingReceived(holding, from: sender, at: now)
    case .piece(let id, let piece, let bytes):
      return pieceReceived(bytes, as: piece, of: id, from: sender, isAnswer: true, at: now)
    case .shared(let id, let piece, let bytes, let askers):
      return pieceReceived(
        bytes, as: piece, of: id, from: sender, isAnswer: askers.contains(configuration.id), at: now
      )
        + sharedPieceArrived(piece, of: id, from: sender, at: now)
    }
  }

  // MARK: - Timer

  mutating func timerFired(at now: HostTime) -> [JournalAction] {
    guard isActive else { return [] }
    var actions: [JournalAction] = []
    if let query, now >= query.deadline { self.query = nil }
    actions += ask(at: now)
    if let due = summaryAt, now >= due { actions.append(summarize(to: .everyone, at: now)) }
    ageRequests(at: now)
    for id in holders.keys { holders[id]?.retry(at: now) }
    actions += pump(at: now)
    actions += serve(at: now)
    return actions + giveUp(at: now)
  }
}
