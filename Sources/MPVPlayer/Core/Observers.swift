/// The player's observers of properties that it observes only at times.
struct Observers: Hashable, Sendable {
  enum Role: Hashable, Sendable {
    /// The mouse, while it is followed.
    case pointer
    /// The position, while paused.
    case pausedPosition
    /// The frames of a film without sound, while they are watched.
    case frames
  }

  private var numbers: [Role: UInt64] = [:]

  func isObserving(_ role: Role) -> Bool { numbers[role] != nil }

  /// Returns the role of an observer; nil for one that has ended, whose last changes may still arrive.
  func role(of observer: UInt64) -> Role? { numbers.first { $0.value == observer }?.key }

  mutating func began(_ role: Role, as observer: UInt64) { numbers[role] = observer }

  /// Ends an observer.
  ///
  /// - Returns: its number; nil if there is none.
  mutating func ended(_ role: Role) -> UInt64? { numbers.removeValue(forKey: role) }
}
