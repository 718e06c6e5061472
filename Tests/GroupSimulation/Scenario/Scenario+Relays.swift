/// Scenarios in which the relay ends or can't be reached, and the participants' own relays take over.
extension Scenario {
  /// Returns a party of three to six that talks and plays while its creator's relay ends, or while the network is split.
  public static func relays(seed: UInt64) -> Scenario { relays(seed: seed, size: 3...6) }

  private static func relays(seed: UInt64, size: ClosedRange<Int64>) -> Scenario {
    var dice = Dice(seed: seed, 11)
    let count = Int(dice.number(size))
    let people = (0..<count).map { number in
      Person(
        number, arrivesAt: number == 0 ? 0 : dice.number(200_000_000...2_000_000_000),
        clockOffset: dice.number(1_000_000_000...9_000_000_000_000),
        delayUp: dice.number(1_000_000...20_000_000),
        delayDown: dice.number(1_000_000...20_000_000))
    }
    // In half of the parties just when the last one has offered its relay.
    let settled = (people.map(\.arrivesAt).max() ?? .zero) + .milliseconds(1500)
    let faultAt =
      dice.chance(0.5)
      ? dice.number(settled...(settled + .seconds(3)))
      : dice.number(9_000_000_000...12_000_000_000)
    let healedAt = faultAt + dice.number(5_000_000_000...40_000_000_000)
    var scenario = Scenario(seed: seed, people: people, calmAt: healedAt + .seconds(2))
    scenario.hasRelays = true
    scenario.deeds = [
      Deed(by: 0, .play(rate: 1, immediately: false), when: .at(.seconds(6)))
    ]
    for _ in 0..<30 {
      scenario.deeds.append(
        Deed(
          by: Int(dice.number(0...Int64(count - 1))), .chat,
          when: .at(dice.number(.seconds(7)...scenario.calmAt))))
    }
    switch dice.number(0...2) {
    case 0: scenario.deeds.append(Deed(by: 0, .crash, when: .at(faultAt)))
    case 1:
      scenario.faults = [
        Fault(.islands([[0], Array(1..<count)]), from: faultAt, until: healedAt)
      ]
    default:
      let cut = Int(dice.number(1...Int64(count - 1)))
      scenario.faults = [
        Fault(
          .islands([Array(0..<cut), Array(cut..<count)]), from: faultAt, until: healedAt)
      ]
    }
    return scenario
  }

  /// Returns a party of guests that don't all reach each other's relays, and that is split after its creator's program
  /// has crashed.
  public static func unequalRelays(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 13)
    var scenario = relays(seed: seed)
    let count = scenario.people.count
    let crash = dice.number(9_000_000_000...12_000_000_000)
    let split = crash + dice.number(5_000_000_000...9_000_000_000)
    let healed = split + dice.number(5_000_000_000...40_000_000_000)
    let cut = count == 3 ? 2 : Int(dice.number(2...Int64(count - 1)))
    scenario.deeds.removeAll { $0.what == .crash }
    scenario.deeds.append(Deed(by: 0, .crash, when: .at(crash)))
    scenario.faults = [
      Fault(.islands([Array(0..<cut), Array(cut..<count)]), from: split, until: healed)
    ]
    scenario.calmAt = max(scenario.calmAt, healed + .seconds(2))
    let owner = Int(dice.number(1...Int64(count - 1)))
    let other = owner % (count - 1) + 1
    scenario.blockedRelays = [[other, owner]]
    return scenario
  }

  /// Returns a party that is split into halves of two or more just when the last guests have offered their relays, and whose
  /// creator's program crashes at that moment: each half may rank its own relays first.
  public static func splitsAtArrival(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 15)
    var scenario = relays(seed: seed, size: 5...6)
    let count = scenario.people.count
    let settled = (scenario.people.map(\.arrivesAt).max() ?? .zero) + .milliseconds(1000)
    let splitAt = dice.number(settled...(settled + .milliseconds(1800)))
    // Relays that weren't reached before the split are tried after 10 and 30 seconds.
    let healedAt = splitAt + dice.number(8_000_000_000...25_000_000_000)
    let guests = (1..<count).shuffled(using: &dice)
    scenario.faults = [
      Fault(
        .islands([[0] + guests.prefix(2), Array(guests.dropFirst(2))]), from: splitAt,
        until: healedAt)
    ]
    scenario.deeds.removeAll { $0.what == .crash }
    scenario.deeds.append(Deed(by: 0, .crash, when: .at(splitAt)))
    scenario.calmAt = max(scenario.calmAt, healedAt + .seconds(2))
    return scenario
  }

  /// Returns a party with a guest whose relay drops everything, and perhaps one that names addresses of strangers. The
  /// former and the creator crash.
  public static func hostileRelays(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 14)
    var scenario = relays(seed: seed)
    scenario.faults = []
    scenario.deeds.removeAll { $0.what == .crash }
    let count = scenario.people.count
    let dropper = Int(dice.number(1...Int64(count - 1)))
    scenario.villains = [Villain(dropper, [.drops])]
    // Two are left that follow the rules.
    let other = count > 4 && dice.chance(0.6) ? (1..<count).first { $0 != dropper } : nil
    let crash = dice.number(9_000_000_000...12_000_000_000)
    let later = crash + dice.number(0...5_000_000_000)
    if let other {
      scenario.villains.append(Villain(other, [.offers]))
      // The addresses of silent owners are visited, if nothing stops that.
      scenario.deeds.append(Deed(by: other, .crash, when: .at(later)))
    }
    let isCreatorFirst = dice.chance(0.5)
    scenario.deeds.append(Deed(by: isCreatorFirst ? 0 : dropper, .crash, when: .at(crash)))
    scenario.deeds.append(Deed(by: isCreatorFirst ? dropper : 0, .crash, when: .at(later)))
    scenario.calmAt = max(scenario.calmAt, later + .seconds(10))
    return scenario
  }

  /// Returns a party whose last relay is left behind: by its creator, or by the guest whose relay took over when the
  /// creator's program crashed.
  public static func keptRelays(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 12)
    var scenario = relays(seed: seed)
    scenario.faults = []
    scenario.deeds.removeAll { $0.what == .crash }
    let leavesAt = dice.number(16_000_000_000...20_000_000_000)
    scenario.calmAt = max(scenario.calmAt, leavesAt + .seconds(5))
    let owner = dice.chance(0.5) ? 0 : 1
    scenario.relayOwners = [0, owner]
    if owner != 0 {
      let crash = dice.number(9_000_000_000...12_000_000_000)
      scenario.deeds.append(Deed(by: 0, .crash, when: .at(crash)))
    }
    scenario.deeds.append(Deed(by: owner, .leaveRelayBehind, when: .at(leavesAt)))
    return scenario
  }
}
