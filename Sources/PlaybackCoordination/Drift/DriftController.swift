import Timekeeping

/// Decides by how much a player's rate has to be nudged so that it is, and stays, where the group is.
///
/// A filter keeps two numbers from the measurements: how far off the player is, and how fast its output (a
/// sound card with a crystal of its own) drifts against this machine's clock (Kalman, 1960). The drift is always
/// made up for, so that no constant error stays; the error only from ``Configuration/startThreshold`` until
/// it is below ``Configuration/stopThreshold``. What was nudged but can't be heard yet counts as done, so that
/// nothing is corrected twice and nothing swings (Smith, 1957).
///
/// A value without a clock: whoever drives it measures, tells it, and does what it says.
public struct DriftController: Hashable, Sendable {
  public struct Configuration: Hashable, Sendable {
    /// Correcting begins beyond this error. More when measurements scatter more.
    public var startThreshold = Duration.microseconds(800)
    /// Correcting ends below this one.
    public var stopThreshold = Duration.microseconds(100)
    /// In this time a correction brings an error down to a third.
    public var timeConstant = Duration.seconds(2)
    /// The largest nudge there is: 0.05 is five per cent. Errors of up to a hundredth of a second get along
    /// with a tenth of it.
    public var largestNudge = 0.05
    /// What the largest nudge needs longer for than this, one seek mends.
    public var longestCorrection = Duration.seconds(5)

    public init() {}
  }

  /// What is to be done now.
  public enum Correction: Hashable, Sendable {
    /// Play at the rate times this. The same as before more often than not.
    case nudge(Double)
    /// Too far off for that: go to where the group is, allowing for what that costs. No more measurements
    /// count until ``interrupted()``.
    case seek
  }

  public var configuration: Configuration
  /// The factor that was asked for last; 1 for none.
  public private(set) var nudge = 1.0
  /// By which factor the player's output runs faster than this machine's clock, as far as is known.
  public var drift: Double { filter.drift }
  /// Whether an error is being corrected now.
  public private(set) var isCorrecting = false

  private struct Nudge: Hashable, Sendable {
    var since: HostTime
    /// Beyond 1.
    var offset: Double
  }

  private struct Seek: Hashable, Sendable {
    var at: HostTime
    /// Before the next.
    var pause: Duration
  }

  private var filter = DriftFilter()
  private var lastSeek: Seek?
  /// The nudges of the last moments, oldest first.
  private var recent: [Nudge] = []
  private var lastMeasured: HostTime?
  /// How many measurements in a row say that only a seek helps.
  private var strayed = 0

  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Something moved the player: a command, a seek, a stall. What was measured before says nothing any more of
  /// where it is; the drift of its output stays what it was.
  public mutating func interrupted() {
    filter.forgetPlace()
    recent = []
    lastMeasured = nil
    strayed = 0
    isCorrecting = false
    nudge = 1
  }

  /// - Parameters:
  ///   - error: by how much the player is ahead, in real time: media time divided by the rate.
  ///   - uncertainty: of the measurement itself.
  ///   - clockRate: by how much the group's time runs faster than this machine's, in seconds a second.
  ///   - responseTime: how long a nudge takes to be heard.
  ///   - now: when it was measured; not before the last one.
  public mutating func measured(
    _ error: Duration, uncertainty: Duration, clockRate: Double, responseTime: Duration,
    at now: HostTime
  ) -> Correction {
    let limit = configuration.longestCorrection * configuration.largestNudge
    strayed = abs(error.inSeconds) > limit.inSeconds ? strayed + 1 : 0
    // One measurement may be a mistake.
    if strayed == 1 { return .nudge(nudge) }
    if strayed > 1, maySeek(at: now) { return .seek }

    let heard = now - responseTime
    if let lastMeasured {
      let elapsed = max(0, (now - lastMeasured).inSeconds)
      let moved = nudged(from: lastMeasured - responseTime, until: heard) - clockRate * elapsed
      // When a nudge is heard isn't known to the millisecond, nor how large it comes out.
      let begin = now - responseTime * 3
      let before = recent.last { $0.since < begin }?.offset ?? 0
      let turbulence = recent.lazy.filter { $0.since >= begin }
        .reduce(0) { max($0, abs($1.offset - before)) }
      filter.advance(by: elapsed, moved: moved, doubt: Self.doubt * turbulence * elapsed)
    }
    lastMeasured = now
    guard filter.measured(error.inSeconds, uncertainty: uncertainty.inSeconds) else {
      return .nudge(nudge)
    }
    let standing = clockRate - filter.drift
    // What the error will be once all is heard that was nudged.
    let expected =
      filter.error + nudged(from: heard, until: now) - standing * responseTime.inSeconds
    let start = max(configuration.startThreshold.inSeconds, 4 * filter.scatter)
    let stop = start * (configuration.stopThreshold / configuration.startThreshold)
    isCorrecting = abs(expected) > (isCorrecting ? stop : start)
    let wanted = isCorrecting ? -expected / configuration.timeConstant.inSeconds : 0
    let most = configuration.largestNudge
    let offset = min(max(standing + wanted, -most), most)
    // A few millionths more or less aren't worth a word to the player.
    if abs(1 + offset - nudge) > Self.resolution {
      nudge = 1 + offset
      recent.append(Nudge(since: now, offset: offset))
      while recent.count > 1, recent[1].since < heard - .seconds(5) { recent.removeFirst() }
    }
    return .nudge(nudge)
  }

  /// A player that can't keep up isn't helped by seeking all the time: each seek that comes soon after another
  /// is followed by a pause twice as long.
  private mutating func maySeek(at now: HostTime) -> Bool {
    guard let last = lastSeek else {
      lastSeek = Seek(at: now, pause: Self.shortestPause)
      return true
    }
    guard now - last.at >= last.pause else { return false }
    let isCalm = now - last.at >= last.pause * 4
    lastSeek = Seek(
      at: now, pause: isCalm ? Self.shortestPause : min(last.pause * 2, Self.longestPause))
    return true
  }

  private static let shortestPause = Duration.seconds(2)
  private static let longestPause = Duration.seconds(60)

  /// How much of a nudge may come sooner, later or otherwise than told.
  private static let doubt = 0.5

  /// The smallest change of the nudge that is made.
  private static let resolution = 2e-6

  /// By how much nudges between two instants move the player.
  private func nudged(from begin: HostTime, until end: HostTime) -> Double {
    var sum = 0.0
    for (index, nudge) in recent.enumerated() {
      let until = index + 1 < recent.count ? min(recent[index + 1].since, end) : end
      let from = max(nudge.since, begin)
      if from < until { sum += nudge.offset * (until - from).inSeconds }
    }
    return sum
  }
}
