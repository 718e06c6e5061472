/// The film's volume while people talk in another program.
package struct Ducking: Hashable, Sendable {
  /// A Boolean value that indicates whether the user wants the film to give way to calls.
  package private(set) var isOn = false
  /// A Boolean value that indicates whether a call is audible.
  private var isCallHeard = false

  package init() {}

  /// A Boolean value that indicates whether the film is quieter now.
  package var isLowered: Bool { isOn && isCallHeard }

  /// - Returns: false if nothing changes.
  mutating func turn(_ isOn: Bool) -> Bool {
    guard isOn != self.isOn else { return false }
    self.isOn = isOn
    // Calls are listened for from here on, or no longer.
    isCallHeard = false
    return true
  }

  mutating func heard(_ isCall: Bool) { isCallHeard = isOn && isCall }
}
