import Foundation
import GroupActivities
import OrderedCollections
import Timekeeping

/// The transfer of pieces between participants.
extension JournalMachine {
  // MARK: - Choosing attachments

  /// Decides which attachments are fetched without a request from the user. Every participant fetches small
  /// ones. The participant that has been in the party longest, other than the author, fetches a large one
  /// unless another participant has it. The attachment therefore survives its author's departure.
  mutating func reconsider(at now: HostTime) -> [JournalAction] {
    guard isMember else { return [] }
    var kept: Int64 = 0
    var actions: [JournalAction] = []
    for entry in book.entries where entry.author != configuration.id {
      if held.contains(entry.id) {
        kept += entry.body.size
        continue
      }
      guard !unstorable.contains(entry.id), isKeeper(of: entry),
        kept + entry.body.size <= timing.eagerKeepLimit
      else {
        downloads[entry.id]?.isEager = false
        continue
      }
      kept += entry.body.size
      guard downloads[entry.id]?.isEager != true else { continue }
      actions += begin(entry, isEager: true)
      downloads[entry.id]?.isEager = true
      let delay = timing.eagerDelay * Double.random(in: 0...1, using: &random)
      downloads[entry.id]?.eagerAt = now + delay * (Double(seniors.count) / 4)
    }
    return actions
  }

  private func isKeeper(of entry: JournalBook.Entry) -> Bool {
    if entry.body.isOnDemand { return false }
    if entry.body.size <= timing.eagerLimit { return true }
    guard seniors.first(where: { $0 != entry.author }) == configuration.id else { return false }
    return !holders.contains {
      $0.key != entry.author && $0.value.complete.contains(entry.id)
    }
  }

  mutating func begin(_ entry: JournalBook.Entry, isEager: Bool) -> [JournalAction] {
    guard downloads[entry.id] == nil else { return [] }
    downloads[entry.id] = Download(layout: entry.layout, root: entry.body.root)
    return [.begin(entry.id, entry.layout, isEager: isEager)]
  }

  // MARK: - Asking for pieces

  /// Requests as many pieces as the paths to the holders allow.
  mutating func pump(at now: HostTime) -> [JournalAction] {
    guard isActive else { return [] }
    var quotas: [Participant.ID: Int] = [:]
    for (id, holder) in holders {
      let quota = holder.quota(at: now)
      if quota > 0 { quotas[id] = quota }
    }
    var total = Int(timing.windowLimit) - holders.values.reduce(0) { $0 + $1.outstanding }
    var actions: [JournalAction] = []
    let wanted = wanted(at: now).compactMap { book.entry($0) }
    for entry in wanted {
      actions += listen(to: entry, at: now)
      let sources = sources(of: entry)
      noteAvailability(of: entry, sources, at: now)
      actions += requestBlocked(entry, from: sources, quotas: &quotas, total: &total, at: now)
    }
    // The beginning of the next film comes before the rest of this one.
    for need in Download.Need.allCases {
      for entry in wanted where total > 0 {
        let sources = sources(of: entry)
        guard sources.contains(where: { quotas[$0] != nil }) else { continue }
        actions += request(
          need, of: entry, from: sources, quotas: &quotas, total: &total, at: now)
      }
    }
    return actions
  }

  /// Returns the attachments to fetch: first those that the user asked for and those that are read, in the order in which
  /// they were opened; then by size, small ones first.
  private mutating func wanted(at now: HostTime) -> [UUID] {
    var wanted: [(id: UUID, rank: Int, size: Int64)] = []
    for (id, download) in downloads where download.isWanted {
      if !download.isDemanded, let eagerAt = download.eagerAt {
        guard now >= eagerAt else { continue }
      }
      // The time has come, or no longer matters: its deadline is not needed any more.
      if download.eagerAt != nil { downloads[id]?.eagerAt = nil }
      wanted.append((id, download.rank, download.layout.size))
    }
    return wanted.sorted { a, b in a.rank != b.rank ? a.rank < b.rank : a.size < b.size }.map(\.id)
  }

  /// Returns the participants that are known to have at least a part of it and that sent nothing wrong.
  private func sources(of entry: JournalBook.Entry) -> [Participant.ID] {
    let liars = downloads[entry.id]?.liars ?? []
    return holders.keys.filter { id in
      !liars.contains(id) && !chunks(of: entry, at: id).isEmpty
    }
  }

  /// Returns the chunks that another participant has, as far as is known.
  private func chunks(of entry: JournalBook.Entry, at id: Participant.ID) -> RangeSet<Int> {
    guard let holder = holders[id] else { return RangeSet() }
    if holder.complete.contains(entry.id)
      || (id == entry.author && !holder.denied.contains(entry.id))
    {
      return RangeSet(0..<entry.layout.chunkCount)
    }
    return holder.partial[entry.id] ?? RangeSet()
  }

  /// Returns the bytes of an attachment that each other participant reported to have.
  func bytes(of entry: JournalBook.Entry) -> [Participant.ID: Int64] {
    holders.keys.reduce(into: [:]) { bytes, id in
      bytes[id] = entry.layout.size(of: chunks(of: entry, at: id))
    }
  }

  func union(
    of entry: JournalBook.Entry, _ sources: some Sequence<Participant.ID>
  ) -> RangeSet<Int> {
    let all = RangeSet(0..<entry.layout.chunkCount)
    var union = RangeSet<Int>()
    for id in sources where union != all {
      union.formUnion(chunks(of: entry, at: id))
    }
    return union.intersection(all)
  }

  /// Requests the pieces that reads wait for, at once and whatever else was requested.
  private mutating func requestBlocked(
    _ entry: JournalBook.Entry, from sources: [Participant.ID],
    quotas: inout [Participant.ID: Int], total: inout Int, at now: HostTime
  ) -> [JournalAction] {
    guard let download = downloads[entry.id] else { return [] }
    var chosen: Chosen = [:]
    for piece in Set(download.blocked.map(download.needed)).sorted(by: { $0.index < $1.index })
      .prefix(timing.urgentLimit) where download.outstanding[piece] == nil
    {
      let able = sources.filter { has(piece, of: entry, at: $0) }
      // The holder that answered most reliably, and among those the one with the shortest queue.
      let best = able.min { a, b in
        let (x, y) = (holders[a]!, holders[b]!)
        return x.failures != y.failures ? x.failures < y.failures : x.outstanding < y.outstanding
      }
      guard let best, holders[best]!.mayRetry(at: now) else { continue }
      chosen[best, default: []].append(piece)
      if let quota = quotas[best] { quotas[best] = quota - 1 }
      total -= 1
    }
    return send(chosen, of: entry.id, isUrgent: true, at: now)
  }

  private mutating func request(
    _ need: Download.Need, of entry: JournalBook.Entry, from sources: [Participant.ID],
    quotas: inout [Participant.ID: Int], total: inout Int, at now: HostTime
  ) -> [JournalAction] {
    guard let download = downloads[entry.id] else { return [] }
    var chosen: Chosen = [:]
    var misses = 0
    let reachable = union(of: entry, sources.filter { quotas[$0] ?? 0 > 0 })
    download.forEachWanted(need, readAhead: timing.readAhead, of: reachable) { piece in
      let able = sources.filter { quotas[$0] ?? 0 > 0 && has(piece, of: entry, at: $0) }
      // Prefers holders with the fewest failures; among those others than the author, which serves everyone; and among
      // those the one with the largest quota.
      let best = able.min { a, b in
        let (x, y) = (holders[a]!.failures, holders[b]!.failures)
        if x != y { return x < y }
        if (a == entry.author) != (b == entry.author) { return b == entry.author }
        return quotas[a]! > quotas[b]!
      }
      guard let best else {
        misses += 1
        return misses < Int(timing.windowLimit)
      }
      chosen[best, default: []].append(piece)
      quotas[best]! -= 1
      total -= 1
      return total > 0
    }
    return send(chosen, of: entry.id, isUrgent: false, at: now)
  }

  private func has(
    _ piece: Piece, of entry: JournalBook.Entry, at id: Participant.ID
  ) -> Bool {
    chunks(of: entry, at: id).intersects(entry.layout.chunks(under: piece))
  }

  private typealias Chosen = OrderedDictionary<Participant.ID, [Piece]>

  private mutating func send(
    _ chosen: Chosen, of id: UUID, isUrgent: Bool, at now: HostTime
  ) -> [JournalAction] {
    var actions: [JournalAction] = []
    for (holder, pieces) in chosen {
      let timeout =
        now + (holders[holder]?.timeout(isUrgent: isUrgent, timing) ?? timing.firstTimeout)
      holders[holder]?.outstanding += pieces.count
      for piece in pieces {
        let isNew = downloads[id]?.asked[piece] == nil
        if isNew { downloads[id]?.asked[piece] = now }
        downloads[id]?.outstanding[piece] = Download.Request(
          holder: holder, sentAt: now, timeout: timeout, isRepeated: !isNew)
      }
      for (level, sameLevel) in Dictionary(grouping: pieces, by: \.level).sorted(by: {
        $0.key > $1.key
      }) {
        let isReplacing = downloads[id]?.superseded.remove(holder) != nil
        actions.append(
          .send(
            .request(
              .init(
                id: id, level: level, indices: sameLevel.map(\.index), isUrgent: isUrgent,
                isReplacing: isReplacing, isListening: downloads[id]?.listens == .yes)),
            to: .only(holder)))
      }
    }
    return actions
  }

  /// Cancels outstanding requests, without counting them as the holders' failures.
  mutating func takeBack(_ id: UUID, where isMeant: (Download.Request) -> Bool) {
    guard let download = downloads[id] else { return }
    for (piece, request) in download.outstanding where isMeant(request) {
      downloads[id]?.outstanding[piece] = nil
      holders[request.holder]?.outstanding -= 1
    }
  }

  mutating func ageRequests(at now: HostTime) {
    var late: Set<Participant.ID> = []
    for (id, download) in downloads {
      for request in download.outstanding.values where now >= request.timeout {
        late.insert(request.holder)
      }
      takeBack(id) { now >= $0.timeout }
    }
    let timing = timing
    for holder in late { holders[holder]?.timedOut(timing, at: now) }
  }

  // MARK: - Receiving pieces

  mutating func pieceReceived(
    _ bytes: Data, as piece: Piece, of id: UUID, from sender: Participant.ID, isAnswer: Bool,
    at now: HostTime
  ) -> [JournalAction] {
    guard var download = downloads[id], !download.isComplete else { return [] }
    let request = download.outstanding[piece]
    // Late pieces are accepted too, as long as the attachment is still wanted.
    guard request != nil || download.isWanted else { return [] }
    downloads[id] = nil  // Avoids a copy of the download when it changes.
    let outcome = download.pieceReceived(piece, bytes)
    switch outcome {
    case .useless:
      refused += 1
      downloads[id] = download
      return []
    case .wrong:
      refused += 1
      download.liars.insert(sender)
      downloads[id] = download
      takeBack(id) { $0.holder == sender }
      return [.lied(sender)] + pump(at: now)
    case .accepted: break
    }
    downloads[id] = download
    if let request {
      holders[request.holder]?.outstanding -= 1
      if request.holder == sender { holders[sender]?.answered() }
      // Only an answer to the first request tells the path's delay.
      if request.holder == sender, isAnswer, !request.isRepeated {
        let timing = timing
        holders[sender]?.answered(after: now - request.sentAt, timing, at: now)
      }
    }
    var actions: [JournalAction] = [.write(id, piece, bytes)]
    if download.isComplete {
      takeBack(id) { _ in true }
      downloads[id] = nil
      held.insert(id)
      actions += [.progressed(id), .completed(id), .ignore(id)]
      summarizeSoon(at: now, within: timing.eagerDelay)
    } else if piece.level == 0 {
      actions.append(.progressed(id))
    }
    return actions + pump(at: now)
  }

  // MARK: - Serving pieces

  func has(_ piece: Piece, of id: UUID) -> Bool {
    if held.contains(id) { return book.entry(id)?.layout.contains(piece) ?? false }
    return downloads[id]?.has(piece) ?? false
  }

  mutating func requestReceived(
    _ request: JournalMessage.Request, from sender: Participant.ID, at now: HostTime
  ) -> [JournalAction] {
    serving.requested(request, by: sender, at: now)
    var lacks = false
    // The first of the urgent pieces ends at the front.
    for index in request.isUrgent ? request.indices.reversed() : request.indices {
      let piece = Piece(level: request.level, index: index)
      if has(piece, of: request.id) {
        serving.add(
          .init(id: request.id, piece: piece), for: sender, isUrgent: request.isUrgent,
          at: now)
      } else {
        lacks = true
      }
    }
    guard lacks else { return serve(at: now) }
    refused += 1
    let held = downloads[request.id]?.present ?? RangeSet()
    return [.send(.holding(holding(request.id, held)), to: .only(sender))] + serve(at: now)
  }

  mutating func holdingReceived(
    _ holding: JournalMessage.Holding, from sender: Participant.ID, at now: HostTime
  ) -> [JournalAction] {
    guard let entry = book.entry(holding.id) else { return [] }
    holders[sender]?.complete.remove(holding.id)
    holders[sender]?.partial[holding.id] = holding.chunks.isEmpty ? nil : RangeSet(holding.chunks)
    if entry.author == sender { holders[sender]?.denied.insert(holding.id) }
    takeBack(holding.id) { $0.holder == sender }
    return reconsider(at: now) + pump(at: now)
  }

  mutating func serve(at now: HostTime) -> [JournalAction] {
    var actions: [JournalAction] = []
    while let portion = serving.next(at: now) {
      let item = portion.item
      // The attachment may have been removed meanwhile.
      guard has(item.piece, of: item.id) else { continue }
      actions.append(
        portion.isShared
          ? .share(item.id, item.piece, askers: portion.askers)
          : .serve(item.id, item.piece, to: portion.askers[0]))
    }
    return actions
  }
}
