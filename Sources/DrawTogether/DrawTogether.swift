import GroupActivities

/// Drawing together over a film's picture: a second activity of a party while it watches.
public struct DrawTogether: GroupActivity {
  public static let activityIdentifier = "matinee.draw-together"

  /// The identifier of the film that is drawn on. The drawing doesn't suit another one.
  public let item: String

  public init(item: String) { self.item = item }

  public var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .createTogether, title: "Drawing")
  }
}
