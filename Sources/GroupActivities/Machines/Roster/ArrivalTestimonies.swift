import Timekeeping

/// The reports that a newcomer gets of the participants that were here before it.
struct ArrivalTestimonies: Hashable, Sendable {
  /// The participants that were here before, as others reported.
  var predecessors: Set<Participant.ID> = []
  private var lists: [Participant.ID: [ProbeReply.Senior]] = [:]

  /// The largest number of participants in one list.
  static let limit = ProbeReply.Introduction.seniorLimit
  private static let witnessLimit = 64

  var witnesses: [Participant.ID] { Array(lists.keys) }

  func hasWitness(besides id: Participant.ID) -> Bool { lists.contains { $0.key != id } }

  func speak(of id: Participant.ID) -> Bool {
    lists.contains { list in list.value.contains { $0.id == id } }
  }

  mutating func add(_ seniors: [ProbeReply.Senior], of witness: Participant.ID) {
    guard lists[witness] != nil || lists.count < Self.witnessLimit else { return }
    lists[witness] = Array(seniors.prefix(Self.limit))
  }

  /// Returns the arrival of a participant.
  ///
  /// - Parameters:
  ///   - claimed: the arrival that it claims.
  ///   - host: a witness whose report counts alone. Without one it is the median of all, the participant's own claim
  ///     included, so that a minority of liars doesn't decide.
  /// - Returns: nil if most of the others didn't mention it.
  func arrival(
    of id: Participant.ID, claiming claimed: GroupTime, by host: Participant.ID?
  ) -> GroupTime? {
    if let host { return host == id ? claimed : time(of: id, in: lists[host] ?? []) }
    let others = lists.filter { $0.key != id }
    let times = others.compactMap { time(of: id, in: $0.value) }
    guard times.count * 2 > others.count else { return nil }
    let sorted = (times + [claimed]).sorted()
    return sorted[sorted.count / 2]
  }

  private func time(of id: Participant.ID, in list: [ProbeReply.Senior]) -> GroupTime? {
    if let entry = list.first(where: { $0.id == id }) { return entry.arrivedAt }
    // The list was too short for this participant, so it arrived later than all in the list.
    return list.count == Self.limit ? list.map(\.arrivedAt).max() : nil
  }
}
