import Timekeeping

/// Chooses how good the picture is by how fast the terminal takes it: down while it is slow, up again after some
/// time in which it wasn't.
public struct QualityLadder: Hashable, Sendable {
  /// What is wanted, and never exceeded.
  public let best: PictureQuality
  /// 0 is the best.
  public private(set) var step = 0
  private var slowSince: HostTime?
  private var fastSince: HostTime?

  /// A frame's way that takes longer is slow.
  private static let slow = Duration.milliseconds(150)
  /// One that takes longer is no matter of a step: each would cost as long again.
  private static let hopeless = Duration.milliseconds(600)
  /// So long it has to be slow, or fast, before anything changes.
  private static let patience = Duration.milliseconds(500)
  private static let recovery = Duration.seconds(5)
  private static let tolerances = [6, 12, 18]

  public init(best: PictureQuality) { self.best = best }

  /// What to send now.
  public var quality: PictureQuality { steps[min(step, steps.count - 1)] }

  /// The steps, from the best to the smallest.
  private var steps: [PictureQuality] {
    var steps = [best]
    var next = best
    next.blocks = .halves
    for tolerance in Self.tolerances where tolerance > best.tolerance || next.blocks != best.blocks
    {
      next.tolerance = max(tolerance, best.tolerance)
      if next != steps.last { steps.append(next) }
    }
    next.colors = .indexed
    next.tolerance = max(6, best.tolerance)
    if next != steps.last { steps.append(next) }
    return steps
  }

  /// A frame took so long, or hasn't come for so long.
  public mutating func observe(_ roundTrip: Duration, at now: HostTime) {
    if roundTrip > Self.slow {
      fastSince = nil
      guard let since = slowSince else { return slowSince = now }
      guard now - since >= Self.patience, step < steps.count - 1 else { return }
      step = roundTrip > Self.hopeless ? steps.count - 1 : step + 1
      slowSince = now
    } else {
      slowSince = nil
      guard let since = fastSince else { return fastSince = now }
      guard now - since >= Self.recovery, step > 0 else { return }
      step -= 1
      fastSince = now
    }
  }
}
