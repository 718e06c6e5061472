/// The way in which a picture becomes cells.
package struct PictureQuality: Hashable, Sendable {
  /// The part of a picture that one cell shows.
  package enum Blocks: String, Hashable, Sendable, CaseIterable {
    /// Two pixels, one above the other: both colours are right.
    case halves
    /// Four pixels in the two colours that suit them best: finer edges, for twice the work and the bytes.
    case quadrants
    /// Eight pixels, two beside each other in each of four rows, in two colours: about the bytes of quadrants. Unicode
    /// 16 has the characters (2024); few fonts do, but some terminals draw them.
    case octants
    /// Pixels in up to 256 colours, as sixels: for terminals that support them, on links with ten times the capacity.
    case sixel
    /// Pixels, by kitty's graphics protocol: for terminals that support it, on links with ten times the capacity.
    case pixels

    /// A Boolean value that indicates whether the picture doesn't consist of cells.
    package var isPixels: Bool {
      switch self {
      case .halves, .quadrants, .octants: false
      case .sixel, .pixels: true
      }
    }
  }

  /// The way in which pixels reach a terminal with kitty's graphics protocol.
  package enum Medium: String, Hashable, Sendable, CaseIterable {
    /// Shared memory, for a terminal on this machine: only a name is written to the terminal.
    case sharedMemory
    /// The terminal's own link, compressed and in Base64: for every terminal with the protocol.
    case link
  }

  /// The colours that the terminal distinguishes.
  package enum Colors: String, Hashable, Sendable, CaseIterable {
    /// 24 bits.
    case direct
    /// xterm's 256 colours: its cube and its greys.
    case indexed
  }

  /// The part of a picture that one cell shows.
  package var blocks: Blocks
  /// The colours that the terminal distinguishes.
  package var colors: Colors
  /// The largest difference of a channel, of 255, for which a cell isn't sent again. The eye can't distinguish 6 from
  /// 0, and 6 takes a quarter of the bytes.
  package var tolerance: Int
  /// A Boolean value that indicates whether colours between the 256 are mixed of two of them, for about half as many
  /// bytes again.
  package var isDithered: Bool
  /// The medium of pixels.
  package var medium: Medium
  /// The largest number of pixels in a picture that is made of pixels: a smaller picture is enlarged.
  package var pixelLimit: Int

  /// The tolerance that the eye can't see, of 255.
  package static let standardTolerance = 6

  /// Creates a quality. Values out of range are clamped: the tolerance to 0 to 255, the limit of pixels to at least
  /// 1.
  package init(
    blocks: Blocks = .halves, colors: Colors = .direct, tolerance: Int = standardTolerance,
    isDithered: Bool = true,
    medium: Medium = .link, pixelLimit: Int = 320 * 180
  ) {
    self.blocks = blocks
    self.colors = colors
    self.tolerance = min(max(0, tolerance), 255)
    self.isDithered = isDithered
    self.medium = medium
    self.pixelLimit = max(1, pixelLimit)
  }

  /// Returns the colour of xterm's palette that is nearest to one of 24 bits.
  package static func nearestIndexed(to color: UInt32) -> Int {
    Int(XtermPalette.nearest[XtermPalette.key(color)])
  }
}
