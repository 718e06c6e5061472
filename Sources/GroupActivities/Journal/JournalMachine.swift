import Crypto
import Foundation
import OrderedCollections
import Timekeeping

/// One participant's part of a session's journal: what is in it, who has what, and whom to ask for what
/// next. Decides everything and does nothing: no files, no clock, no randomness of its own.
struct JournalMachine: Sendable {
  struct Configuration: Sendable {
    var id: Participant.ID
    var session: GroupSessionID
    var authorship = Authorship.trusting
    var timing = JournalTiming()
    var random = RandomSource.system
  }

  let configuration: Configuration
  var book: JournalBook
  var isConnected = true
  /// Who is in the session, the longest in the party first; this participant too, once it is.
  var seniors: [Participant.ID] = []
  var holders: OrderedDictionary<Participant.ID, HolderRecord> = [:]
  /// What this participant has all of.
  var held: Set<UUID> = []
  /// What came in part, or is on its way.
  var downloads: OrderedDictionary<UUID, Download> = [:]
  /// What the disk didn't take; only asked for again by a person.
  var unstorable: Set<UUID> = []
  var serving: ServingQueue

  var summaryAt: HostTime?
  /// An answer that is waited for.
  var query: PendingQuery?
  var nextQueryAt: HostTime
  /// Who is yet to be asked what there is, after coming in or back: the first one answers, usually.
  var toAsk: [Participant.ID] = []
  /// Whether anybody has answered since.
  var isIntroduced = false
  var random: RandomSource
  /// How many messages were thrown away: malformed, over a limit, or untrue.
  var refused = 0

  struct PendingQuery: Hashable, Sendable {
    var peer: Participant.ID
    var nonce: UInt64
    var deadline: HostTime
  }

  init(_ configuration: Configuration, at now: HostTime) {
    self.configuration = configuration
    book = JournalBook(session: configuration.session, authorship: configuration.authorship)
    serving = ServingQueue(timing: configuration.timing, at: now)
    nextQueryAt = now
    random = configuration.random
  }

  var timing: JournalTiming { configuration.timing }
  var isMember: Bool { seniors.contains(configuration.id) }
  /// Whether anything can be sent.
  var isActive: Bool { isConnected && isMember }

  /// When ``timerFired(at:)`` is to be called next.
  var nextDeadline: HostTime? {
    guard isActive else { return nil }
    var deadlines = [summaryAt, query?.deadline, serving.dueAt].compactMap { $0 }
    if query == nil, !toAsk.isEmpty { deadlines.append(nextQueryAt) }
    for download in downloads.values {
      deadlines += download.outstanding.values.map(\.timeout)
      guard download.isWanted else { continue }
      if let eagerAt = download.eagerAt { deadlines.append(eagerAt) }
      if let since = download.unavailableSince, download.demands > 0 {
        deadlines.append(since + timing.unavailableAfter)
      }
    }
    if downloads.values.contains(where: \.isWanted) {
      deadlines += holders.values.compactMap(\.retryAt)
    }
    return deadlines.min()
  }

  // MARK: - The link and the others

  mutating func connected(at now: HostTime) -> [JournalAction] {
    isConnected = true
    for id in holders.keys { holders[id]?.linkReturned() }
    return arrive(at: now)
  }

  /// What was asked for is asked for again when the link is back; what came stays.
  mutating func disconnected() {
    isConnected = false
    query = nil
    serving.removeAll()
    for id in downloads.keys {
      downloads[id]?.outstanding = [:]
      downloads[id]?.unavailableSince = nil
    }
    for id in holders.keys { holders[id]?.linkReturned() }
  }

  /// - Parameter seniors: who has joined the session, the longest in the party first.
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
    return (wasMember ? [] : arrive(at: now)) + reconsider(at: now) + ask(at: now)
  }

  /// In the session, or with the link back: somebody is asked what there is, and told.
  private mutating func arrive(at now: HostTime) -> [JournalAction] {
    guard isActive else { return [] }
    query = nil
    isIntroduced = false
    toAsk = seniors.filter { $0 != configuration.id }
    nextQueryAt = now
    return ask(at: now) + (book.isEmpty ? [] : [summarize(to: .everyone, at: now)])
      + pump(at: now)
  }

  // MARK: - What the user does

  /// Puts something into the journal that this participant has all of.
  ///
  /// - Parameter slot: one that was never used in this session.
  /// - Returns: nil if no more fits.
  mutating func add(
    _ body: JournalBody, slot: Int, at now: HostTime
  ) -> (id: UUID, actions: [JournalAction])? {
    let bytes = body.encoded()
    let bodyHash = Data(SHA256.hash(data: bytes))
    let record = JournalRecord(
      author: configuration.id, slot: slot, bodyHash: bodyHash,
      proof: configuration.authorship.sign(
        JournalRecord.provenBytes(
          session: configuration.session, author: configuration.id, slot: slot,
          bodyHash: bodyHash)), body: bytes)
    guard case .added(let id) = book.merge(record) else { return nil }
    held.insert(id)
    return (id, [.changed] + announce(record, at: now))
  }

  /// Takes something out for everybody; it needn't be there any more.
  mutating func remove(_ id: UUID, at now: HostTime) -> [JournalAction] {
    guard case .removed = book.remove(id), let record = book.record(id) else { return [] }
    return [.changed] + drop(id) + announce(record, at: now)
  }

  /// Somebody here waits for it, and calls ``demandEnded(_:)`` when it doesn't any more.
  mutating func demand(_ id: UUID, at now: HostTime) -> [JournalAction] {
    guard !held.contains(id), let entry = book.entry(id) else { return [] }
    unstorable.remove(id)
    let begin = begin(entry, isEager: false)
    downloads[id]?.demands += 1
    return begin + pump(at: now)
  }

  mutating func demandEnded(_ id: UUID) {
    guard let demands = downloads[id]?.demands, demands > 0 else { return }
    downloads[id]?.demands = demands - 1
    downloads[id]?.unavailableSince = nil
  }

  /// The disk is full, or gone.
  mutating func storageFailed(_ id: UUID) {
    downloads[id] = nil
    held.remove(id)
    unstorable.insert(id)
  }

  /// What this participant added isn't there any more, or isn't the same.
  mutating func lost(_ id: UUID, at now: HostTime) -> [JournalAction] {
    held.remove(id)
    return reconsider(at: now)
  }

  // MARK: - What the others say

  mutating func received(
    _ data: Data, from sender: Participant.ID, at now: HostTime
  ) -> [JournalAction] {
    guard isActive, sender != configuration.id, holders[sender] != nil else { return [] }
    // What it costs to read one is paid for before.
    let isAffordable =
      switch JournalMessage.kind(of: data) {
      case .query, .records, .summary, .missing:
        holders[sender]?.controlAllowance.spend(at: now) ?? false
      case .request: holders[sender]?.requestAllowance.spend(at: now) ?? false
      case .piece: true
      case nil: false
      }
    guard isAffordable, let message = JournalMessage(decoding: data) else {
      refused += 1
      return []
    }
    switch message {
    case .query(let query): return answer(query, from: sender, at: now)
    case .records(let records): return take(records, from: sender, at: now)
    case .summary(let summary): return take(summary, from: sender, at: now)
    case .request(let request): return take(request, from: sender, at: now)
    case .missing(let id):
      holders[sender]?.complete.remove(id)
      holders[sender]?.partial[id] = nil
      if book.entry(id)?.author == sender { holders[sender]?.denied.insert(id) }
      takeBack(id) { $0.holder == sender }
      return reconsider(at: now) + pump(at: now)
    case .piece(let id, let piece, let bytes):
      return take(bytes, as: piece, of: id, from: sender, at: now)
    }
  }

  // MARK: - Time passes

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
