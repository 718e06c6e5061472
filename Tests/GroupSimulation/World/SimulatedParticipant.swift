import Concurrency
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// One machine of the simulated group: the party's and the coordinator's machine, the player, and
/// the clock of both. Its shell is ``Simulation``.
final class SimulatedParticipant {
  let person: Person
  let id: Participant.ID
  /// The index in ``Simulation/participants``.
  let index: Int
  var party: PartyMachine
  var coordinator = CoordinatorMachine(me: Participant.ID(high: 0, low: 0))
  /// The hosts in which ``Party`` and ``DelegatingPlaybackCoordinator`` run these machines too.
  var partyHost = MachineHost<PartyMachine>()
  var coordinatorHost = MachineHost<CoordinatorMachine>()
  var player: SimulatedPlayer
  /// The program around these; nil in scenarios of mere groups.
  var program: SimulatedProgram?
  let wallClock: SimulatedWallClock?
  private let seed: UInt64

  /// A Boolean value that indicates whether it has arrived and has not left.
  var isRunning = false
  /// The time when its process runs again, if it gets no time now.
  var frozenUntil: Nanoseconds?
  var frozenAt = Nanoseconds.zero
  var thawedAt = Nanoseconds.zero
  /// The number of connections so far: messages on their way on an earlier one are lost.
  var connection = 0
  /// The number of faults that keep it disconnected.
  var outages = 0
  var relays = RelayUse()

  var session: GroupSessionID? {
    didSet { if oldValue != nil, oldValue != session { hasChangedSession = true } }
  }
  /// A Boolean value that indicates whether it was in more than one session.
  private(set) var hasChangedSession = false
  /// The last known relation of group time and host time.
  var reading = GroupClockReading.alone
  /// The number of items that were opened: a load that a newer one replaced is ignored.
  var opening = 0
  var chatsSent = 0
  var suspensions: [UInt64] = []
  var stallSuspension: UInt64?
  var moments: [Deed.Moment: Int] = [:]
  /// The play command that has not taken effect yet.
  var playStart: PlayStart?
  /// The last measured syncing error, as the shell keeps it.
  var lastSyncError: Nanoseconds?

  /// The time of the player's scheduled step, so that none is scheduled twice.
  var playerAlarm: Nanoseconds?

  init(_ person: Person, index: Int, of scenario: Scenario, creator: Participant.ID) {
    let seed = scenario.seed
    self.seed = seed
    self.person = person
    id = Self.id(person, seed: seed)
    wallClock = SimulatedWallClock(seed: seed, person: person)
    if scenario.isWholeProgram { program = SimulatedProgram(seed: seed, person: person) }
    self.index = index
    var dice = Dice(seed: seed, 3, UInt64(person.number))
    party = PartyMachine(
      PartyMachine.Configuration(
        id: id, epoch: dice.next(), party: creator,
        name: ["Ana", "Ben", "Chi", "Dov"][person.number % 4],
        door: person.isDoorGuest ? Participant.Door(.browser, keeper: creator) : nil,
        random: .seeded(dice.next())))
    player = SimulatedPlayer(frame: person.frame, seekCost: person.seekCost)
    for (reason, limit) in scenario.waitedOut {
      coordinator.configuration.suspensionReasonsThatTriggerWaiting.insert(.init(rawValue: reason))
      coordinator.configuration.participantLimits[.init(rawValue: reason)] = limit
    }
  }

  static func id(_ person: Person, seed: UInt64) -> Participant.ID {
    var dice = Dice(seed: seed, 4, UInt64(person.number))
    return Participant.ID(high: dice.next(), low: dice.next())
  }

  /// Reads the party's machine in its place. A use of ``party`` that only reads copies it first.
  func inParty<Result>(_ read: (inout PartyMachine) -> Result) -> Result { read(&party) }

  /// The name in stories.
  var label: String { "#\(person.number)" }
  var isSuspended: Bool { coordinator.isApart }

  // MARK: - Clocks

  func hostTime(at now: Nanoseconds) -> HostTime {
    HostTime(nanoseconds: person.clockOffset + now + Int64(Double(now) * person.drift))
  }

  /// Returns what its wall clock shows; nil if no time service keeps it.
  func wallClockReading(at now: Nanoseconds) -> WallClockReading? {
    wallClock?.reading(at: now, hostTime: hostTime(at: now))
  }

  /// Returns the true time when this machine's clock will show `host`, not before it.
  func trueTime(_ host: HostTime) -> Nanoseconds {
    Int64((Double(host.nanoseconds - person.clockOffset) / (1 + person.drift)).rounded(.up)) + 1
  }

  func groupTime(at now: Nanoseconds) -> GroupTime {
    reading.groupTime(at: hostTime(at: now))
  }

  func hostTime(_ time: GroupTime) -> HostTime { reading.hostTime(at: time) }

  func anchor(_ time: GroupTime, at now: Nanoseconds) -> HostTime {
    reading.anchor(time, at: hostTime(at: now))
  }

  // MARK: - What can be seen

  /// The end of the loaded item; zero without one.
  var end: MediaTime {
    MediaTime(nanoseconds: player.item.map { duration(ofItem: $0) } ?? 0)
  }

  /// Returns the duration of an item in this participant's copy.
  func duration(ofItem item: String) -> Nanoseconds {
    program == nil
      ? Scenario.durations[item]!
      : FilmShelf(seed: seed).duration(ofItem: item, person: person.number)
  }

  func itemTime(at now: Nanoseconds) -> MediaTime { player.itemTime(at: hostTime(at: now)) }

  /// Returns the time by which the player is ahead of its expected position; nil unless it should
  /// be moving.
  func syncError(at now: Nanoseconds) -> Nanoseconds? {
    guard let state = coordinator.state, state.isPlaying else { return nil }
    let expected = place(of: state, at: now)
    return itemTime(at: now).nanoseconds - expected.nanoseconds
  }

  /// Returns the position of an item by this participant's idea of the time, not beyond the item's
  /// end.
  func place(of state: ItemState, at now: Nanoseconds) -> MediaTime {
    let end = duration(ofItem: state.item)
    return min(
      max(state.itemTime(at: groupTime(at: now)), .zero), MediaTime(nanoseconds: end))
  }
}
