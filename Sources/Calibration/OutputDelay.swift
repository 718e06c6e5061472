import Timekeeping

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The delay of a sound output that the player doesn't know about: the time from the instant at which the player
/// believes that a sound is heard to the instant at which the microphone hears it.
///
/// It is found by three sweeps (``CalibrationSound``), each by its first arrival, and refused if one of them isn't clear
/// or if they differ.
package struct OutputDelay: Hashable, Sendable {
  /// The reason for which there is no result.
  package enum Refusal: Error, Hashable, Sendable {
    /// The microphone delivered no sound at all: it is switched off or muted.
    case silent
    /// The room is quiet, and the sweeps aren't in the recording.
    case notHeard
    /// The sweeps are too weak in the noise, or drowned by it. The distance between both in dB, if they were found.
    case tooNoisy(decibels: Double?)
    /// The microphone is overdriven: the recording contains its loudest possible value too often.
    case clipped
    /// The sweeps arrived with delays that differ by this much.
    case inconsistent(spread: Duration)
    /// The player's or the microphone's times are on no line: the device doesn't know its time, or was interrupted.
    case unsteadyClock
    /// The recording ends too early.
    case tooShort
  }

  /// The median of the sweeps' delays. Above zero if the sound is late.
  package let delay: Duration
  /// The difference between the longest and the shortest of the sweeps' delays.
  package let spread: Duration
  /// The distance between the weakest sweep and the noise in dB, after the deconvolution.
  package let decibels: Double

  /// The largest difference between the sweeps.
  package static let longestSpread = Duration.milliseconds(2)
  /// The strongest arrival that noise alone would produce, in standard deviations: once in 10¹³ samples.
  private static let certain = 8.0
  /// The amplitude (effective value) above which a room isn't quiet: -50 dB.
  private static let quiet: Float = 0.003

  /// Finds the delay.
  ///
  /// - Parameter playback: readings of the player's position in ``CalibrationSound`` and of this machine's clock.
  package init(recording: Recording, playback: [ClockMark]) throws(Refusal) {
    let loudest = recording.samples.reduce(0) { max($0, abs($1)) }
    guard loudest > 1e-5 else { throw .silent }
    guard let player = ClockLine(playback, .middle),
      let microphone = ClockLine(recording.marks, .freshest)
    else { throw .unsteadyClock }
    let rate = Double(recording.rate)
    let emissions = CalibrationSound.beginnings.map { player.time(at: $0.inSeconds) }
    let expected = emissions.map { microphone.seconds(at: $0) * rate }
    let range = CalibrationSound.delays
    let arrivals = SweepArrivals(recording, sweepRate: rate * microphone.rate / player.rate)
    guard
      let common = arrivals.commonDelay(
        expected: expected,
        range: range.lowerBound.inSeconds * rate...range.upperBound.inSeconds * rate)
    else { throw .tooShort }
    var found: [SweepArrivals.Arrival] = []
    for sample in expected {
      guard let arrival = arrivals.arrival(near: sample + common, within: 0.01) else {
        throw .tooShort
      }
      found.append(arrival)
    }
    let clearance = found.map(\.clearance).min() ?? 0
    decibels = 20 * log10(max(clearance, 1e-9))
    guard clearance >= SweepArrivals.leastClearance else {
      if clearance >= Self.certain { throw .tooNoisy(decibels: decibels) }
      throw Self.level(of: recording.samples) > Self.quiet ? .tooNoisy(decibels: nil) : .notHeard
    }
    for arrival in found where Self.isClipped(recording, from: arrival.sample) { throw .clipped }
    let delays = zip(found, emissions).map { arrival, emission in
      (microphone.time(at: Double(arrival.sample) / rate) - emission).inSeconds
    }.sorted()
    spread = .seconds((delays.last ?? 0) - (delays.first ?? 0))
    guard spread <= Self.longestSpread else { throw .inconsistent(spread: spread) }
    delay = .seconds(ClockLine.median(delays))
  }

  private static func level(of samples: [Float]) -> Float {
    (samples.reduce(0) { $0 + $1 * $1 } / Float(max(samples.count, 1))).squareRoot()
  }

  /// Returns whether more than a thousandth of the sweep's samples have the loudest value.
  private static func isClipped(_ recording: Recording, from sample: Int) -> Bool {
    let length = Int(Sweep.duration * Double(recording.rate))
    let count = recording.samples.dropFirst(sample).prefix(length).count { abs($0) >= 0.999 }
    return count > length / 1000
  }
}
