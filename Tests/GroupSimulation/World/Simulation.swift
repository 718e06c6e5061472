import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// A whole party in one process on virtual time: party and coordinator machines, players, clocks
/// that differ and drift, and a network that delays, loses and separates. Everything follows from
/// the scenario.
///
/// Nothing is encrypted, but each message names the key that would seal it, and a participant without that key
/// can't read it.
public final class Simulation {
  public struct Options: Sendable {
    /// A Boolean value that indicates whether messages are encoded and decoded as on the wire.
    public var isEncoding = false
    /// A Boolean value that indicates whether to keep a story of the occurrences.
    public var tellsStory = false
    var mutation = Mutation.none

    public init(isEncoding: Bool = false, tellsStory: Bool = false) {
      self.isEncoding = isEncoding
      self.tellsStory = tellsStory
    }
  }

  enum Event {
    case deliver(Delivery)
    case partyTimer(Int, alarm: Int)
    case coordinatorTimer(Int, alarm: Int)
    case playerStep(Int)
    case tick(Int)
    case loaded(Int, opening: Int)
    case arrive(Int)
    case deed(Int, number: Int)
    case reconnect(Int)
    case stall(Int)
    case recover(Int)
    case mended(Int)
    case thaw(Int)
    case faultBegins(Int)
    case faultEnds(Int)
    case program(Int, SimulatedProgram.Later)
    case relays(Int)

    /// The participant of the event, if the event can't occur while the process gets no time.
    var participant: Int? {
      switch self {
      case .deliver(let delivery): delivery.to
      case .partyTimer(let index, _), .coordinatorTimer(let index, _), .playerStep(let index),
        .tick(let index), .loaded(let index, _), .deed(let index, _), .reconnect(let index),
        .stall(let index), .recover(let index), .mended(let index), .program(let index, _),
        .relays(let index):
        index
      case .arrive, .thaw, .faultBegins, .faultEnds: nil
      }
    }

    /// A Boolean value that indicates whether the event also occurs for a participant that has not
    /// arrived.
    var isForAnybody: Bool { if case .reconnect = self { true } else { false } }
  }

  /// A message on its way. A reference, so that the heap of events moves words, not messages.
  final class Delivery {
    let from: Int
    let to: Int
    /// The receiver's connection for which the message was meant.
    let connection: Int
    let sequence: UInt64
    let message: WireMessage
    let original: [UInt8]
    /// The key that the message is sealed with.
    let key: ContentKeyID
    /// A Boolean value that indicates whether it was sent to all.
    let isToAll: Bool

    init(
      from: Int, to: Int, connection: Int, sequence: UInt64, message: WireMessage,
      original: [UInt8], key: ContentKeyID, isToAll: Bool = false
    ) {
      self.from = from
      self.to = to
      self.connection = connection
      self.sequence = sequence
      self.message = message
      self.original = original
      self.key = key
      self.isToAll = isToAll
    }
  }

  public let scenario: Scenario
  public internal(set) var now: Nanoseconds = 0
  public internal(set) var eventCount = 0
  public internal(set) var messageCount = 0
  /// The messages to all participants, by the substitute for their signed bytes.
  var signed: [[UInt8]: InboundMessage] = [:]
  var proofs = SignedStates()
  var seals = SimulatedSeals()
  /// The first invariant that was broken.
  public internal(set) var breach: Breach?

  var participants: [SimulatedParticipant] = []
  var network: SimulatedNetwork
  var codec: MessageCodec
  /// The votes of whole programs, by their sessions.
  var votes: [GroupSessionID: [Participant.ID: Bool]] = [:]
  var story: Story
  var dice: Dice
  let mutation: Mutation
  var checkers: [any Checker]
  private var events = EventHeap<Event>()

  public init(_ scenario: Scenario, options: Options = Options()) {
    self.scenario = scenario
    network = SimulatedNetwork(scenario.people, seed: scenario.seed)
    codec = MessageCodec(isEncoding: options.isEncoding)
    story = Story(isTold: options.tellsStory)
    dice = Dice(seed: scenario.seed, 6)
    mutation = options.mutation
    checkers =
      scenario.isWholeProgram
      ? programCheckers() : scenario.villains.isEmpty ? allCheckers() : hostileCheckers()
    let creator = SimulatedParticipant.id(scenario.people[0], seed: scenario.seed)
    for (index, person) in scenario.people.enumerated() {
      participants.append(
        SimulatedParticipant(person, index: index, of: scenario, creator: creator))
      mutation.configuration(&participants[index].coordinator.configuration)
      prepareParty(of: participants[index])
      schedule(.arrive(index), at: person.arrivesAt)
    }
    for (number, deed) in scenario.deeds.enumerated() {
      guard case .at(let time) = deed.when, let by = participant(numbered: deed.by) else {
        continue
      }
      schedule(.deed(by.index, number: number), at: time)
    }
    for (number, fault) in scenario.faults.enumerated() {
      schedule(.faultBegins(number), at: fault.from)
      schedule(.faultEnds(number), at: fault.until)
    }
  }

  /// Does to a new machine what its program does.
  func prepareParty(of participant: SimulatedParticipant) {
    mutation.timing(&participant.party.configuration.timing)
    if mutation.knowsKinds { participant.party.sessions.takePart(in: "watch") }
  }

  // MARK: - Time

  func schedule(_ event: Event, at time: Nanoseconds) { events.push(event, at: time) }

  /// Runs to the end: until the group has had time to recover, and the checkers have examined it.
  public func run() {
    run(until: scenario.calmAt + Scenario.healing)
    // A start that still waits may do so until its due date, and a player may finish a command that
    // it got a moment ago.
    let latest = now + .seconds(30)
    while breach == nil, isUnsettled, now < latest { run(until: now + .milliseconds(500)) }
    if breach == nil {
      for index in checkers.indices {
        if let complaint = checkers[index].checkHealed(self) {
          fail(checkers[index].name, complaint)
          return
        }
      }
    }
  }

  /// - Parameter end: true time; all events that are due by then occur.
  public func run(until end: Nanoseconds) {
    while breach == nil, let next = events.nextTime, next <= end, let (time, event) = events.pop() {
      now = max(now, time)
      handle(event)
    }
    if breach == nil { now = max(now, end) }
  }

  public func run(for span: Nanoseconds) { run(until: now + span) }

  /// - Returns: false if the condition didn't become true in time.
  func run(until isTrue: () -> Bool, within span: Nanoseconds) -> Bool {
    let end = now + span
    while !isTrue() {
      guard breach == nil, let next = events.nextTime, next <= end, let (time, event) = events.pop()
      else { return false }
      now = max(now, time)
      handle(event)
    }
    return true
  }

  private func handle(_ event: Event) {
    eventCount += 1
    if let index = event.participant {
      let participant = participants[index]
      guard participant.isRunning || event.isForAnybody else { return }
      if let thaw = participant.frozenUntil {
        schedule(event, at: thaw)
        return
      }
    }
    switch event {
    case .deliver(let delivery): deliver(delivery)
    case .partyTimer(let index, let number): partyAlarmRang(number, at: participants[index])
    case .coordinatorTimer(let index, let number):
      coordinatorAlarmRang(number, at: participants[index])
    case .playerStep(let index): playerAlarm(participants[index])
    case .tick(let index): tick(participants[index])
    case .loaded(let index, let opening): loaded(participants[index], opening: opening)
    case .arrive(let index): arrive(participants[index])
    case .deed(let index, let number): perform(scenario.deeds[number].what, participants[index])
    case .reconnect(let index): reconnect(participants[index])
    case .stall(let index): stall(participants[index])
    case .recover(let index): recover(participants[index])
    case .mended(let index): mended(participants[index])
    case .thaw(let index): thaw(participants[index])
    case .faultBegins(let number): begin(scenario.faults[number])
    case .faultEnds(let number): end(scenario.faults[number])
    case .program(let index, let event): programEvent(event, at: participants[index])
    case .relays(let index): lookAtRelays(participants[index])
    }
  }

  // MARK: - Checking

  func note(_ occurrence: Occurrence, at participant: SimulatedParticipant) {
    if story.isTold { story.add(occurrence, of: participant, in: self) }
    guard breach == nil else { return }
    for index in checkers.indices {
      if let complaint = checkers[index].note(occurrence, at: participant, in: self) {
        fail(checkers[index].name, complaint)
        return
      }
    }
  }

  func fail(_ invariant: String, _ complaint: String) {
    breach = Breach(invariant: invariant, complaint: complaint, at: now)
    story.add("BROKEN, \(invariant): \(complaint)", at: now)
  }

  // MARK: - What can be seen

  var running: [SimulatedParticipant] { participants.filter(\.isRunning) }

  func participant(_ id: Participant.ID) -> SimulatedParticipant? {
    participants.first { $0.id == id }
  }

  /// Returns the participant's name in stories.
  func label(_ id: Participant.ID) -> String { participant(id)?.label ?? "somebody" }

  func participant(numbered number: Int) -> SimulatedParticipant? {
    participants.first { $0.person.number == number }
  }

  /// A Boolean value that indicates whether a participant that follows the group waits for a start
  /// within its due date, or a player is busy.
  private var isUnsettled: Bool {
    running.contains { participant in
      if participant.player.pending != nil { return true }
      guard !participant.isSuspended, let state = participant.coordinator.groupState else {
        return false
      }
      switch state.phase {
      case .starting: return true
      case .playing(let timeline):
        // It has just begun: the players are seeking.
        return participant.groupTime(at: now) < timeline.groupTime + .seconds(2)
      case .paused: return false
      }
    }
  }
}

/// A broken invariant.
public struct Breach: Hashable, Sendable, CustomStringConvertible {
  /// The checker's name.
  public var invariant: String
  public var complaint: String
  public var at: Nanoseconds

  public var description: String { "\(invariant), at \(at.secondsText) s: \(complaint)" }
}
