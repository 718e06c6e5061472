import Foundation

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

/// The intent of a user who chose an activity. Mirrors `GroupActivityActivationResult`.
public enum GroupActivityActivationResult: Hashable, Sendable {
  /// The activity is for every participant: call ``GroupActivity/activate(in:)``.
  case activationPreferred
  /// The activity is only for this user: begin without the party.
  case activationDisabled
  /// The user cancelled.
  case cancelled
}
