/// All outside influences: the participants, their actions, and the faults. A value, so that it can
/// be printed, run again and made smaller.
public struct Scenario: Hashable, Sendable {
  public let seed: UInt64
  /// The participants; the first one creates the party.
  public var people: [Person]
  public var deeds: [Deed] = []
  public var faults: [Fault] = []
  /// Reasons of suspensions for which a start waits, with the participants above which it doesn't.
  public var waitedOut: [String: Int] = [:]
  /// Participants who follow no rules.
  public var villains: [Villain] = []
  /// A Boolean value that indicates whether the participants are whole programs.
  public var isWholeProgram = false
  /// The films of the creator's command line, if the participants are whole programs.
  public var plan: [String] = []
  /// A Boolean value that indicates whether the participants offer relays. Otherwise one relay carries all messages.
  public var hasRelays = false
  /// The numbers of the participants that offer a relay; nil for all.
  public var relayOwners: Set<Int>?
  /// Pairs of a participant and the owner of a relay that it can't reach, by their numbers.
  public var blockedRelays: Set<[Int]> = []
  /// The time by which all faults are over, and no person acts any more.
  public var calmAt: Nanoseconds

  /// The time that the group has to converge again.
  public static let healing = Nanoseconds.seconds(10)

  public init(seed: UInt64, people: [Person], calmAt: Nanoseconds) {
    self.seed = seed
    self.people = people
    self.calmAt = calmAt
  }
}

/// A participant: a machine with its clock, its line, and its player.
public struct Person: Hashable, Sendable {
  /// A person's permanent number, also in a scenario from which other people were removed.
  public var number: Int
  public var arrivesAt: Nanoseconds
  /// The host time at true time zero.
  public var clockOffset: Nanoseconds
  /// The rate error of the crystal: a few millionths.
  public var drift: Double
  /// The delay to the relay; `delayDown` is the delay from it.
  public var delayUp: Nanoseconds
  public var delayDown: Nanoseconds
  /// The duration of a frame of its copy of the films.
  public var frame: Nanoseconds
  public var seekCost: Nanoseconds
  public var loadingTime: Nanoseconds
  /// A Boolean value that indicates whether it has the film open before it joins.
  public var isPrepared: Bool
  /// A Boolean value that indicates whether it comes through the creator's door, as a page's user does.
  public var isDoorGuest = false

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

/// An action of a person.
public struct Deed: Hashable, Sendable {
  public var by: Int
  public var when: When
  public var what: What

  public enum When: Hashable, Sendable {
    case at(Nanoseconds)
    /// The worst moment: a delay after this person has seen the moment for the nth time.
    case after(Moment, nth: Int, delay: Nanoseconds)
  }

  /// A moment that a person sees and may react to before the others see it.
  public enum Moment: String, Hashable, Sendable, CaseIterable {
    case startProposed, startScheduled, playerStarted, pauseHeard, suspended, somebodyLeft
    case sessionChanged
  }

  public enum What: Hashable, Sendable {
    case play(rate: Double, immediately: Bool)
    case defaultRate(Double)
    case pause
    /// In milliseconds, so that stories and scenarios stay readable.
    case seek(milliseconds: Int64, resumeImmediately: Bool)
    case reapply
    case suspend(String)
    /// Ends the oldest suspension; nil for returning to the group's position.
    case endSuspension(proposingMilliseconds: Int64?)
    case whatHappened
    /// Opens an item for this person only; nil for none.
    case open(String?)
    /// Makes an item the session's.
    case openForAll(String)
    case newSession
    /// Starts a session of a kind of activity in which nobody else takes part.
    case begin(String)
    case chat
    case rename(String)
    case amend(Amendment)
    case leave
    /// Leaves the party, and its relay continues.
    case leaveRelayBehind
    case crash
    /// Types a command of the program (``Scenario/isWholeProgram``).
    case use(String)
    /// Does something in the program's player (``Scenario/isWholeProgram``).
    case touch(Touch)
  }

  /// A change in a program's player, or in its user's media folders.
  public enum Touch: Hashable, Sendable {
    /// The user closes the film.
    case close
    /// The user opens a film.
    case load(String)
    /// The film's server disappears.
    case lose
    /// A copy of a film is found.
    case scan(String)
    /// A call in another program becomes audible, or silent.
    case call
  }

  /// A change of the party's rules, with people by their numbers.
  public enum Amendment: Hashable, Sendable {
    case onlyHostsControl, everyoneControls
    case endsWhenHostLeaves, outlivesHost
    case open
    /// Admits those whom the author knows, and nobody else.
    case close
    case appoint(Int), dismiss(Int), handOver(Int), remove(Int)
  }

  public init(by: Int, _ what: What, when: When) {
    self.by = by
    self.what = what
    self.when = when
  }
}

/// A fault, from one time until another.
public struct Fault: Hashable, Sendable {
  public var from: Nanoseconds
  public var until: Nanoseconds
  public var kind: Kind

  public enum Kind: Hashable, Sendable {
    /// The share of lost messages, the share of doubled messages, and the greatest additional
    /// delay.
    case loss(Double)
    case duplication(Double)
    case jitter(Nanoseconds)
    /// Groups of people that reach only each other.
    case islands([[Int]])
    /// People whose messages don't arrive, but who receive all messages.
    case mute([Int])
    /// Every connection breaks, and each is restored within the second after.
    case relayRestart
    case disconnection(Int)
    /// A process that gets no time: its player stops, its messages wait.
    case frozen(Int)
    case slowSeeks(Int, cost: Nanoseconds)
    /// A player that has run out of data.
    case stall(Int)
    /// A player that fails every command.
    case failure(Int)
  }

  public init(_ kind: Kind, from: Nanoseconds, until: Nanoseconds) {
    self.kind = kind
    self.from = from
    self.until = until
  }
}
