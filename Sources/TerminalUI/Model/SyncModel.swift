import Timekeeping

/// The quality of this player's synchronization during the last minutes, for the page that shows it.
package struct SyncModel: Hashable, Sendable {
  /// One measurement of the player, or an event between two measurements.
  package struct Sample: Hashable, Sendable {
    /// The time of the measurement, by this machine's clock.
    package var time: HostTime
    /// The player's distance from the group, positive when ahead; nil if it wasn't measured.
    package var error: Duration?
    /// The greatest possible error of ``error``, in either direction.
    package var uncertainty: Duration?
    /// The factor by which the speed was multiplied to keep in step, 1 for none; nil if it wasn't measured.
    package var nudge: Double?
    /// The round trip to the participant whose clock the group uses.
    package var roundTrip: Duration?
    /// The greatest possible error of the group's time on this machine, in either direction.
    package var clockUncertainty: Duration?
    /// A Boolean value that indicates whether a command moved the player here, so that the measurements may jump.
    package var isEvent: Bool

    package init(
      time: HostTime, error: Duration? = nil, uncertainty: Duration? = nil, nudge: Double? = nil,
      roundTrip: Duration? = nil, clockUncertainty: Duration? = nil, isEvent: Bool = false
    ) {
      self.time = time
      self.error = error
      self.uncertainty = uncertainty
      self.nudge = nudge
      self.roundTrip = roundTrip
      self.clockUncertainty = clockUncertainty
      self.isEvent = isEvent
    }
  }

  /// Another participant, as it reports itself.
  package struct Other: Hashable, Sendable {
    /// The participant's name.
    package var name: TerminalText
    /// The distance of its player from the group, positive when ahead; nil while it measures nothing.
    package var error: Duration?
    /// The greatest possible error of ``error``, in either direction.
    package var uncertainty: Duration?

    package init(name: TerminalText, error: Duration? = nil, uncertainty: Duration? = nil) {
      self.name = name
      self.error = error
      self.uncertainty = uncertainty
    }
  }

  /// The clock that the player uses.
  package enum Clock: Hashable, Sendable {
    /// No clock, because there is no party.
    case alone
    /// This machine's clock, which the party uses.
    case own
    /// Another participant's clock, measured over the network.
    case measured
  }

  /// The samples, approximately oldest first. A gap means that nothing was measured.
  package var samples: [Sample]
  /// All other participants of the party, in the order to show.
  package var others: [Other]
  /// The clock that the player uses.
  package var clock: Clock
  /// The delay from the player to this participant's eyes and ears. The player runs ahead by so much.
  package var latencyOffset: Duration

  package init(
    samples: [Sample] = [], others: [Other] = [], clock: Clock = .alone,
    latencyOffset: Duration = .zero
  ) {
    self.samples = samples
    self.others = others
    self.clock = clock
    self.latencyOffset = latencyOffset
  }
}
