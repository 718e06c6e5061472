import Foundation
import GroupActivities
import Timekeeping

/// Local readers of attachments that are still arriving, and attachments that no participant has any more.
extension JournalMachine {
  /// Registers a reader of an attachment. Its transfer goes on until ``readerClosed(_:of:at:)``.
  mutating func readerOpened(_ number: Int, of id: UUID, at now: HostTime) -> [JournalAction] {
    guard !held.contains(id), let entry = book.entry(id) else { return [] }
    unstorable.remove(id)
    let begin = begin(entry, isEager: false)
    downloads[id]?.readers[number] = ReadingPosition()
    return begin + pump(at: now)
  }

  mutating func readerMoved(
    _ number: Int, of id: UUID, to position: ReadingPosition, at now: HostTime
  ) -> [JournalAction] {
    guard let old = downloads[id]?.readers[number], old != position else { return [] }
    downloads[id]?.readers[number] = position
    outrank(id, at: now)
    return pump(at: now)
  }

  mutating func readerClosed(_ number: Int, of id: UUID, at now: HostTime) -> [JournalAction] {
    guard downloads[id]?.readers.removeValue(forKey: number) != nil else { return [] }
    return rest(id)
  }

  /// Ends what an attachment's transfer does for local callers and readers if the last one is gone.
  mutating func rest(_ id: UUID) -> [JournalAction] {
    guard let download = downloads[id], !download.isDemanded else { return [] }
    downloads[id]?.listens = .no(until: nil)
    if !download.isWanted { supersede(id) }
    return cancelSuperseded(id) + [.ignore(id)]
  }

  /// Makes room for pieces that a read waits for: pieces of another position that were requested before would delay them.
  /// Pieces of its neighbourhood are needed soon, and urgent ones overtake them.
  private mutating func outrank(_ id: UUID, at now: HostTime) {
    guard let download = downloads[id] else { return }
    let needed = Set(download.blocked.map(download.needed))
    for piece in needed {
      guard let request = download.outstanding[piece],
        let timeout = holders[request.holder]?.timeout(isUrgent: true, timing)
      else { continue }
      let soon = max(request.sentAt + timeout, now + timing.urgentTimeout)
      downloads[id]?.outstanding[piece]?.timeout = min(request.timeout, soon)
    }
    if needed.contains(where: { download.outstanding[$0] == nil }) {
      let readAhead = timing.readAhead
      supersede(id) { needed.contains($0) || download.isNear($0, readAhead: readAhead) }
    }
  }

  /// Takes back the requests for all other pieces. The next request to each holder says so, unless that would void a kept
  /// one.
  private mutating func supersede(_ id: UUID, except isKept: (Piece) -> Bool = { _ in false }) {
    guard let download = downloads[id] else { return }
    for (piece, request) in download.outstanding where !isKept(piece) {
      downloads[id]?.outstanding[piece] = nil
      holders[request.holder]?.outstanding -= 1
      downloads[id]?.superseded.insert(request.holder)
    }
    for request in downloads[id]?.outstanding.values.map(\.self) ?? [] {
      downloads[id]?.superseded.remove(request.holder)
    }
  }

  /// Ends the requests of an attachment that isn't wanted any more.
  private mutating func cancelSuperseded(_ id: UUID) -> [JournalAction] {
    let holders = downloads[id]?.superseded ?? []
    downloads[id]?.superseded = []
    return holders.sorted().map {
      .send(
        .request(.init(id: id, level: 0, indices: [], isReplacing: true)), to: .only($0))
    }
  }

  // MARK: - Unavailable attachments

  mutating func noteAvailability(
    of entry: JournalBook.Entry, _ sources: [Participant.ID], at now: HostTime
  ) {
    guard let download = downloads[entry.id] else { return }
    let reachable = union(of: entry, sources)
    let isAvailable =
      !download.outstanding.isEmpty || !reachable.subtracting(download.present).isEmpty
    downloads[entry.id]?.unavailableSince = isAvailable ? nil : download.unavailableSince ?? now
    let isReadable = download.blocked.allSatisfy(reachable.contains)
    downloads[entry.id]?.blockedSince = isReadable ? nil : download.blockedSince ?? now
  }

  mutating func giveUp(at now: HostTime) -> [JournalAction] {
    var actions: [JournalAction] = []
    func isOver(_ since: HostTime?) -> Bool {
      since.map { now >= $0 + timing.unavailableAfter } ?? false
    }
    for (id, download) in downloads where download.isDemanded {
      if download.demands > 0, isOver(download.unavailableSince) {
        downloads[id]?.demands = 0
        downloads[id]?.unavailableSince = nil
        actions.append(.failed(id, .unavailable))
      }
      if !download.readers.isEmpty, isOver(download.blockedSince) {
        downloads[id]?.blockedSince = nil
        for number in download.readers.keys { downloads[id]?.readers[number]?.blocked = [] }
        actions.append(.unreadable(id))
      }
    }
    return actions
  }
}
