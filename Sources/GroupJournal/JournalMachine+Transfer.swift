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
    for id in wanted(at: now) {
      guard let entry = book.entry(id) else { continue }
      let sources = sources(of: entry)
      noteAvailability(id, hasSource: !sources.isEmpty, at: now)
      guard total > 0, sources.contains(where: { quotas[$0] != nil }) else { continue }
      actions += request(entry, from: sources, quotas: &quotas, total: &total, at: now)
    }
    return actions
  }

  /// Returns the attachments to fetch: first those that the user asked for, then by size, small ones first.
  private mutating func wanted(at now: HostTime) -> [UUID] {
    var wanted: [(id: UUID, isDemanded: Bool, size: Int64)] = []
    for (id, download) in downloads where download.isWanted {
      if download.demands == 0, let eagerAt = download.eagerAt {
        guard now >= eagerAt else { continue }
      }
      // The time has come, or no longer matters: its deadline is not needed any more.
      if download.eagerAt != nil { downloads[id]?.eagerAt = nil }
      wanted.append((id, download.demands > 0, download.layout.size))
    }
    return wanted.sorted { a, b in
      a.isDemanded != b.isDemanded ? a.isDemanded : a.size < b.size
    }.map(\.id)
  }

  /// Returns the participants that are known to have at least a part of it and that sent nothing wrong.
  private func sources(of entry: JournalBook.Entry) -> [Participant.ID] {
    let liars = downloads[entry.id]?.liars ?? []
    return holders.keys.filter { id in
      !liars.contains(id) && holders[id].map { isSource($0, id, of: entry) } ?? false
    }
  }

  private func isSource(
    _ holder: HolderRecord, _ id: Participant.ID, of entry: JournalBook.Entry
  ) -> Bool {
    hasAll(holder, id, of: entry) || holder.partial[entry.id] != nil
  }

  private func hasAll(
    _ holder: HolderRecord, _ id: Participant.ID, of entry: JournalBook.Entry
  ) -> Bool {
    holder.complete.contains(entry.id)
      || (id == entry.author && !holder.denied.contains(entry.id))
  }

  private mutating func request(
    _ entry: JournalBook.Entry, from sources: [Participant.ID],
    quotas: inout [Participant.ID: Int], total: inout Int, at now: HostTime
  ) -> [JournalAction] {
    guard let download = downloads[entry.id] else { return [] }
    var chosen: OrderedDictionary<Participant.ID, [Piece]> = [:]
    download.forEachWanted { piece in
      let able = sources.filter { id in
        guard let holder = holders[id], quotas[id] ?? 0 > 0 else { return false }
        return hasAll(holder, id, of: entry) || holder.has(piece, of: entry)
      }
      // Prefers holders with the fewest failures, and among those the one with the largest quota.
      let best = able.min { a, b in
        let (x, y) = (holders[a]!.failures, holders[b]!.failures)
        return x != y ? x < y : quotas[a]! > quotas[b]!
      }
      guard let best else { return false }
      chosen[best, default: []].append(piece)
      quotas[best]! -= 1
      total -= 1
      return total > 0
    }
    var actions: [JournalAction] = []
    for (holder, pieces) in chosen {
      let timeout = now + (holders[holder]?.timeout(timing) ?? timing.firstTimeout)
      holders[holder]?.outstanding += pieces.count
      for piece in pieces {
        downloads[entry.id]?.outstanding[piece] = Download.Request(
          holder: holder, sentAt: now, timeout: timeout)
      }
      for (level, sameLevel) in Dictionary(grouping: pieces, by: \.level).sorted(by: {
        $0.key > $1.key
      }) {
        actions.append(
          .send(
            .request(.init(id: entry.id, level: level, indices: sameLevel.map(\.index))),
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
    _ bytes: Data, as piece: Piece, of id: UUID, from sender: Participant.ID, at now: HostTime
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
      if request.holder == sender {
        let timing = timing
        holders[sender]?.answered(after: now - request.sentAt, timing, at: now)
      }
    }
    var actions: [JournalAction] = [.write(id, piece, bytes)]
    if download.isComplete {
      takeBack(id) { _ in true }
      downloads[id] = nil
      held.insert(id)
      actions += [.progressed(id), .completed(id)]
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
    var lacks = false
    for index in request.indices {
      let piece = Piece(level: request.level, index: index)
      if has(piece, of: request.id) {
        _ = serving.add(.init(id: request.id, piece: piece), for: sender)
      } else {
        lacks = true
      }
    }
    if lacks { refused += 1 }
    return (lacks ? [.send(.missing(request.id), to: .only(sender))] : []) + serve(at: now)
  }

  mutating func serve(at now: HostTime) -> [JournalAction] {
    var actions: [JournalAction] = []
    while let (id, item) = serving.next(at: now) {
      // The attachment may have been removed meanwhile.
      if has(item.piece, of: item.id) { actions.append(.serve(item.id, item.piece, to: id)) }
    }
    return actions
  }

  // MARK: - Unavailable attachments

  private mutating func noteAvailability(_ id: UUID, hasSource: Bool, at now: HostTime) {
    if hasSource {
      downloads[id]?.unavailableSince = nil
    } else if downloads[id]?.unavailableSince == nil {
      downloads[id]?.unavailableSince = now
    }
  }

  mutating func giveUp(at now: HostTime) -> [JournalAction] {
    var actions: [JournalAction] = []
    for (id, download) in downloads where download.demands > 0 {
      guard let since = download.unavailableSince, now >= since + timing.unavailableAfter else {
        continue
      }
      downloads[id]?.demands = 0
      downloads[id]?.unavailableSince = nil
      actions.append(.failed(id, .unavailable))
    }
    return actions
  }
}
