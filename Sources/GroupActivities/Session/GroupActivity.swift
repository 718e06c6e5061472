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
  ///   ``PartyError/tooLarge`` for an activity over 16 KiB when encoded.
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
  /// participant has left it.
  ///
  /// Mirrors `sessions()`.
  public static func sessions(in party: Party) async -> AsyncStream<GroupSession<Self>> {
    await party.sessions(of: Self.self)
  }
}

/// The intent of a user who chose an activity. Mirrors `GroupActivityActivationResult`.
public enum GroupActivityActivationResult: Hashable, Sendable {
  /// The activity is for every participant: call ``GroupActivity/activate(in:)``.
  case activationPreferred
  /// The activity is only for this user: begin without the party.
  case activationDisabled
  /// The user cancelled.
  case cancelled
}

/// A description of an activity for users before they join. Mirrors `GroupActivityMetadata`.
public struct GroupActivityMetadata: Hashable, Sendable, Codable {
  public var type: ActivityType
  public var title: String?
  public var subtitle: String?
  /// An address where users without this program may find the same content.
  public var fallbackURL: String?
  /// A picture file's bytes (PNG or JPEG), for display on this machine.
  public var previewImage: Data?
  public var lifetimePolicy: LifetimePolicy

  public init(
    type: ActivityType = .generic, title: String? = nil, subtitle: String? = nil,
    fallbackURL: String? = nil, previewImage: Data? = nil,
    lifetimePolicy: LifetimePolicy = .automatic
  ) {
    self.type = type
    self.title = title
    self.subtitle = subtitle
    self.fallbackURL = fallbackURL
    self.previewImage = previewImage
    self.lifetimePolicy = lifetimePolicy
  }

  /// The lifetime of a session. Mirrors `GroupActivityMetadata.LifetimePolicy`.
  public enum LifetimePolicy: String, Hashable, Sendable, Codable {
    /// The session lasts until a participant ends it or the party is over.
    case automatic
    /// The session lasts until its initiator leaves the party or falls silent.
    case endsWhenInitiatorLeaves
  }

  /// The kind of experience. Mirrors `GroupActivityMetadata.ActivityType`.
  public struct ActivityType: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let generic = ActivityType(rawValue: "generic")
    public static let watchTogether = ActivityType(rawValue: "watchTogether")
    public static let listenTogether = ActivityType(rawValue: "listenTogether")
    public static let playTogether = ActivityType(rawValue: "playTogether")
    public static let workoutTogether = ActivityType(rawValue: "workoutTogether")
    public static let shopTogether = ActivityType(rawValue: "shopTogether")
    public static let readTogether = ActivityType(rawValue: "readTogether")
    public static let exploreTogether = ActivityType(rawValue: "exploreTogether")
    public static let learnTogether = ActivityType(rawValue: "learnTogether")
    public static let createTogether = ActivityType(rawValue: "createTogether")
  }
}
