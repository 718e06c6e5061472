/// A participant that follows no rules: an honest program whose messages are changed.
public struct Villain: Hashable, Sendable {
  public var number: Int
  public var habits: Set<Habit>

  public enum Habit: String, Hashable, Sendable, CaseIterable {
    /// Claims to have been here always, to be unsure of everything, and to be thousands.
    case claims
    /// Sends a wrong time.
    case lies
    /// Sends the greatest and the least possible numbers.
    case extremes
    /// Sends states that others once signed.
    case replays
    /// Receives all participants' messages, and answers only half of them.
    case silence
    /// Sends two states with one stamp, one to each half.
    case equivocation
    /// As a co-host, changes the rules until no further change is possible.
    case burns
    /// Starts sessions of kinds that nobody knows.
    case invents
    /// Announces the next beacon for the distant future, and falls silent.
    case haunts
    /// Claims that its relay is the best, which answers and passes nothing on, also when it is silent.
    case drops
    /// Offers relays at other addresses of strangers each second.
    case offers
  }

  public init(_ number: Int, _ habits: Set<Habit>) {
    self.number = number
    self.habits = habits
  }
}

extension Scenario {
  /// Returns a group in which one or two follow no rules: guests if only hosts control, or
  /// participants that send different messages to different participants if all control.
  public static func hostile(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 8)
    let count = Int(dice.number(3...6))
    var scenario = Scenario(
      seed: seed, people: calmPeople(count + 1, seed: seed), calmAt: .seconds(30))
    let isForHosts = dice.chance(0.7)
    // The last one comes when the others have been here for a long time.
    scenario.people[count].arrivesAt = .seconds(14)
    var numbers = [count]
    if dice.chance(0.4) { numbers.append(Int(dice.number(1...Int64(count - 2)))) }
    for number in numbers {
      var habits: Set<Villain.Habit> = []
      for _ in 0..<dice.number(1...3) {
        habits.insert(
          isForHosts
            ? dice.pick([.claims, .lies, .extremes, .replays, .silence])
            : dice.pick([.equivocation, .claims, .lies]))
      }
      scenario.villains.append(Villain(number, habits))
    }
    func add(_ by: Int, _ what: Deed.What, _ time: Nanoseconds) {
      scenario.deeds.append(Deed(by: by, what, when: .at(time)))
    }
    var trust = Dice(seed: seed, 9)
    if isForHosts, trust.chance(0.15) {
      scenario.villains[0].habits = [.burns]
      add(0, .amend(.appoint(count)), .seconds(17))
      for change in 0..<120 {
        add(count, .amend(.open), .milliseconds(18_000 + 20 * Int64(change)))
      }
      add(0, .amend(.remove(count)), .seconds(22))
    }
    var more = Dice(seed: seed, 10)
    if !isForHosts, more.chance(0.5) {
      scenario.villains[0].habits.insert(.invents)
      for number in 0..<6 {
        add(count, .begin("kind \(number)"), .milliseconds(17_000 + 50 * Int64(number)))
      }
    } else if more.chance(0.2), !scenario.villains[0].habits.contains(.burns) {
      scenario.villains[0].habits.insert(.haunts)
      add(count, .crash, .seconds(17))
    }
    if isForHosts { add(0, .amend(.onlyHostsControl), .milliseconds(900)) }
    let actors = isForHosts ? [0] : Array(0...count)
    add(0, .play(rate: 1, immediately: dice.chance(0.5)), .seconds(3))
    for _ in 0..<dice.number(2...8) {
      let time = dice.number(.seconds(4)...(.seconds(20)))
      let what: Deed.What = dice.pick([
        .seek(milliseconds: dice.number(0...3_000_000), resumeImmediately: false),
        .pause, .play(rate: 1, immediately: false), .play(rate: 1.5, immediately: true),
      ])
      add(dice.pick(actors), what, time)
    }
    if dice.chance(0.6) {
      add(0, .pause, .seconds(20))
      add(0, .newSession, .seconds(22))
    }
    if dice.chance(0.4) { add(0, .leave, .seconds(26)) }
    if dice.chance(0.3) {
      scenario.faults.append(
        Fault(.loss(dice.amount(0.02...0.2)), from: .seconds(5), until: .seconds(25)))
    }
    return scenario
  }
}
