import Foundation
import GroupActivities
import Timekeeping

/// The synchronization of the entries among all participants.
///
/// News go to every participant at once. Lost news show in the summaries, which every participant sends now
/// and then: a participant that finds a difference asks the summary's sender. A newcomer asks the participant
/// that has been there longest, and the next one if no answer arrives, so that exactly one answers.
extension JournalMachine {
  // MARK: - Announcing

  mutating func announce(_ record: JournalRecord, at now: HostTime) -> [JournalAction] {
    summarizeSoon(at: now, within: timing.summaryInterval)
    guard isActive else { return [] }
    return [.send(.records(.init(records: [record])), to: .everyone)]
  }

  mutating func summarizeSoon(at now: HostTime, within interval: Duration) {
    let due = now + interval * Double.random(in: 0.5...1, using: &random)
    summaryAt = min(summaryAt ?? due, due)
  }

  mutating func summarize(
    to recipient: GroupSessionLane.Recipient, at now: HostTime
  ) -> JournalAction {
    if recipient == .everyone {
      let interval = timing.summaryInterval(participants: seniors.count)
      summaryAt = now + interval * Double.random(in: 0.75...1.25, using: &random)
    }
    // The author is known to have it.
    let complete = book.entries
      .filter { held.contains($0.id) && $0.author != configuration.id }
      .prefix(JournalMessage.completeLimit)
    let partial =
      downloads
      .filter { $0.value.presentCount > 0 && !$0.value.isComplete }
      .prefix(JournalMessage.partialLimit)
    return .send(
      .summary(
        .init(
          digest: book.digest, weight: book.weight,
          complete: complete.reduce(into: Data()) { $0 += $1.id.bytes },
          partial: partial.map { holding($0.key, $0.value.present) })),
      to: recipient)
  }

  func holding(_ id: UUID, _ chunks: RangeSet<Int>) -> JournalMessage.Holding {
    .init(id: id, chunks: chunks.largest(JournalMessage.rangeLimit))
  }

  // MARK: - Asking

  /// Asks the next participant in the list, unless a query is pending.
  mutating func ask(at now: HostTime) -> [JournalAction] {
    guard isActive, query == nil, now >= nextQueryAt, !toAsk.isEmpty else { return [] }
    let peer = toAsk.removeFirst()
    let nonce = random.next()
    query = PendingQuery(peer: peer, nonce: nonce, deadline: now + timing.queryTimeout)
    nextQueryAt = now + timing.queryInterval
    return [.send(.query(.init(nonce: nonce, inventory: book.inventory)), to: .only(peer))]
  }

  mutating func answer(
    _ query: JournalMessage.Query, from sender: Participant.ID, at now: HostTime
  ) -> [JournalAction] {
    guard let lacking = book.records(lackingIn: query.inventory) else {
      refused += 1
      return []
    }
    var answers: [[JournalRecord]] = [[]]
    var bytes = 0
    for record in lacking {
      // The rest of a record takes fewer than 200 bytes.
      let size = (record.body?.count ?? 0) + 200
      if bytes + size > JournalMessage.recordBytes, !answers[answers.count - 1].isEmpty {
        answers.append([])
        bytes = 0
      }
      answers[answers.count - 1].append(record)
      bytes += size
    }
    let hasMore = answers.count > JournalMessage.answerLimit
    var actions: [JournalAction] = answers.prefix(JournalMessage.answerLimit).enumerated().map {
      index, records in
      let isLast = index == min(answers.count, JournalMessage.answerLimit) - 1
      return .send(
        .records(.init(records: records, nonce: query.nonce, hasMore: hasMore || !isLast)),
        to: .only(sender))
    }
    actions.append(summarize(to: .only(sender), at: now))
    return actions
  }

  // MARK: - Receiving

  mutating func recordsReceived(
    _ records: JournalMessage.Records, from sender: Participant.ID, at now: HostTime
  ) -> [JournalAction] {
    var actions: [JournalAction] = []
    var hasChanged = false
    for record in records.records {
      switch book.merge(record) {
      case .none: continue
      case .added: break
      case .removed(let id), .replaced(let id): actions += drop(id)
      case .refused:
        refused += 1
        continue
      }
      hasChanged = true
    }
    if let query, query.peer == sender, query.nonce == records.nonce, !records.hasMore {
      self.query = nil
      isIntroduced = true
      // One answer is enough. Summaries show whether the participant lacked something.
      toAsk = []
    }
    guard hasChanged else { return actions + ask(at: now) }
    summarizeSoon(at: now, within: timing.summaryInterval)
    return [.changed] + actions + reconsider(at: now) + pump(at: now) + ask(at: now)
  }

  mutating func summaryReceived(
    _ summary: JournalMessage.Summary, from sender: Participant.ID, at now: HostTime
  ) -> [JournalAction] {
    guard var holder = holders[sender] else { return [] }
    let bytes = Array(summary.complete)
    let listed = stride(from: 0, to: bytes.count, by: 16).compactMap { start in
      UUID(bytes: bytes[start..<start + 16])
    }
    // Unknown attachments are of no use yet, and storing them would only cost memory.
    holder.complete = Set(listed.filter { book.entry($0) != nil })
    holder.partial = Dictionary(
      summary.partial.filter { book.entry($0.id) != nil }.map { ($0.id, RangeSet($0.chunks)) },
      uniquingKeysWith: { $0.union($1) })
    if summary.digest == book.digest {
      holder.mismatches = 0
    } else {
      holder.mismatches += 1
      // The participant with the lighter book may just not have received the news; it will ask us. If the
      // difference stays, it has something that we lack.
      if summary.weight > book.weight || holder.mismatches > 1, !toAsk.contains(sender),
        query?.peer != sender
      {
        toAsk.append(sender)
      }
    }
    holders[sender] = holder
    if summaryAt == nil, !book.isEmpty { summarizeSoon(at: now, within: timing.summaryInterval) }
    return ask(at: now) + reconsider(at: now) + pump(at: now)
  }

  /// Forgets an attachment that was removed from the journal.
  mutating func drop(_ id: UUID) -> [JournalAction] {
    takeBack(id) { _ in true }
    downloads[id] = nil
    held.remove(id)
    unstorable.remove(id)
    for peer in holders.keys {
      holders[peer]?.complete.remove(id)
      holders[peer]?.partial[id] = nil
      holders[peer]?.denied.remove(id)
    }
    return [.failed(id, .removed), .ignore(id), .discard(id)]
  }
}
