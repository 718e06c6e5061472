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

    func bound(at now: HostTime) -> Duration {
      bound + (now - taken) * ClockEstimator.driftRate
    }
  }

  private var samples = Deque<Sample>()

  /// How fast two crystals may drift apart: ±50 ppm each is what they are sold with.
  static let driftRate = 100e-6
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
  }

  /// Takes a known relation for the beginning: the founder's, or a former reference's own.
  mutating func assume(offset: Duration, uncertainty: Duration, at now: HostTime) {
    samples = [Sample(offset: offset, roundTrip: .zero, bound: uncertainty, taken: now)]
  }

  /// - Returns: nil before the first exchange.
  func estimate(at now: HostTime) -> (offset: Duration, uncertainty: Duration, roundTrip: Duration)?
  {
    guard let best = samples.min(by: { $0.bound(at: now) < $1.bound(at: now) }) else { return nil }
    let measured = samples.lazy.map(\.roundTrip).filter { $0 > .zero }.min() ?? .zero
    return (best.offset, best.bound(at: now), measured)
  }
}
