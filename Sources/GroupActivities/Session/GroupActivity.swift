import Foundation

/// Something that a party does together. Holds all that stays constant during the experience; what
/// changes (where the film is) belongs to the coordinator.
///
/// Mirrors `GroupActivities.GroupActivity`. As a process may be in several parties here, the party is
/// named where Apple's API has the one FaceTime call.
public protocol GroupActivity: Codable, Hashable, Sendable {
  /// Names the kind of activity, the same in every program and version that takes part in it.
  static var activityIdentifier: String { get }

  /// What to show to people before they join.
  var metadata: GroupActivityMetadata { get async }
}

extension GroupActivity {
  /// Starts a session with this activity for everyone in the party, in place of one with the same kind of activity.
  ///
  /// The session reaches every participant, this one included, through ``sessions(in:)``.
  /// - Throws: ``PartyError/notJoined`` before the party has let us in, ``PartyError/tooLarge`` for
  ///   an activity over 16 KiB when encoded.
  ///
  /// Mirrors `activate()`.
  public func activate(in party: Party) async throws(PartyError) {
    try await party.activate(self, lifetimePolicy: await metadata.lifetimePolicy)
  }

  /// Settles what somebody means who chose this while in a party: to share it, or to have it alone.
  ///
  /// Asks whoever the program has named with ``Party/setActivationPreparer(_:)``; without one everybody is
  /// meant.
  ///
  /// - Parameter party: nil while in none.
  /// - Returns: ``GroupActivityActivationResult/activationDisabled`` without a party.
  ///
  /// Mirrors `prepareForActivation()`.
  public func prepareForActivation(in party: Party?) async -> GroupActivityActivationResult {
    guard let party, await party.isJoined else { return .activationDisabled }
    return await party.prepareForActivation(of: metadata)
  }

  /// The party's sessions of this kind: the current one, if there is one, and each new one.
  /// Several loops may read it; each gets its own. A session that was left comes again to whoever asks again.
  ///
  /// Mirrors `sessions()`.
  public static func sessions(in party: Party) async -> AsyncStream<GroupSession<Self>> {
    await party.sessions(of: Self.self)
  }
}

/// What somebody means who chose an activity. Mirrors `GroupActivityActivationResult`.
public enum GroupActivityActivationResult: Hashable, Sendable {
  /// For everyone: call ``GroupActivity/activate(in:)``.
  case activationPreferred
  /// Just here: begin without the party.
  case activationDisabled
  /// Not at all.
  case cancelled
}

/// What to show to people before they join an activity. Mirrors `GroupActivityMetadata`.
public struct GroupActivityMetadata: Hashable, Sendable, Codable {
  public var type: ActivityType
  public var title: String?
  public var subtitle: String?
  /// Where somebody without this program may find the same thing.
  public var fallbackURL: String?
  /// A picture file's bytes (PNG or JPEG), for whoever shows the activity on this machine.
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

  /// How long a session lasts. Mirrors `GroupActivityMetadata.LifetimePolicy`.
  public enum LifetimePolicy: String, Hashable, Sendable, Codable {
    /// Until somebody ends it, or the party is over.
    case automatic
    /// Until its initiator leaves the party, or falls silent.
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
