package extension Optional where Wrapped: Comparable {
  /// Replaces a deadline by an earlier one. Nil is later than all.
  mutating func bringForward(to other: Wrapped?) {
    guard let other else { return }
    self = self.map { Swift.min($0, other) } ?? other
  }
}
