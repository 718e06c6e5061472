import GroupActivities
import Timekeeping

/// Remembers who kept a start waiting, so that one flapping participant can't do so for ever.
struct WaitLog: Hashable, Sendable {
  /// Everybody takes a moment to get ready; only more than this is a wait.
  static let moment = Duration.seconds(1)
  private static let limit = 256

  private struct Entry: Hashable {
    var participant: Participant.ID
    var stamp: Stamp
    var at: GroupTime
  }

  private var entries: [Entry] = []
  private var waiting: (stamp: Stamp, since: GroupTime)? {
    get { waitingStamp.map { ($0, waitingSince) } }
    set {
      waitingStamp = newValue?.stamp
      waitingSince = newValue?.since ?? GroupTime(nanoseconds: 0)
    }
  }
  private var waitingStamp: Stamp?
  private var waitingSince = GroupTime(nanoseconds: 0)
  private var noted: Stamp?

  /// When to ask who is being waited for; nil while nobody is, or that was noted.
  var nextNote: GroupTime? {
    guard let waiting, waiting.stamp != noted else { return nil }
    return waiting.since + Self.moment
  }

  /// - Parameter stamp: the start that waits for others; nil when none does.
  mutating func waits(for stamp: Stamp?, at now: GroupTime, window: Duration) {
    entries.removeAll { now - $0.at > window }
    guard let stamp else { return waiting = nil }
    if waiting?.stamp != stamp { waiting = (stamp, now) }
  }

  /// Call at ``nextNote``.
  mutating func note(_ participants: Set<Participant.ID>, stamp: Stamp, at now: GroupTime) {
    noted = stamp
    for participant in participants.sorted() {
      entries.append(Entry(participant: participant, stamp: stamp, at: now))
    }
    if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
  }

  /// How many other starts waited for it lately.
  func count(of participant: Participant.ID, besides stamp: Stamp) -> Int {
    entries.count { $0.participant == participant && $0.stamp != stamp }
  }
}
