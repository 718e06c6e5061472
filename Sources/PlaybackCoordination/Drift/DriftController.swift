import Timekeeping

/// Decides by how much a player's rate must be nudged so that the player reaches, and keeps, the group's position.
///
/// A filter estimates two numbers from the measurements: the player's error, and the drift of its output (a sound card
/// with a crystal of its own) against this machine's clock (Kalman, 1960). The controller always compensates the drift,
/// so that no constant error remains. It corrects the error only from ``Configuration/startThreshold`` until the error
/// is below ``Configuration/stopThreshold``. A nudge that isn't audible yet counts as done, so that nothing is
/// corrected twice and nothing oscillates (Smith, 1957).
///
/// The controller has no clock: its owner measures, passes the measurements in, and carries out the corrections.
public struct DriftController: Hashable, Sendable {
  /// The limits within which a controller corrects. The defaults are inaudible for small errors.
  public struct Configuration: Hashable, Sendable {
    /// The error beyond which correcting begins. The threshold is higher when the measurements scatter more.
    public var startThreshold = Duration.microseconds(800)
    /// The error below which correcting ends.
    public var stopThreshold = Duration.microseconds(100)
    /// The time in which a correction reduces an error to about a third.
    public var timeConstant = Duration.seconds(2)
    /// The same for an error below ``startThreshold``, which isn't corrected but forgotten: 0.5 ms change the speed by
    /// 25 millionths.
    public var calmTimeConstant = Duration.seconds(20)
    /// The largest nudge for an error of up to ``gentleError``, which is inaudible: a nudge is resampled, and 0.003
    /// changes the pitch by 5 cents.
    public var gentleNudge = 0.003
    /// The largest error that ``gentleNudge`` corrects.
    public var gentleError = Duration.milliseconds(10)
    /// The largest nudge: 0.009 is nine tenths of a per cent, and 16 cents.
    public var largestNudge = 0.009
    /// The longest correction by nudges. An error that would take longer at the largest nudge is corrected by one seek.
    public var longestCorrection = Duration.seconds(5)

    /// Creates the default configuration.
    public init() {}
  }

  /// The correction to make now.
  public enum Correction: Hashable, Sendable {
    /// Play at the rate times this factor, which is usually the same as before.
    case nudge(Double)
    /// The error is too large for a nudge: seek to the group's position, allowing for the duration of the seek. No more
    /// measurements count until ``interrupted()``.
    case seek
  }

  /// The limits within which the controller corrects. Changes count from the next measurement.
  public var configuration: Configuration
  /// The last requested factor; 1 for none.
  public private(set) var nudge = 1.0
  /// The estimated drift of the player's output against this machine's clock, in seconds per second: above zero when
  /// the output runs faster.
  public var drift: Double { filter.drift }
  /// A Boolean value that indicates whether an error is being corrected now.
  public private(set) var isCorrecting = false

  private struct Nudge: Hashable, Sendable {
    var since: HostTime
    /// The factor minus 1.
    var offset: Double
  }

  private struct Seek: Hashable, Sendable {
    var at: HostTime
    /// The minimum time before the next seek.
    var pause: Duration
  }

  private var filter = DriftFilter()
  private var lastSeek: Seek?
  /// The most recent nudges, oldest first.
  private var recent: [Nudge] = []
  private var lastMeasured: HostTime?
  /// The number of consecutive measurements that only a seek could correct.
  private var strayed = 0

  /// Creates a controller that has measured nothing.
  public init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Discards the position after a command, a seek or a stall moved the player. Earlier measurements no longer describe
  /// the position, but the drift of the output is unchanged.
  public mutating func interrupted() {
    filter.forgetPosition()
    recent = []
    lastMeasured = nil
    strayed = 0
    isCorrecting = false
    nudge = 1
  }

  /// Takes a measurement and returns the correction to make.
  ///
  /// - Parameters:
  ///   - error: the time by which the player is ahead, in real time: media time divided by the rate.
  ///   - uncertainty: the uncertainty of the measurement itself.
  ///   - clockRate: how much faster the group's time runs than this machine's, in seconds per second.
  ///   - responseTime: the time until a nudge is audible.
  ///   - now: the time of the measurement; not before the last one.
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
      // Neither the millisecond at which a nudge becomes audible nor its exact size is known.
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
    let compensation = clockRate - filter.drift
    // The error that remains once all nudges so far are audible.
    let expected =
      filter.error + nudged(from: heard, until: now) - compensation * responseTime.inSeconds
    let start = max(configuration.startThreshold.inSeconds, 4 * filter.scatter)
    let stop = start * (configuration.stopThreshold / configuration.startThreshold)
    isCorrecting = abs(expected) > (isCorrecting ? stop : start)
    let most = configuration.largestNudge
    let gentle =
      abs(expected) <= configuration.gentleError.inSeconds ? configuration.gentleNudge : most
    let period = isCorrecting ? configuration.timeConstant : configuration.calmTimeConstant
    let wanted = -expected / period.inSeconds
    let offset = min(max(compensation + min(max(wanted, -gentle), gentle), -most), most)
    // A difference of a few millionths isn't worth a command to the player.
    if abs(1 + offset - nudge) > Self.resolution {
      nudge = 1 + offset
      recent.append(Nudge(since: now, offset: offset))
      while recent.count > 1, recent[1].since < heard - .seconds(5) { recent.removeFirst() }
    }
    return .nudge(nudge)
  }

  /// Returns whether a seek is allowed now. Constant seeking doesn't help a player that can't keep up: each seek soon
  /// after another doubles the pause before the next.
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

  /// The fraction of a nudge that may take effect earlier, later or differently than requested.
  private static let doubt = 0.5

  /// The smallest change of the nudge.
  private static let resolution = 2e-6

  /// Returns by how many seconds the nudges between two instants move the player.
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
