import Timekeeping

/// The order of seniority: the creator, proven by its key, comes first; then the participants in the order of their
/// arrival.
struct Seniority: Hashable, Comparable, Sendable {
  var isCreator: Bool
  var arrivedAt: GroupTime
  var id: Participant.ID

  /// - Parameter creator: the party's creator.
  init(_ arrivedAt: GroupTime, _ id: Participant.ID, creator: Participant.ID) {
    isCreator = id == creator
    self.arrivedAt = arrivedAt
    self.id = id
  }

  static func < (a: Seniority, b: Seniority) -> Bool {
    if a.isCreator != b.isCreator { return a.isCreator }
    return (a.arrivedAt.nanoseconds, a.id) < (b.arrivedAt.nanoseconds, b.id)
  }
}
