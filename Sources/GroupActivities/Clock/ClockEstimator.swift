import DequeModule
import Timekeeping

/// Estimates group time minus host time from two-way exchanges.
///
/// An exchange is four times: sent (host), received and answered (group), back (host). The offset
/// in the middle of it is right if both ways took equally long, and wrong by at most half of the
/// round trip if not (Cristian, 1989; RFC 5905 §8). So the exchange with the smallest error bound,
/// grown by what two crystals may drift apart since, is the one that is believed.
struct ClockEstimator: Hashable, Sendable {
  private struct Sample: Hashable {
    var offset: Duration
    var roundTrip: Duration
    /// The error bound at ``taken``: half the round trip plus the responder's own uncertainty.
    var bound: Duration
    var taken: HostTime
    /// Whether it was measured against a clock that counted before.
    var isOfAnother = false

    func bound(at now: HostTime) -> Duration {
      bound + (now - taken) * ClockEstimator.driftRate
    }
  }

  private var samples = Deque<Sample>()
  /// The sample with the smallest bound. All bounds grow at one rate, so it stays the one until another
  /// is added.
  private var best: Sample?
  private var leastRoundTrip = Duration.zero

  /// How fast two crystals may drift apart: ±50 ppm each is what they are sold with, and four times that
  /// is what warm, old and virtual ones do. Too small a rate would trust an old exchange for its small
  /// round trip while the clocks have long drifted further apart than that saves.
  static let driftRate = 400e-6
  private static let capacity = 64

  /// How many exchanges went into the estimate.
  var count: Int { samples.count }

  /// - Parameters:
  ///   - sent, returned: when the probe left and its reply came.
  ///   - received, answered: when the responder got the one and sent the other.
  ///   - responderUncertainty: how far the responder's group time may be off.
  mutating func addExchange(
    sent: HostTime, received: GroupTime, answered: GroupTime, returned: HostTime,
    responderUncertainty: Duration
  ) {
    let roundTrip = (returned - sent) - (answered - received)
    // Times that contradict each other come from a clock that is not to be believed.
    guard roundTrip >= .zero, answered >= received, responderUncertainty >= .zero else { return }
    let there = received.nanoseconds.subtractingReportingOverflow(sent.nanoseconds)
    let back = answered.nanoseconds.subtractingReportingOverflow(returned.nanoseconds)
    guard !there.overflow, !back.overflow else { return }
    samples.append(
      Sample(
        offset: .nanoseconds(there.partialValue / 2 + back.partialValue / 2),
        roundTrip: roundTrip, bound: roundTrip / 2 + responderUncertainty, taken: returned))
    if samples.count > Self.capacity { samples.removeFirst() }
    choose(at: returned)
  }

  private mutating func choose(at now: HostTime) {
    best = samples.min { $0.bound(at: now) < $1.bound(at: now) }
    leastRoundTrip =
      samples.lazy.filter { !$0.isOfAnother && $0.roundTrip > .zero }.map(\.roundTrip).min()
      ?? .zero
  }

  /// Takes a known relation for the beginning: the founder's, or a former reference's own.
  mutating func assume(offset: Duration, uncertainty: Duration, at now: HostTime) {
    samples = [Sample(offset: offset, roundTrip: .zero, bound: uncertainty, taken: now)]
    choose(at: now)
  }

  /// What was measured is right about another clock than the one that counts from now on, and that one
  /// may be off from it by so much.
  mutating func widen(by uncertainty: Duration, at now: HostTime) {
    for index in samples.indices {
      samples[index].bound += uncertainty
      samples[index].isOfAnother = true
    }
    choose(at: now)
  }

  /// - Returns: nil before the first exchange.
  func estimate(at now: HostTime) -> (offset: Duration, uncertainty: Duration, roundTrip: Duration)?
  {
    guard let best else { return nil }
    return (best.offset, best.bound(at: now), leastRoundTrip)
  }
}
