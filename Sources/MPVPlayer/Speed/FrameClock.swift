import Timekeeping

/// Estimates the due times of the frames of a film without sound, from the instants at which mpv hands them over.
///
/// `time-pos` changes to a frame when mpv hands the frame over to the video output, which is earlier than the frame is
/// due; the difference depends on the durations of the frames before it. mpv plans a frame for the instant of the
/// previous one plus the time between the two, divided by the speed. So each of the frames that have passed gives an
/// estimate for every other one, and the median of these estimates is hardly affected by frames that came late or out
/// of turn.
///
/// Measured with `vo=null` at 24, 25, 30, 50 and 60 frames a second, with frames of 20 to 120 ms, and at other speeds:
/// the output shows the frames at the estimated times, within 1 ms.
struct FrameClock: Hashable, Sendable {
  /// The due time of the last frame that was handed over.
  struct Reading: Hashable, Sendable {
    var itemTime: MediaTime
    /// The instant at which mpv handed the frame over.
    var handedOver: HostTime
    var due: HostTime
    /// The spread of the frames' estimates: half of them lie within this distance on either side.
    var spread: Duration
    /// The number of frames with an estimate.
    var count: Int
  }

  private struct Frame: Hashable, Sendable {
    var itemTime: MediaTime
    var handedOver: HostTime
    /// The planned time from the first frame to this one, in real time.
    var plan: Duration
    /// The speed that divides the durations of the next frames.
    var speed: Double
    /// The due time of the first frame, estimated from this one. Nil for frames whose predecessors aren't known.
    var origin: HostTime?
  }

  /// Enough for a median that tolerates several wrong values.
  private static let most = 12
  /// The default of mpv's `video-timing-offset`: no frame is handed over longer before it is due.
  private static let earliest = Duration.milliseconds(50)
  /// The time in which the output's thread wakes up, and then the player's.
  private static let waking = Duration.microseconds(500)
  /// The limit of a frame's duration; a longer gap is not a frame.
  private static let longest = Duration.seconds(30)

  private var frames: [Frame] = []

  /// The longest of the known frames, in real time.
  var longestFrame: Duration {
    zip(frames.dropFirst(), frames).reduce(.zero) { max($0, $1.0.plan - $1.1.plan) }
  }

  /// Takes a frame that mpv handed over.
  ///
  /// - Parameter speed: the speed at which the next frame will be planned.
  mutating func handedOver(_ itemTime: MediaTime, at time: HostTime, speed: Double) {
    guard speed > 0 else { return frames = [] }
    guard let last = frames.last, itemTime > last.itemTime,
      itemTime - last.itemTime < Self.longest
    else {
      // The first frame, or one at another position.
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

  /// Returns how long before its due time mpv hands over a frame.
  ///
  /// mpv checks when the output has taken the previous frame out of its queue, which is when the one before that has
  /// been shown; it checks again when the previous frame is shown. No frame goes to the output more than 50 ms before
  /// it is due.
  ///
  /// - Parameters:
  ///   - frame: the time from the previous frame to this one.
  ///   - twoFrames: the time from the frame before the previous one to this one.
  static func lead(frame: Duration, twoFrames: Duration) -> Duration {
    // mpv doesn't check at the very instant.
    if twoFrames <= earliest + .microseconds(200) { return min(twoFrames, earliest) }
    return min(frame, earliest)
  }

  /// The due time of the last frame; nil until two frames with known predecessors have come.
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
