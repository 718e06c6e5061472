import GroupActivities

/// The state of one participant's program at one moment, as `--headless` prints it.
package struct ScreeningState: Hashable, Sendable, Encodable {
  package enum Status: String, Hashable, Sendable, Encodable {
    /// There is no film.
    case empty
    case paused, waiting, playing
  }

  /// The film.
  package struct Film: Hashable, Sendable, Encodable {
    /// The film's identifier; nil for none.
    @Nullable package var item: String?
    @Nullable package var title: String?
    /// The film's length in seconds.
    @Nullable package var duration: Double?
    package var playlist: [ScreeningEvent.ListedFilm] = []
  }

  /// The group's playback.
  package struct Playback: Hashable, Sendable, Encodable {
    package var status = Status.empty
    package var paused = true
    package var rate = 1.0
    /// This participant's position in seconds: the group's, unless it is suspended.
    @Nullable package var position: Double?
    @Nullable package var groupPosition: Double?
    /// The names of the participants that a start waits for.
    package var waitingFor: [String] = []
    /// The reasons why this participant isn't in sync with the group.
    package var suspensions: [String] = []
    /// A Boolean value that indicates whether this participant's commands apply to everyone.
    package var mayControl = true
  }

  /// The player.
  package struct Player: Hashable, Sendable, Encodable {
    @Nullable package var playerPosition: Double?
    package var playerPaused = true
    /// The correction of the speed: a factor beside the rate.
    package var nudge = 1.0
    package var latencyOffsetMs = 0.0
    /// The player's lead over the group.
    @Nullable package var syncErrorMs: Double?
    @Nullable package var syncUncertaintyMs: Double?
  }

  /// The party's clock.
  package struct Clock: Hashable, Sendable, Encodable {
    /// The time of the clock in seconds.
    @Nullable package var groupTime: Double?
    /// The party's clock minus this machine's monotonic clock.
    @Nullable package var offsetMs: Double?
    @Nullable package var uncertaintyMs: Double?
    /// The number of other participants' wall clocks that narrow the uncertainty.
    @Nullable package var wallClocks: Int?
    /// The round trip to the participant whose clock the party uses.
    @Nullable package var roundTripMs: Double?
    /// The lead of that clock's speed, in millionths.
    @Nullable package var clockDriftPpm: Double?
  }

  /// The party and its participants.
  package struct Company: Hashable, Sendable, Encodable {
    /// The party's id.
    @Nullable package var party: Participant.ID?
    package var roster: [ScreeningEvent.RosterEntry] = []
    package var connected = false
    /// The number of messages that were dropped because they were invalid, forged or stale.
    package var rejected = 0
    /// The name of the host who closed the last party.
    @Nullable package var closedBy: String?
  }

  package var film = Film()
  package var playback = Playback()
  package var player = Player()
  package var clock = Clock()
  package var company = Company()

  package init() {}

  // The parts' values are members of one object.
  package func encode(to encoder: any Encoder) throws {
    try film.encode(to: encoder)
    try playback.encode(to: encoder)
    try player.encode(to: encoder)
    try clock.encode(to: encoder)
    try company.encode(to: encoder)
  }
}
