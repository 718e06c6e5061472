import Foundation

/// The party's current activity: one register, in which the newest stamp wins, so that everybody ends
/// with the same one however many set it at once.
struct SessionRegister: Hashable, Sendable, Codable {
  var id: GroupSessionID
  var stamp: Stamp
  /// Who made the session.
  var initiator: Participant.ID
  var activityIdentifier: String
  /// The activity, encoded.
  var activity: Data
  /// Whether it ends when the initiator goes.
  var endsWithInitiator = false
  /// True once somebody ended the session for everybody.
  var ended: Bool

  /// The limits on what a peer may make us keep, in bytes.
  static let activityLimit = 16 * 1024
  static let identifierLimit = 256

  var isWithinLimits: Bool {
    activity.count <= Self.activityLimit && activityIdentifier.utf8.count <= Self.identifierLimit
  }
}
