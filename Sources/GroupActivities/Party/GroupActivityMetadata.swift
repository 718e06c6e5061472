/// A description of an activity for users before they join. Mirrors `GroupActivityMetadata`.
public struct GroupActivityMetadata: Hashable, Sendable, Codable {
  /// The kind of experience.
  public var type: ActivityType
  /// The content's title, as a user knows it.
  public var title: String?
  /// An address where users without this program may find the same content.
  public var fallbackURL: String?
  /// The lifetime of a session with this activity.
  public var lifetimePolicy: LifetimePolicy

  /// Creates a description. Without arguments, it describes a generic activity without a title.
  public init(
    type: ActivityType = .generic, title: String? = nil, fallbackURL: String? = nil,
    lifetimePolicy: LifetimePolicy = .automatic
  ) {
    self.type = type
    self.title = title
    self.fallbackURL = fallbackURL
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
    /// The type's name on the wire. A participant may receive names that it doesn't know.
    public let rawValue: String

    /// Creates a type that isn't among the known ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An activity that none of the other types describes.
    public static let generic = ActivityType(rawValue: "generic")
    /// An activity that plays video for the group.
    public static let watchTogether = ActivityType(rawValue: "watchTogether")
    /// An activity that plays audio for the group.
    public static let listenTogether = ActivityType(rawValue: "listenTogether")
    /// A game.
    public static let playTogether = ActivityType(rawValue: "playTogether")
    /// A workout or another physical exercise.
    public static let workoutTogether = ActivityType(rawValue: "workoutTogether")
    /// A visit to a shop.
    public static let shopTogether = ActivityType(rawValue: "shopTogether")
    /// The reading of a book or another text.
    public static let readTogether = ActivityType(rawValue: "readTogether")
    /// A discovery of new content or places.
    public static let exploreTogether = ActivityType(rawValue: "exploreTogether")
    /// A lesson or course.
    public static let learnTogether = ActivityType(rawValue: "learnTogether")
    /// The creation of a work, such as a drawing or a text.
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
