/// The window's state before it became small.
struct WindowArrangement: Hashable, Sendable {
  /// The properties' earlier values.
  var properties: [String: MPVValue] = [:]
  /// The window's scale relative to its film; nil if there was no picture.
  var scale: Double?
}

/// Picture in picture: a small window in the corner, without a border and above all others.
struct PictureInPicture: Hashable, Sendable {
  /// A quarter of the screen's width, at its lower right corner.
  private static let corner = "25%-24-24"
  /// The properties of the small window. They include the user's `autofit`, which would otherwise override the size.
  static let properties: [(name: String, value: MPVValue)] = [
    (MPVProperty.fullscreen, .flag(false)),
    (MPVProperty.maximized, .flag(false)),
    (MPVProperty.border, .flag(false)),
    (MPVProperty.onTop, .flag(true)),
    (MPVProperty.autofit, .string("")),
    (MPVProperty.autofitSmaller, .string("")),
    (MPVProperty.geometry, .string(corner)),
  ]

  /// Nil while the window isn't small.
  private var before: WindowArrangement?
  /// The spelling of the outputs when the window was last opened again.
  private var hasRepeatedOutput = false

  /// A Boolean value that indicates whether the window is small, or will be when it opens.
  var isSmall: Bool { before != nil }

  /// The window becomes small. Called before its state is read: a second press reverses the change.
  mutating func began() { before = WindowArrangement() }

  /// The window's state was read.
  mutating func remembered(_ arrangement: WindowArrangement) { before = arrangement }

  /// The window becomes an ordinary one.
  ///
  /// - Returns: its former state; nil if it wasn't small.
  mutating func ended() -> WindowArrangement? {
    defer { before = nil }
    return before
  }

  /// Returns the outputs in another spelling than the last time, which is a change to mpv: it opens the window again.
  mutating func respelled(_ outputs: String) -> String {
    hasRepeatedOutput.toggle()
    return outputs + (hasRepeatedOutput ? ",null" : "")
  }
}
