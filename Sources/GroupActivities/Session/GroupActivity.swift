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
  /// Starts a session with this activity for everyone in the party.
  ///
  /// The session reaches every participant, this one included, through ``sessions(in:)``.
  /// - Throws: ``PartyError/notJoined`` before the party has let us in, ``PartyError/tooLarge`` for
  ///   an activity over 16 KiB when encoded.
  ///
  /// Mirrors `activate()`.
  public func activate(in party: Party) async throws(PartyError) {
    try await party.activate(self)
  }

  /// The party's sessions of this kind: the current one, if there is one, and each new one.
  /// Several loops may read it; each gets its own.
  ///
  /// Mirrors `sessions()`.
  public static func sessions(in party: Party) async -> AsyncStream<GroupSession<Self>> {
    await party.sessions(of: Self.self)
  }
}

/// What to show to people before they join an activity. Mirrors `GroupActivityMetadata`.
public struct GroupActivityMetadata: Hashable, Sendable, Codable {
  public var type: ActivityType
  public var title: String?
  public var subtitle: String?
  /// Where somebody without this program may find the same thing.
  public var fallbackURL: String?

  public init(
    type: ActivityType = .generic, title: String? = nil, subtitle: String? = nil,
    fallbackURL: String? = nil
  ) {
    self.type = type
    self.title = title
    self.subtitle = subtitle
    self.fallbackURL = fallbackURL
  }

  /// The kind of experience. Mirrors `GroupActivityMetadata.ActivityType`.
  public struct ActivityType: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let generic = ActivityType(rawValue: "generic")
    public static let watchTogether = ActivityType(rawValue: "watchTogether")
    public static let listenTogether = ActivityType(rawValue: "listenTogether")
  }
}
