import Foundation

/// A shared activity of a party. It holds everything that stays constant during the experience; changing
/// state, such as a film's position, belongs to the coordinator.
///
/// Mirrors `GroupActivities.GroupActivity`. A process may be in several parties here: calls name one, or mean the current
/// one (``Party/current``), which takes the place of the FaceTime call.
public protocol GroupActivity: Codable, Hashable, Sendable {
  /// The identifier of the kind of activity, the same in every program and version that takes part in it; at most 256
  /// bytes of UTF-8.
  ///
  /// The default is the type's name with its module and the types around it, such as `Cinema.WatchMovie`. Declare one
  /// if the type or its module may be renamed, if programs of other modules or languages take part, or if the type is
  /// private or local: such a name differs between builds.
  static var activityIdentifier: String { get }

  /// The description that users see before they join.
  var metadata: GroupActivityMetadata { get async }
}

extension GroupActivity {
  /// The type's name with its module and the types around it.
  public static var activityIdentifier: String { String(reflecting: Self.self) }

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

/// The calls that mean the current party.
extension GroupActivity {
  /// Starts a session with this activity for every participant of the current party: ``activate(in:)``.
  ///
  /// - Throws: ``PartyError/notJoined`` also without a current party.
  ///
  /// Mirrors `activate()`.
  public func activate() async throws(PartyError) {
    guard let party = Party.current else { throw .notJoined }
    try await activate(in: party)
  }

  /// Determines whether the user wants to share this activity with the current party or to use it alone:
  /// ``prepareForActivation(in:)``.
  ///
  /// Mirrors `prepareForActivation()`.
  public func prepareForActivation() async -> GroupActivityActivationResult {
    await prepareForActivation(in: .current)
  }

  /// The sessions of this kind in the current party, and in each later one: ``sessions(in:)``. A program may begin to
  /// read before it is in a party, and the sequence doesn't end with one.
  ///
  /// Mirrors `sessions()`.
  public static func sessions() -> AsyncStream<GroupSession<Self>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: GroupSession<Self>.self, bufferingPolicy: .bufferingNewest(Party.waitingSessionLimit))
    let parties = CurrentParty.here.parties.values()
    let task = Task {
      var reading: Task<Void, Never>?
      for await party in parties {
        reading?.cancel()
        reading = party.map { party in
          Task { for await session in await sessions(in: party) { continuation.yield(session) } }
        }
      }
      reading?.cancel()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
