import Foundation

/// The report of this participant's playback coordinator, as its party repeats it.
struct PlaybackReport: Sendable {
  /// The coordinator's latest report; nil for none.
  private(set) var full: CoordinationReport?
  /// The part of the report that changes all the time; each beacon carries it.
  private(set) var digest: Data?
  /// See ``Beacon/otherCopy``.
  private(set) var otherCopy: UInt32?
  /// The number of reports so far. Each beacon carries the latest one's.
  private var version: UInt64 = 0

  /// - Parameter isCommand: whether the report is about an action of the user for the whole group.
  mutating func update(
    _ data: Data, session: GroupSessionID, isCommand: Bool
  ) -> CoordinationReport {
    version += 1
    let report = CoordinationReport(
      session: session, data: data, version: version, isCommand: isCommand)
    full = report
    return report
  }

  /// - Parameter data: at most ``Beacon/digestLimit`` bytes; more are ignored.
  mutating func update(digest data: Data, otherCopy: UInt32?, session: GroupSessionID) {
    guard full?.session == session, data.count <= Beacon.digestLimit else { return }
    digest = data
    self.otherCopy = otherCopy
  }

  mutating func forget(_ session: GroupSessionID) {
    guard full?.session == session else { return }
    full = nil
    digest = nil
    otherCopy = nil
  }
}
