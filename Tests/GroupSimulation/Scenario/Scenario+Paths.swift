/// Scenarios in which participants allow direct paths.
extension Scenario {
  /// Returns a party of two to five that talks, plays, and allows direct paths at some time or never, while messages are
  /// lost, addresses change, and paths break.
  public static func paths(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 12)
    let count = Int(dice.number(2...5))
    let people = (0..<count).map { number in
      Person(
        number, arrivesAt: number == 0 ? 0 : dice.number(200_000_000...3_000_000_000),
        clockOffset: dice.number(1_000_000_000...9_000_000_000_000),
        delayUp: dice.number(8_000_000...40_000_000),
        delayDown: dice.number(8_000_000...40_000_000))
    }
    var scenario = Scenario(seed: seed, people: people, calmAt: .seconds(30))
    scenario.hasPaths = true
    scenario.deeds = [Deed(by: 0, .play(rate: 1, immediately: false), when: .at(.seconds(6)))]
    func add(_ what: Deed.What, by number: Int, _ dice: inout Dice) {
      scenario.deeds.append(
        Deed(by: number, what, when: .at(dice.number(.seconds(4)...scenario.calmAt))))
    }
    for number in 0..<count {
      // Some never allow paths, some change their minds.
      if !dice.chance(0.2) { add(.allowPaths(true), by: number, &dice) }
      if dice.chance(0.2) { add(.allowPaths(false), by: number, &dice) }
      if dice.chance(0.3) { add(.changeAddress, by: number, &dice) }
    }
    if dice.chance(0.2) { add(.crash, by: count - 1, &dice) }
    func span(_ dice: inout Dice) -> (Nanoseconds, Nanoseconds) {
      let from = dice.number(.seconds(4)...(.seconds(20)))
      return (from, from + dice.number(.seconds(1)...(.seconds(10))))
    }
    if dice.chance(0.7) {
      let (from, until) = span(&dice)
      scenario.faults.append(Fault(.loss(0.3), from: from, until: until))
    }
    if dice.chance(0.5) {
      let (from, until) = span(&dice)
      scenario.faults.append(Fault(.pathsBlocked, from: from, until: until))
    }
    if dice.chance(0.3) {
      let (from, until) = span(&dice)
      scenario.faults.append(Fault(.relayRestart, from: from, until: until))
    }
    return scenario
  }
}
