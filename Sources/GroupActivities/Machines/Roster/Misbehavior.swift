import Timekeeping

/// An offence that no honest program commits. It has no effect on the group; the host may want to remove the
/// participant.
public enum Misbehavior: Hashable, Sendable, Codable {
  /// The message breaks a rule or a limit, or can't be read.
  case malformed
  /// The participant sends more than one participant may.
  case flood
  /// The participant does something that its role doesn't allow.
  case unauthorized
}

/// The offences that were reported, so that a flood of offences doesn't cause a flood of reports.
struct ReportedOffences: Hashable, Sendable {
  private struct Report: Hashable {
    var offender: Participant.ID
    var offence: Misbehavior
  }

  private var reportedAt: [Report: HostTime] = [:]

  /// The time after which the same offence of the same participant is reported again.
  private static let interval = Duration.seconds(60)
  private static let limit = 256

  /// - Returns: whether to report the offence.
  mutating func add(_ offence: Misbehavior, of offender: Participant.ID, at now: HostTime) -> Bool {
    let report = Report(offender: offender, offence: offence)
    if let last = reportedAt[report], now - last < Self.interval { return false }
    if reportedAt.count >= Self.limit {
      reportedAt = reportedAt.filter { now - $0.value < Self.interval }
      guard reportedAt.count < Self.limit else { return false }
    }
    reportedAt[report] = now
    return true
  }
}

extension PartyRejections {
  /// Returns the offences that led from the earlier counts to these.
  func offences(since before: PartyRejections) -> [Misbehavior] {
    var offences: [Misbehavior] = []
    if invalid > before.invalid || forged > before.forged { offences.append(.malformed) }
    if excess > before.excess { offences.append(.flood) }
    if unauthorized > before.unauthorized { offences.append(.unauthorized) }
    return offences
  }
}
