/// The end of the film on the screen: what this player and the group have reported about it.
struct FilmEnd: Hashable, Sendable {
  /// The item of which this player's copy has ended before the group's film; nil for none.
  private(set) var waitingItem: String?
  /// A Boolean value that indicates whether the film has begun or moved since its last reported end.
  private(set) var isNews = true
  /// A Boolean value that indicates whether the end of this player's copy came early.
  private(set) var isEarly = false
  /// The location of the film that continues this one, which the user may open; nil for none.
  private(set) var sequel: String?

  /// This player's copy of an item has ended.
  ///
  /// - Parameter isOver: true if the group's film is over; false if the others' copies are longer.
  mutating func reached(_ item: String?, isEarly: Bool, isOver: Bool) {
    (self.isEarly, waitingItem) = (isEarly, isOver ? nil : item)
  }

  /// The group's film is over.
  mutating func waitsNoLonger() { waitingItem = nil }

  /// The films beside the one that ended are known.
  mutating func found(_ sequel: String?) { if !isNews { self.sequel = sequel } }

  /// The user does something else than to open the film that continues this one.
  mutating func passOver() { sequel = nil }

  /// The user has learned of the end.
  mutating func told() { isNews = false }
}
