extension Scenario {
  /// Returns a group in which participants are removed, sometimes two at once by two hosts, while all talk, some come
  /// late, and the network fails. Now and then the party is closed and opened again, or the host vanishes right after
  /// a removal.
  public static func removals(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 10)
    let count = Int(dice.number(3...8))
    var scenario = Scenario(
      seed: seed, people: calmPeople(count, seed: seed), calmAt: .seconds(26))
    func add(_ by: Int, _ what: Deed.What, _ time: Nanoseconds) {
      scenario.deeds.append(Deed(by: by, what, when: .at(time)))
    }
    // Closing admits those who are there: in these groups all are.
    let closes = dice.chance(0.3)
    if !closes, dice.chance(0.5) {
      scenario.people[count - 1].arrivesAt = dice.number(.seconds(5)...(.seconds(20)))
    }
    add(0, .amend(.appoint(1)), .milliseconds(3500))
    for _ in 0..<dice.number(1...3) {
      let time = dice.number(.seconds(6)...(.seconds(18)))
      let somebody = Int(dice.number(2...Int64(max(2, count - 1))))
      let remover = dice.chance(0.6) ? 0 : 1
      add(remover, .amend(.remove(somebody)), time)
      if count > 4, dice.chance(0.4) {
        let other = somebody == 2 ? 3 : 2
        add(1 - remover, .amend(.remove(other)), time + dice.number(0...(.milliseconds(30))))
      }
      if !closes, dice.chance(0.2) {
        add(remover, .crash, time + dice.number(0...(.milliseconds(20))))
      }
    }
    if closes {
      let time = dice.number(.seconds(8)...(.seconds(14)))
      add(dice.pick([0, 1]), .amend(.close), time)
      if dice.chance(0.7) {
        add(dice.pick([0, 1]), .amend(.open), time + dice.number(.seconds(1)...(.seconds(6))))
      }
    }
    var time = Nanoseconds.seconds(4)
    while time < scenario.calmAt {
      add(Int(dice.number(0...Int64(count - 1))), .chat, time)
      time += dice.number(.milliseconds(20)...(.milliseconds(600)))
    }
    for _ in 0..<(closes ? 0 : dice.number(0...3)) {
      scenario.faults.append(fault(count, until: scenario.calmAt, &dice))
    }
    return scenario
  }

  private static func fault(_ count: Int, until calmAt: Nanoseconds, _ dice: inout Dice) -> Fault {
    let from = dice.number(.seconds(4)...(calmAt - .seconds(2)))
    let until = min(calmAt, from + dice.number(.milliseconds(100)...(.seconds(8))))
    let one = Int(dice.number(0...Int64(count - 1)))
    let kind: Fault.Kind
    switch dice.number(0...7) {
    case 0, 1: kind = .loss(dice.amount(0.05...0.5))
    case 2: kind = .duplication(dice.amount(0.05...0.5))
    case 3: kind = .jitter(dice.number(.milliseconds(20)...(.milliseconds(600))))
    case 4:
      let numbers = Array(0..<count)
      kind = .islands([numbers.filter { $0 % 2 == one % 2 }, numbers.filter { $0 % 2 != one % 2 }])
    case 5: kind = .relayRestart
    case 6: kind = .disconnection(one)
    default: kind = .frozen(one)
    }
    return Fault(kind, from: from, until: until)
  }
}
