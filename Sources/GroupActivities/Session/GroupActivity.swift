import Foundation

/// A shared activity of a party. It holds everything that stays constant during the experience; changing
/// state, such as a film's position, belongs to the coordinator.
///
/// Mirrors `GroupActivities.GroupActivity`. A process may be in several parties here, so calls name the party
/// where Apple's API has the one FaceTime call.
public protocol GroupActivity: Codable, Hashable, Sendable {
  /// The identifier of the kind of activity, the same in every program and version that takes part in it.
  static var activityIdentifier: String { get }

  /// The description that users see before they join.
  var metadata: GroupActivityMetadata { get async }
}

extension GroupActivity {
  /// Starts a session with this activity for every participant, in place of a session with the same kind of
  /// activity.
  ///
  /// The session reaches every participant, this one included, through ``sessions(in:)``.
  /// - Throws: ``PartyError/notJoined`` before the party has admitted this participant,
  ///   ``PartyError/tooLarge(bytes:limit:)`` for an activity over 16 KiB when encoded.
  ///
  /// Mirrors `activate()`.
  public func activate(in party: Party) async throws(PartyError) {
    try await party.activate(self, lifetimePolicy: await metadata.lifetimePolicy)
  }

  /// Determines whether the user wants to share this activity with the party or to use it alone.
  ///
  /// Asks the closure set with ``Party/setActivationPreparer(_:)``; without one the activity is for every
  /// participant.
  ///
  /// - Parameter party: the party; nil while in none.
  /// - Returns: ``GroupActivityActivationResult/activationDisabled`` without a party.
  ///
  /// Mirrors `prepareForActivation()`.
  public func prepareForActivation(in party: Party?) async -> GroupActivityActivationResult {
    guard let party, await party.isJoined else { return .activationDisabled }
    return await party.prepareForActivation(of: metadata)
  }

  /// The party's sessions of this kind: the current one, if there is one, and each new one. Several loops may
  /// read it; each gets its own stream. A new stream begins with the current session again, even if this
  /// participant has left it. From the first call on, sessions of kinds that the program doesn't read can't take their
  /// place.
  ///
  /// Mirrors `sessions()`.
  public static func sessions(in party: Party) async -> AsyncStream<GroupSession<Self>> {
    await party.sessions(of: Self.self)
  }
}
