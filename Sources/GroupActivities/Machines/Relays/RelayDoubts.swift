import Timekeeping

/// Decides which relays this participant ranks behind all others: those over which it hears no other one.
///
/// A relay may answer and pass nothing on. All its users notice that at about the same time, use the next relay and hear
/// each other there, which confirms the doubt. If they hear none there either, the relay isn't to blame: doubts end
/// after a while, and as soon as another participant returns later, since others may be waiting there.
struct RelayDoubts: Hashable, Sendable {
  private struct Doubt: Hashable, Sendable {
    var since: HostTime
    var until: HostTime
    var isConfirmed = false
  }

  private var doubts: [Invite.Address: Doubt] = [:]
  /// The address of the relay in use; nil for an unknown one.
  private var link: Invite.Address?
  /// The time since which no other participant is heard over the relay in use.
  private var aloneSince: HostTime?
  /// The participants that fell silent since this relay is in use, and when they last did.
  private var fallen: [Participant.ID: HostTime] = [:]

  /// The time that the others have, from when all count as silent, to be heard again.
  private static let patience = Duration.seconds(2)
  /// The time from the last doubt in which a sign of life confirms all of them.
  private static let window = Duration.seconds(10)
  /// The lifetime of a doubt that nothing confirms: longer than a tour of all relays of a party.
  private static let trialTime = Duration.seconds(60)
  /// The lifetime of a confirmed doubt, by which the offer of a silent owner is forgotten.
  private static let memory = Duration.seconds(600)

  /// The time from its last silence on for which a participant that is heard again may be heard elsewhere only: visits of
  /// relays are short.
  private static let probation = Duration.seconds(20)

  mutating func linkLeads(to address: Invite.Address?) {
    link = address
    aloneSince = nil
    fallen = [:]
  }

  mutating func fellSilent(_ id: Participant.ID, at now: HostTime) { fallen[id] = now }

  /// Returns whether a present participant is heard over the relay in use, as far as this one can know.
  func isHeard(_ id: Participant.ID, at now: HostTime) -> Bool {
    fallen[id].map { now - $0 >= Self.probation } ?? true
  }

  func isDoubted(_ address: Invite.Address) -> Bool { doubts[address] != nil }

  /// - Parameter isAlone: whether no other participant is heard, although some should be.
  /// - Returns: true if the doubts changed.
  mutating func looked(isAlone: Bool, at now: HostTime) -> Bool {
    let before = doubts
    doubts = doubts.filter { now < $0.value.until }
    if isAlone { heardNobody(at: now) } else { heardSomebody(at: now) }
    return doubts != before
  }

  private mutating func heardNobody(at now: HostTime) {
    let since = aloneSince ?? now
    aloneSince = since
    guard now - since >= Self.patience, let link, doubts[link] == nil else { return }
    // The participants that were heard instead are gone too, perhaps back to the relay that was doubted.
    doubts = doubts.filter { !$0.value.isConfirmed }
    doubts[link] = Doubt(since: now, until: now + Self.trialTime)
  }

  private mutating func heardSomebody(at now: HostTime) {
    aloneSince = nil
    let open = doubts.filter { !$0.value.isConfirmed }
    guard let newest = open.values.map(\.since).max() else { return }
    let isConfirmed = now - newest <= Self.window
    for address in open.keys {
      doubts[address] =
        isConfirmed ? Doubt(since: newest, until: now + Self.memory, isConfirmed: true) : nil
    }
  }
}
