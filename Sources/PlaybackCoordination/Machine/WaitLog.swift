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
  /// The start that waits now.
  private var start: Stamp?
  /// For whom it waits, and since when; those are left out who were noted.
  private var awaited: [Participant.ID: GroupTime] = [:]
  private var noted: Set<Participant.ID> = []

  /// When to call ``note(at:)``; nil while nobody is waited for, or all were noted.
  var nextNote: GroupTime? { awaited.values.min().map { $0 + Self.moment } }

  /// - Parameters:
  ///   - participants: for whom the start waits, this one left out.
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

  /// Notes who has kept the start waiting for longer than a moment.
  mutating func note(at now: GroupTime) {
    guard let start else { return }
    for participant in awaited.keys.sorted() where awaited[participant]! + Self.moment <= now {
      awaited[participant] = nil
      noted.insert(participant)
      entries.append(Entry(participant: participant, stamp: start, at: now))
    }
    if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
  }

  /// Another session begins: who it was in the last one is remembered, in the new time.
  mutating func changeGroup(shift: Duration) {
    for index in entries.indices { entries[index].at = entries[index].at + shift }
    start = nil
    awaited = [:]
    noted = []
  }

  /// How many other starts waited for it lately.
  func count(of participant: Participant.ID, besides stamp: Stamp) -> Int {
    entries.count { $0.participant == participant && $0.stamp != stamp }
  }
}
