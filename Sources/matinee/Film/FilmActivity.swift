import GroupActivities

/// Watching one film together.
struct FilmActivity: GroupActivity {
  static let activityIdentifier = "matinee.watch-together"

  /// The same for everybody who has the same film: ``FilmIdentity``.
  var identifier: String
  var title: String
  /// Where everybody can get it; nil for a file that each needs a copy of.
  var location: String?

  var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .watchTogether, title: title, fallbackURL: location)
  }
}
