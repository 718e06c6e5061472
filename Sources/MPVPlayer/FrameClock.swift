import Timekeeping

/// Tells when the frames of a film without sound are due, by the instants at which mpv hands them over.
///
/// `time-pos` goes on to a frame when the frame is handed over to the video output, which is sooner than it is due:
/// by how much depends on the durations of the frames before it. mpv plans a frame for the instant of the one before
/// and the time between the two, divided by the speed; so of all the frames that went by, each tells when every
/// other one is due, and the median of what they say is hardly moved by those that came late or out of turn.
///
/// Measured with `vo=null` at 24, 25, 30, 50 and 60 frames a second, with frames of 20 to 120 ms, and at other speeds:
/// the output shows the frames at what is told here, within 1 ms.
struct FrameClock: Hashable, Sendable {
  /// When a frame that was handed over last is due.
  struct Reading: Hashable, Sendable {
    var itemTime: MediaTime
    /// When it was handed over.
    var handedOver: HostTime
    var due: HostTime
    /// How far what the frames say lies apart: half of it lies within this on either side.
    var spread: Duration
    /// How many frames say so.
    var count: Int
  }

  private struct Frame: Hashable, Sendable {
    var itemTime: MediaTime
    var handedOver: HostTime
    /// From the first frame to this one as mpv plans them, in real time.
    var plan: Duration
    /// That of the next frames will be divided by it.
    var speed: Double
    /// When the first frame was due, as this one says. Nil for those whose predecessors aren't known.
    var origin: HostTime?
  }

  /// Enough for a median that doesn't mind several that are wrong.
  private static let most = 12
  /// Of mpv's `video-timing-offset`: no frame is handed over sooner before it is due.
  private static let earliest = Duration.milliseconds(50)
  /// The output's thread has to wake up, and then the player's.
  private static let waking = Duration.microseconds(500)
  /// What is longer is no frame.
  private static let longest = Duration.seconds(30)

  private var frames: [Frame] = []

  /// The longest of the frames that are known, in real time.
  var longestFrame: Duration {
    zip(frames.dropFirst(), frames).reduce(.zero) { max($0, $1.0.plan - $1.1.plan) }
  }

  /// - Parameter speed: at which the next frame will be planned.
  mutating func handedOver(_ itemTime: MediaTime, at time: HostTime, speed: Double) {
    guard speed > 0 else { return frames = [] }
    guard let last = frames.last, itemTime > last.itemTime,
      itemTime - last.itemTime < Self.longest
    else {
      // The first, or somewhere else.
      frames = [
        Frame(itemTime: itemTime, handedOver: time, plan: .zero, speed: speed, origin: nil)
      ]
      return
    }
    let plan = last.plan + (itemTime - last.itemTime) / last.speed
    var origin: HostTime?
    if frames.count >= 2 {
      let lead = Self.lead(
        frame: plan - last.plan, twoFrames: plan - frames[frames.count - 2].plan)
      origin = time - Self.waking + lead - plan
    }
    frames.append(
      Frame(itemTime: itemTime, handedOver: time, plan: plan, speed: speed, origin: origin))
    if frames.count > Self.most { frames.removeFirst() }
  }

  /// How much sooner than due mpv hands over a frame.
  ///
  /// It looks when the output has taken the frame before out of its queue, which is when the one before that has
  /// been shown; again when that one is shown; and no frame goes there more than 50 ms before it is due.
  ///
  /// - Parameters:
  ///   - frame: from the frame before to this one.
  ///   - twoFrames: from the one before that.
  static func lead(frame: Duration, twoFrames: Duration) -> Duration {
    // It doesn't look at the very instant.
    if twoFrames <= earliest + .microseconds(200) { return min(twoFrames, earliest) }
    return min(frame, earliest)
  }

  /// - Returns: nil until two frames have come whose predecessors are known.
  var reading: Reading? {
    guard let last = frames.last else { return nil }
    let origins = frames.compactMap(\.origin).sorted()
    guard origins.count >= 2 else { return nil }
    let middle = origins.count / 2
    let median =
      origins.count % 2 == 1
      ? origins[middle]
      : origins[middle - 1] + (origins[middle] - origins[middle - 1]) / 2
    let distances = origins.map { ($0 - median).magnitude }.sorted()
    return Reading(
      itemTime: last.itemTime, handedOver: last.handedOver, due: median + last.plan,
      spread: distances[distances.count / 2], count: origins.count)
  }
}
