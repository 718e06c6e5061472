import TerminalVideo
import Timekeeping

/// The choice of the kind of picture: the user's wish, as far as the terminal can show it.
///
/// Without a wish, the best kind that the terminal confirms is chosen: pixels by kitty's protocol, sixels, octants where
/// it draws them itself, because fonts lack them, and quadrants elsewhere.
///
/// - A terminal on this machine reads pixels from shared memory. The picture has the terminal's own pixels then, up to
///   those of a full HD screen.
/// - Other terminals receive them through their link, compressed. A picture of 480 × 270 pixels costs about five times
///   the bytes of half-blocks in 24-bit colour, so that it is smaller than the terminal could show. A link that becomes
///   slow gets cells within about a second (``QualityLadder``), and pixels are tried less often each time.
/// - Over SSH the picture is smaller still, and begins with cells: pixels follow when those have arrived without delay
///   for five seconds. An answer later than ``deadline`` shows that the network is slow, and cells are kept.
/// - GNU screen takes the question for a title, so it is only asked on request. tmux would too; its own terminal is
///   asked (``TmuxPassthrough``).
///
/// The user's choice, by an option or by the key, is kept: answers change nothing about it.
struct PictureChoice: Hashable, Sendable {
  /// Time for the answer of a terminal that isn't on this machine.
  static let deadline = Duration.seconds(1)

  /// The best picture that may be shown.
  private(set) var best: PictureQuality
  private let isRemote: Bool
  private let wish: PictureQuality.Blocks?
  /// Pixels are chosen once the terminal confirms them.
  private var awaitsPixels: Bool
  /// The best medium that the terminal has confirmed; nil for a terminal without kitty's protocol.
  private var medium: PictureQuality.Medium?
  private var hasSixel = false
  private var asked: HostTime?
  /// The best cells that the terminal has.
  private(set) var cells: PictureQuality.Blocks

  /// Creates a choice.
  ///
  /// - Parameters:
  ///   - blocks: the user's wish; nil for the best that the terminal has.
  ///   - isRemote: whether the terminal is at the other end of a network.
  init(
    blocks: PictureQuality.Blocks?, colors: PictureQuality.Colors = .indexed, isRemote: Bool = false
  ) {
    self.isRemote = isRemote
    wish = blocks
    awaitsPixels = blocks?.isPixels ?? true
    cells = blocks == .octants ? .octants : .quadrants
    // The terminal has to confirm pixels.
    best = PictureQuality(
      blocks: blocks.flatMap { $0.isPixels ? nil : $0 } ?? .quadrants, colors: colors)
  }

  /// A Boolean value that indicates whether the user asked for pixels, however late the answer is.
  private var insists: Bool { wish?.isPixels ?? false }

  /// A Boolean value that indicates whether the terminal has confirmed pixels.
  var hasPixels: Bool { medium != nil || hasSixel }

  /// A Boolean value that indicates whether cells are shown until the link has proved fast.
  var beginsWithCells: Bool {
    let isNear = best.blocks == .pixels && best.medium == .sharedMemory
    return isRemote && !isNear && awaitsPixels && !insists
  }

  /// Records the number of colours that the terminal has confirmed.
  mutating func setColors(_ colors: PictureQuality.Colors) { best.colors = colors }

  /// Records the time at which the terminal was asked about pixels.
  mutating func asked(at now: HostTime) { asked = now }

  /// Records that the terminal shows pixels by this medium. Answers come in any order.
  mutating func confirmed(_ medium: PictureQuality.Medium, at now: HostTime) {
    guard self.medium != .sharedMemory else { return }
    self.medium = medium
    pixelsConfirmed(at: now)
  }

  /// Records that the terminal shows sixels.
  mutating func confirmedSixel(at now: HostTime) {
    hasSixel = true
    pixelsConfirmed(at: now)
  }

  private mutating func pixelsConfirmed(at now: HostTime) {
    let isTimely = asked.map { now - $0 <= Self.deadline } ?? false
    if awaitsPixels, medium == .sharedMemory || insists || isTimely {
      best.blocks = medium == nil || wish == .sixel && hasSixel ? .sixel : .pixels
    }
    limitPixels()
  }

  /// Records that the terminal draws octants.
  mutating func confirmedOctants() {
    cells = .octants
    // Until pixels are confirmed, quadrants are shown in their place.
    if awaitsPixels, best.blocks == .quadrants { best.blocks = .octants }
  }

  /// Changes to the terminal's link, because shared memory is full.
  mutating func sharedMemoryFailed() {
    guard medium == .sharedMemory else { return }
    medium = .link
    limitPixels()
  }

  private mutating func limitPixels() {
    if let medium { best.medium = medium }
    best.pixelLimit =
      switch best.blocks {
      case .sixel: isRemote ? 480 * 270 : 1280 * 720
      case .halves, .quadrants, .octants, .pixels:
        switch best.medium {
        case .sharedMemory: 1920 * 1080
        case .link: isRemote ? 320 * 180 : 480 * 270
        }
      }
  }

  /// Chooses the next kind that the terminal can show, and returns it.
  mutating func advance() -> PictureQuality.Blocks {
    awaitsPixels = false
    var kinds: [PictureQuality.Blocks] = [.quadrants, .halves]
    if cells == .octants { kinds.insert(.octants, at: 0) }
    if hasSixel { kinds.insert(.sixel, at: 0) }
    if medium != nil { kinds.insert(.pixels, at: 0) }
    let current = kinds.firstIndex(of: best.blocks) ?? 0
    best.blocks = kinds[(current + 1) % kinds.count]
    limitPixels()
    return best.blocks
  }
}
