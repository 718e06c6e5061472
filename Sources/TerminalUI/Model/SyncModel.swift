import Timekeeping

/// The quality of this player's synchronization during the last minutes, for the page that shows it.
public struct SyncModel: Hashable, Sendable {
  /// One measurement of the player, or an event between two measurements.
  public struct Sample: Hashable, Sendable {
    /// The time of the measurement, by this machine's clock.
    public var time: HostTime
    /// The player's distance from the group, positive when ahead; nil if it wasn't measured.
    public var error: Duration?
    /// The greatest possible error of ``error``, in either direction.
    public var uncertainty: Duration?
    /// The factor by which the speed was multiplied to keep in step, 1 for none; nil if it wasn't measured.
    public var nudge: Double?
    /// The round trip to the participant whose clock the group uses.
    public var roundTrip: Duration?
    /// The greatest possible error of the group's time on this machine, in either direction.
    public var clockUncertainty: Duration?
    /// A Boolean value that indicates whether a command moved the player here, so that the measurements may jump.
    public var isEvent: Bool

    /// Creates a measurement or an event.
    public init(
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
  public struct Other: Hashable, Sendable {
    /// The participant's name.
    public var name: TerminalText
    /// The distance of its player from the group, positive when ahead; nil while it measures nothing.
    public var error: Duration?
    /// The greatest possible error of ``error``, in either direction.
    public var uncertainty: Duration?

    /// Creates another participant.
    public init(name: TerminalText, error: Duration? = nil, uncertainty: Duration? = nil) {
      self.name = name
      self.error = error
      self.uncertainty = uncertainty
    }
  }

  /// The clock that the player uses.
  public enum Clock: Hashable, Sendable {
    /// No clock, because there is no party.
    case alone
    /// This machine's clock, which the party uses.
    case own
    /// Another participant's clock, measured over the network.
    case measured
  }

  /// The samples, approximately oldest first. A gap means that nothing was measured.
  public var samples: [Sample]
  /// All other participants of the party, in the order to show.
  public var others: [Other]
  /// The clock that the player uses.
  public var clock: Clock
  /// The delay from the player to this participant's eyes and ears. The player runs ahead by so much.
  public var latencyOffset: Duration

  /// Creates the quality of the synchronization; by default, without measurements.
  public init(
    samples: [Sample] = [], others: [Other] = [], clock: Clock = .alone,
    latencyOffset: Duration = .zero
  ) {
    self.samples = samples
    self.others = others
    self.clock = clock
    self.latencyOffset = latencyOffset
  }
}
