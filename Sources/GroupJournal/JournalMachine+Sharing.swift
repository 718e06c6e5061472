import Foundation
import GroupActivities
import Timekeeping

/// Listening to the pieces that others send once for several participants.
///
/// A participant listens while its user wants the attachment. The pieces come as fast as the quickest of the listeners
/// requests them; a participant whose link can't keep up stops listening for a while, and gets its own pieces only.
extension JournalMachine {
  /// The time for which a participant doesn't listen after its link was too slow.
  private static let pause = Duration.seconds(20)
  private static let patience = Duration.seconds(1)
  private static let lateLimit = 4
  /// The distance at which a piece isn't needed soon, in chunks: 4 MiB. A holder that knows this participant's position
  /// sends it nothing that is farther ahead.
  private static let farness = 128

  mutating func listen(to entry: JournalBook.Entry, at now: HostTime) -> [JournalAction] {
    guard let download = downloads[entry.id], download.isDemanded,
      entry.body.size > timing.eagerLimit, case .no(let until) = download.listens,
      until.map({ now >= $0 }) ?? true
    else { return [] }
    downloads[entry.id]?.listens = .begins
    return [.listen(entry.id)]
  }

  /// The subscription to an attachment's topic is in place.
  mutating func listening(to id: UUID) {
    if downloads[id]?.listens == .begins { downloads[id]?.listens = .yes }
  }

  /// Stops listening if several pieces in a row show that the link is full of pieces that others requested, or that others
  /// are far ahead: a holder hasn't answered an earlier request for long, or this participant's requests are elsewhere.
  mutating func sharedPieceArrived(
    _ piece: Piece, of id: UUID, from sender: Participant.ID, at now: HostTime
  ) -> [JournalAction] {
    guard let download = downloads[id], download.listens == .yes, piece.level == 0 else {
      return []
    }
    let requests = download.outstanding.filter { $0.key.level == 0 }
    let oldest = requests.filter { $0.value.holder == sender }
      .compactMap { download.asked[$0.key] }.min()
    let front = requests.keys.map(\.index).max() ?? piece.index
    let isLate = oldest.map { now - $0 > Self.patience } ?? false
    guard isLate || piece.index > front + Self.farness else {
      downloads[id]?.lateCount = 0
      return []
    }
    downloads[id]?.lateCount += 1
    guard downloads[id]?.lateCount == Self.lateLimit else { return [] }
    downloads[id]?.lateCount = 0
    downloads[id]?.listens = .no(until: now + Self.pause)
    return [.ignore(id)]
  }
}
