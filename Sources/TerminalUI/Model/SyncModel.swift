import Timekeeping

/// How well this player has kept in step during the last minutes, for the page that shows it.
public struct SyncModel: Hashable, Sendable {
  /// One look at the player, or something that happened between two.
  public struct Sample: Hashable, Sendable {
    public var time: HostTime
    /// How far the player was ahead of the group; nil if it wasn't measured.
    public var error: Duration?
    /// By how much ``error`` may be off, either way.
    public var uncertainty: Duration?
    /// By what the speed was multiplied to stay in step, 1 for nothing; nil if it wasn't looked at.
    public var nudge: Double?
    /// There and back to whose clock the group goes by.
    public var roundTrip: Duration?
    /// By how much the group's clock may be off here, either way.
    public var clockUncertainty: Duration?
    /// Somebody or something moved the player on purpose: what is measured may step here.
    public var isEvent: Bool

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
    public var name: TerminalText
    /// How far its player is ahead of the group; nil while it measures nothing.
    public var error: Duration?
    /// By how much ``error`` may be off, either way.
    public var uncertainty: Duration?

    public init(name: TerminalText, error: Duration? = nil, uncertainty: Duration? = nil) {
      self.name = name
      self.error = error
      self.uncertainty = uncertainty
    }
  }

  /// Whose clock the player goes by.
  public enum Clock: Hashable, Sendable {
    /// In no party.
    case alone
    /// The party goes by this machine's.
    case own
    /// Another participant's, which is measured over the network.
    case measured
  }

  /// Oldest first, or nearly so. Where there are none nothing was measured.
  public var samples: [Sample]
  /// Everybody else in the party, in the order to show.
  public var others: [Other]
  /// Whose clock the player goes by.
  public var clock: Clock
  /// How much later than the player thinks this person sees and hears; it runs ahead by so much.
  public var latencyOffset: Duration

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
