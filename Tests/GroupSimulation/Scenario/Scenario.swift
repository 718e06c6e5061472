/// Everything that happens from outside: who takes part, what they do, and what goes wrong. A value,
/// so that it can be told, run again and made smaller.
public struct Scenario: Hashable, Sendable {
  public let seed: UInt64
  /// The first one creates the party.
  public var people: [Person]
  public var deeds: [Deed] = []
  public var faults: [Fault] = []
  /// Reasons of suspensions for which a start waits, with the participants above which it doesn't.
  public var waitedOut: [String: Int] = [:]
  /// Participants who follow no rules.
  public var villains: [Villain] = []
  /// By now all faults are over, and nobody does anything any more.
  public var calmAt: Nanoseconds

  /// How long the group has to come together again.
  public static let healing = Nanoseconds.seconds(10)

  public init(seed: UInt64, people: [Person], calmAt: Nanoseconds) {
    self.seed = seed
    self.people = people
    self.calmAt = calmAt
  }
}

/// A participant: a machine with its clock, its line, and its player.
public struct Person: Hashable, Sendable {
  /// Names a person for good, also in a scenario from which others were taken out.
  public var number: Int
  public var arrivesAt: Nanoseconds
  /// Host time at true time zero.
  public var clockOffset: Nanoseconds
  /// How fast the crystal is: a few millionths.
  public var drift: Double
  /// To the relay, and back from it.
  public var delayUp: Nanoseconds
  public var delayDown: Nanoseconds
  /// The time of a frame of its copy of the films.
  public var frame: Nanoseconds
  public var seekCost: Nanoseconds
  public var loadingTime: Nanoseconds
  /// Whether it has the film open before it joins.
  public var isPrepared: Bool

  public init(
    _ number: Int, arrivesAt: Nanoseconds = 0, clockOffset: Nanoseconds = .seconds(1000),
    drift: Double = 0, delayUp: Nanoseconds = .milliseconds(5),
    delayDown: Nanoseconds = .milliseconds(5), frame: Nanoseconds = .milliseconds(40),
    seekCost: Nanoseconds = .milliseconds(40), loadingTime: Nanoseconds = .milliseconds(300),
    isPrepared: Bool = false
  ) {
    self.number = number
    self.arrivesAt = arrivesAt
    self.clockOffset = clockOffset
    self.drift = drift
    self.delayUp = delayUp
    self.delayDown = delayDown
    self.frame = frame
    self.seekCost = seekCost
    self.loadingTime = loadingTime
    self.isPrepared = isPrepared
  }
}

/// What somebody does.
public struct Deed: Hashable, Sendable {
  public var by: Int
  public var when: When
  public var what: What

  public enum When: Hashable, Sendable {
    case at(Nanoseconds)
    /// The worst moment: so long after this person has seen this happen for the nth time.
    case after(Moment, nth: Int, delay: Nanoseconds)
  }

  /// What one sees and may react to before anybody else has.
  public enum Moment: String, Hashable, Sendable, CaseIterable {
    case startProposed, startScheduled, playerStarted, pauseHeard, suspended, somebodyLeft
    case sessionChanged
  }

  public enum What: Hashable, Sendable {
    case play(rate: Double, immediately: Bool)
    case defaultRate(Double)
    case pause
    /// In thousandths of a second, so that stories and scenarios stay readable.
    case seek(milliseconds: Int64, resumeImmediately: Bool)
    case reapply
    case suspend(String)
    /// Ends the oldest suspension; nil for coming back to where the group is.
    case endSuspension(proposingMilliseconds: Int64?)
    case whatHappened
    /// Opens an item for oneself; nil for none.
    case open(String?)
    /// Makes an item the session's.
    case openForAll(String)
    case newSession
    case chat
    case rename(String)
    case amend(Amendment)
    case leave
    case crash
  }

  /// A change of the party's rules, naming people by their numbers.
  public enum Amendment: Hashable, Sendable {
    case onlyHostsControl, everyoneControls
    case endsWhenHostLeaves, outlivesHost
    case open
    case appoint(Int), dismiss(Int), handOver(Int), remove(Int)
  }

  public init(by: Int, _ what: What, when: When) {
    self.by = by
    self.what = what
    self.when = when
  }
}

/// What goes wrong, from one time until another.
public struct Fault: Hashable, Sendable {
  public var from: Nanoseconds
  public var until: Nanoseconds
  public var kind: Kind

  public enum Kind: Hashable, Sendable {
    /// The share of messages that are lost, that come twice, and the greatest additional delay.
    case loss(Double)
    case duplication(Double)
    case jitter(Nanoseconds)
    /// Who can reach whom: only those on one island.
    case islands([[Int]])
    /// Nobody hears these, who hear everybody.
    case mute([Int])
    /// Everybody's connection breaks, and each comes back within the second after.
    case relayRestart
    case disconnection(Int)
    /// A process that gets no time: its player stands, its messages wait.
    case frozen(Int)
    case slowSeeks(Int, cost: Nanoseconds)
    /// A player that has run out of data.
    case stall(Int)
    /// A player that fails whatever it is told.
    case failure(Int)
  }

  public init(_ kind: Kind, from: Nanoseconds, until: Nanoseconds) {
    self.kind = kind
    self.from = from
    self.until = until
  }
}
