import GroupActivities
import Timekeeping

/// One coordinator's report to the others: about itself, and the group's state that it holds.
///
/// A report is sent at once after a change, and repeated in every beacon; the highest revision wins.
struct ParticipantReport: Hashable, Sendable {
  var revision: UInt64
  /// The item that the participant's player has, or is loading.
  var item: String?
  /// The proposal that the participant's player is ready for.
  var readyFor: Stamp?
  var suspensions: [CoordinatedPlaybackSuspension.Reason]
  /// The time before an instant at which the participant's player needs its command, in milliseconds.
  var startLatency: Int64?
  /// The time until a change of the participant's rate is audible, in milliseconds.
  var rateChangeLatency: Int64?
  /// The distance of the participant's player from the line, in microseconds: positive when ahead.
  var syncError: Int64?
  /// The uncertainty of ``syncError`` in either direction, in microseconds: 0...``uncertaintyLimit``.
  var syncUncertainty: Int64?
  /// The part of the data that the participant's player waits for which has arrived, in percent, 0...100; nil while the
  /// player doesn't wait for data.
  var loadedPercent: Int64?
  /// The reasons for which the participant's starts wait; nil from a version that doesn't report them.
  var waitedOut: [WaitedOutReason]?
  /// The end of ``item`` in the participant's copy, in microseconds: 0...``endLimit``; nil while unknown.
  var itemEnd: Int64?
  /// The FNV-1a hash of the item of which the player has another copy, such as another encoding; nil
  /// for none. It travels beside the digest, in beacons, so it may be about an earlier ``item``.
  var otherCopy: UInt32?
  /// The group's state for ``item``.
  var state: ItemState?

  static let suspensionLimit = 8
  /// Eleven days, in microseconds: no film is longer.
  static let endLimit: Int64 = 1_000_000_000_000
  /// An hour, in microseconds: a larger uncertainty carries no information.
  static let uncertaintyLimit: Int64 = 3_600_000_000

  /// The range of latencies that starts allow for. A participant who needs longer, or claims to, is late: one
  /// participant must not delay all starts.
  static let latencies = Duration.zero ... .seconds(2)

  /// A Boolean value that indicates whether the player has another copy of ``item``.
  var hasOtherCopy: Bool { otherCopy != nil && otherCopy == item?.fnv1a }

  /// Returns the latency, limited to the range that the others allow for.
  static func usable(_ latency: Int64?) -> Duration {
    latency.map { min(max(.milliseconds($0), latencies.lowerBound), latencies.upperBound) } ?? .zero
  }

  /// Returns a latency in milliseconds for the wire: rounded up, nil for none.
  static func milliseconds(_ latency: Duration) -> Int64? {
    latency > .zero ? (latency.inNanoseconds + 999_999) / 1_000_000 : nil
  }

  var isSensible: Bool {
    suspensions.count <= Self.suspensionLimit
      && suspensions.allSatisfy {
        (1...CoordinatedPlaybackSuspension.Reason.lengthLimit).contains($0.rawValue.utf8.count)
      }
      && (item.map { (1...ItemState.identifierLimit).contains($0.utf8.count) } ?? true)
      && (syncUncertainty.map { (0...Self.uncertaintyLimit).contains($0) } ?? true)
      && (loadedPercent.map { (0...100).contains($0) } ?? true)
      && (itemEnd.map { (0...Self.endLimit).contains($0) } ?? true)
      && (waitedOut.map(WaitedOutReason.isSensible) ?? true)
      && (state == nil || state?.item == item)
  }
}

/// A suspension reason for which a participant's starts wait.
struct WaitedOutReason: Hashable, Sendable {
  var reason: CoordinatedPlaybackSuspension.Reason
  /// The number of participants above which they don't wait; nil for no limit.
  var limit: Int?

  /// The maximum number of reasons of one participant, and of their bytes together.
  static let countLimit = 8
  static let byteLimit = 512

  static func isSensible(_ reasons: [WaitedOutReason]) -> Bool {
    reasons.count <= countLimit
      && reasons.reduce(0) { $0 + $1.reason.rawValue.utf8.count } <= byteLimit
      && reasons.allSatisfy { !$0.reason.rawValue.isEmpty && $0.limit ?? 1 >= 1 }
  }
}

extension CoordinatorMachine.Configuration {
  /// The reasons with their limits, in the order of their names.
  var waitedOutReasons: [WaitedOutReason] {
    suspensionReasonsThatTriggerWaiting.sorted { $0.rawValue < $1.rawValue }.map {
      WaitedOutReason(reason: $0, limit: participantLimits[$0])
    }
  }
}

/// The frequently changing part of a report: it travels in every beacon, in a few bytes.
struct ReportDigest: Hashable, Sendable {
  var startLatency: Int64?
  var rateChangeLatency: Int64?
  var syncError: Int64?
  var syncUncertainty: Int64?
  var loadedPercent: Int64?

  init(_ report: ParticipantReport) {
    startLatency = report.startLatency
    rateChangeLatency = report.rateChangeLatency
    syncError = report.syncError
    syncUncertainty = report.syncUncertainty
    loadedPercent = report.loadedPercent
  }

  func update(_ report: inout ParticipantReport) {
    report.startLatency = startLatency
    report.rateChangeLatency = rateChangeLatency
    report.syncError = syncError
    report.syncUncertainty = syncUncertainty
    report.loadedPercent = loadedPercent
  }
}
