/// The greatest picture that a terminal shows as sixels (XTSMGRAPHICS, xterm's `ctlseqs`).
package struct SixelLimits: Hashable, Sendable {
  /// The number of colours, 2 to 256.
  package var colors = 256 {
    didSet { colors = min(max(2, colors), 256) }
  }
  /// The width in pixels.
  package var width = Int.max
  /// The height in pixels.
  package var height = Int.max

  /// Creates the limits of a terminal that doesn't report them.
  package init() {}
}
