import Timekeeping

/// What a participant does that no honest program does. It has no effect, and costs those who are told of it
/// nothing; the host may want to remove who does it.
public enum Misbehavior: Hashable, Sendable, Codable {
  /// Says what breaks a rule or a limit, or can't be read.
  case malformed
  /// Says more than one participant may.
  case flood
  /// Does what its role doesn't allow.
  case unauthorized
}

/// Who was reported for what, so that a flood of offences isn't one of reports.
struct Accusations: Hashable, Sendable {
  private struct Charge: Hashable {
    var culprit: Participant.ID
    var offence: Misbehavior
  }

  private var toldAt: [Charge: HostTime] = [:]

  /// The same is told of the same participant after this time again.
  private static let interval = Duration.seconds(60)
  private static let limit = 256

  /// - Returns: whether to tell.
  mutating func add(_ offence: Misbehavior, of culprit: Participant.ID, at now: HostTime) -> Bool {
    let charge = Charge(culprit: culprit, offence: offence)
    if let told = toldAt[charge], now - told < Self.interval { return false }
    if toldAt.count >= Self.limit {
      toldAt = toldAt.filter { now - $0.value < Self.interval }
      guard toldAt.count < Self.limit else { return false }
    }
    toldAt[charge] = now
    return true
  }
}

extension PartyRejections {
  /// What a participant did that made these of those.
  func offences(since before: PartyRejections) -> [Misbehavior] {
    var offences: [Misbehavior] = []
    if invalid > before.invalid || forged > before.forged { offences.append(.malformed) }
    if excess > before.excess { offences.append(.flood) }
    if unauthorized > before.unauthorized { offences.append(.unauthorized) }
    return offences
  }
}
