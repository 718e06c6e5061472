import Timekeeping

/// The order of seniority: the creator, proven by its key, comes first; then the participants in the order of their
/// arrival.
struct Seniority: Hashable, Comparable, Sendable {
  /// 0 for the creator. The clock's reference is chosen by more ranks (``PartyMachine/precedence(of:)``).
  var rank: Int
  var arrivedAt: GroupTime
  var id: Participant.ID

  /// - Parameter creator: the party's creator.
  init(_ arrivedAt: GroupTime, _ id: Participant.ID, creator: Participant.ID) {
    rank = id == creator ? 0 : 1
    self.arrivedAt = arrivedAt
    self.id = id
  }

  static func < (a: Seniority, b: Seniority) -> Bool {
    (a.rank, a.arrivedAt.nanoseconds, a.id) < (b.rank, b.arrivedAt.nanoseconds, b.id)
  }
}
