import GroupActivities

/// Drawing over a film's picture, together: a second thing that a party does while it watches.
public struct DrawTogether: GroupActivity {
  public static let activityIdentifier = "matinee.draw-together"

  /// The identifier of what is drawn on: on another film it would be out of place.
  public let item: String

  public init(item: String) { self.item = item }

  public var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .createTogether, title: "Drawing")
  }
}
