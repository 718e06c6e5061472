/// The difference between the delays of two outputs, from two microphones that both heard both.
///
/// Each microphone adds its own delay to both of its results, so it cancels in their difference. The time that the sound
/// takes from one machine to the other has opposite signs in the two differences, so it cancels in their mean (as in
/// two-way time transfer).
package struct PairedDelays: Hashable, Sendable {
  /// The delays of both outputs as one microphone hears them.
  package struct Heard: Hashable, Sendable {
    /// The delay of the output of the microphone's own machine.
    package var own: Duration
    /// The delay of the other machine's output.
    package var other: Duration

    package init(own: Duration, other: Duration) {
      self.own = own
      self.other = other
    }
  }

  /// The reason for which there is no result.
  package enum Refusal: Error, Hashable, Sendable {
    /// The sound seems to take this long from one machine to the other. They aren't beside one another, or an output's
    /// delay changed.
    case apart(Duration)
  }

  /// The delay of the own output less that of the other machine's. Above zero if the own sound is later.
  package let difference: Duration
  /// The time that the sound takes from one machine to the other: 2.9 ms for each meter.
  package let way: Duration

  /// The possible ways of the sound: up to 2 m, and a little below zero, since a delay is known to a fraction of a
  /// millisecond.
  static let ways = Duration.milliseconds(-1)...Duration.milliseconds(6)

  /// Finds the difference.
  ///
  /// - Parameters:
  ///   - own: the delays that this machine's microphone heard.
  ///   - other: those that the other machine's microphone heard; its own output is the other machine's.
  package init(own: Heard, other: Heard) throws(Refusal) {
    let here = own.own - own.other
    let there = other.other - other.own
    difference = (here + there) / 2
    way = (there - here) / 2
    guard Self.ways.contains(way) else { throw .apart(way) }
  }

  /// Returns the time by which the own sound is later than the other machine's if each corrects its own delay.
  package func lateness(offset: Duration, other: Duration) -> Duration {
    (difference - offset) + other
  }
}
