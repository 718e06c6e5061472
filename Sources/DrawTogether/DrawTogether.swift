import GroupActivities

/// Drawing together over a film's picture: a second activity of a party while it watches.
public struct DrawTogether: GroupActivity {
  /// The activity's name on the wire.
  public static let activityIdentifier = "matinee.draw-together"

  /// The identifier of the film that is drawn on. The drawing doesn't suit another one.
  public let item: String
  /// The number of times that the drawing was cleared. Two drawings of one film with the same number began at the same
  /// time: the strokes in both belong to the one that stays.
  public let clearings: Int

  /// Creates the activity for a film.
  ///
  /// - Parameters:
  ///   - item: the film's identifier, as in `WatchTogether`.
  ///   - clearings: 0 for the first drawing; later ones follow by ``cleared``.
  public init(item: String, clearings: Int = 0) {
    self.item = item
    self.clearings = clearings
  }

  private enum CodingKeys: String, CodingKey { case item, clearings }

  /// A drawing of an earlier version has no number.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    item = try values.decode(String.self, forKey: .item)
    clearings = try values.decodeIfPresent(Int.self, forKey: .clearings) ?? 0
  }

  /// The drawing that replaces this one when a participant clears it.
  public var cleared: DrawTogether {
    DrawTogether(item: item, clearings: clearings == .max ? .max : clearings + 1)
  }

  /// Returns whether the strokes of an earlier drawing belong to this one, too.
  public func continues(_ earlier: DrawTogether) -> Bool {
    item == earlier.item && clearings == earlier.clearings
  }

  /// A description without the film's title: a party that draws knows its film.
  public var metadata: GroupActivityMetadata {
    GroupActivityMetadata(type: .createTogether, title: "Drawing")
  }
}
