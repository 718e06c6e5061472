import GroupActivities
import Timekeeping

/// A record of the participants who kept a start waiting, so that one flapping participant can't do so forever.
struct WaitLog: Hashable, Sendable {
  /// The time that any participant may need to get ready; only a longer time is a wait.
  static let moment = Duration.seconds(1)
  private static let limit = 256

  private struct Entry: Hashable {
    var participant: Participant.ID
    var stamp: Stamp
    var at: GroupTime
  }

  private var entries: [Entry] = []
  /// The start that waits now.
  private var start: Stamp?
  /// The participants that the start waits for, and the times at which each wait began, without the noted participants.
  private var awaited: [Participant.ID: GroupTime] = [:]
  private var noted: Set<Participant.ID> = []

  /// The time at which to call ``note(at:)``; nil while no participant is awaited, or all were noted.
  var nextNote: GroupTime? { awaited.values.min().map { $0 + Self.moment } }

  /// Updates the waits.
  ///
  /// - Parameters:
  ///   - participants: the participants that the start waits for, without this one.
  ///   - stamp: the start; nil when none waits.
  mutating func waits(
    for participants: Set<Participant.ID>, start stamp: Stamp?, at now: GroupTime, window: Duration
  ) {
    entries.removeAll { now - $0.at > window }
    if stamp != start {
      start = stamp
      awaited = [:]
      noted = []
    }
    guard stamp != nil else { return }
    let before = awaited
    awaited = [:]
    for participant in participants.subtracting(noted) {
      awaited[participant] = before[participant] ?? now
    }
  }

  /// Notes the participants who have kept the start waiting for longer than a moment.
  mutating func note(at now: GroupTime) {
    guard let start else { return }
    for participant in awaited.keys.sorted() where awaited[participant]! + Self.moment <= now {
      awaited[participant] = nil
      noted.insert(participant)
      entries.append(Entry(participant: participant, stamp: start, at: now))
    }
    if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
  }

  /// Begins another session. Waits of the last one are kept, in the new time.
  mutating func changeGroup(shift: Duration) {
    for index in entries.indices { entries[index].at = entries[index].at + shift }
    start = nil
    awaited = [:]
    noted = []
  }

  /// Returns the number of other starts within the window that waited for the participant.
  func count(of participant: Participant.ID, besides stamp: Stamp) -> Int {
    entries.count { $0.participant == participant && $0.stamp != stamp }
  }
}
