import Timekeeping

/// Scenarios from a seed.
extension Scenario {
  /// Returns mostly small groups for half a minute; one in a hundred is as large as groups get.
  public static func random(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 1)
    let size: Int64
    switch dice.number(0...199) {
    case 0: size = dice.number(25...50)
    case 1...4: size = dice.number(10...24)
    case 5...40: size = dice.number(5...9)
    default: size = dice.number(1...4)
    }
    let calmAt = Nanoseconds.seconds(size > 9 ? dice.number(6...15) : dice.number(5...25))
    return random(seed: seed, size: Int(size), calmAt: calmAt)
  }

  public static func random(seed: UInt64, size: Int, calmAt: Nanoseconds) -> Scenario {
    var dice = Dice(seed: seed, 2)
    var scenario = Scenario(seed: seed, people: [], calmAt: calmAt)
    let reach = dice.magnitude(1...400)
    for number in 0..<size {
      scenario.people.append(Person(number: number, reach: reach, calmAt: calmAt, dice: &dice))
    }
    let hasRoles = size > 1 && dice.chance(0.3)
    if dice.chance(0.25) {
      scenario.waitedOut = ["away": 50, "userIsChangingCurrentTime": Int(dice.number(1...4))]
    }
    let deeds = dice.number(3...max(4, Int64(calmAt.inSeconds)))
    while scenario.deeds.count < deeds { scenario.addDeeds(hasRoles: hasRoles, &dice) }
    for _ in 0..<dice.number(0...6) { scenario.addFault(&dice) }
    if size > 1, dice.chance(0.05) { scenario.addLaggard(&dice) }
    if dice.chance(0.15) { scenario.addDrought(&dice) }
    if dice.chance(0.1) { scenario.addGap(&dice) }
    return scenario
  }

  /// Returns people near each other, who come one after another, with good machines.
  public static func calmPeople(_ count: Int, seed: UInt64) -> [Person] {
    var dice = Dice(seed: seed, 7)
    return (0..<count).map { number in
      var person = Person(number)
      person.arrivesAt = .milliseconds(300 * Int64(number))
      person.clockOffset = dice.number(.seconds(10)...(.seconds(1_000_000)))
      person.drift = dice.amount(-50e-6...50e-6)
      return person
    }
  }

  /// The gaps in the time stamps of items, by name.
  static let gaps: [String: Range<MediaTime>] = [
    "other film": MediaTime(nanoseconds: .seconds(700))..<MediaTime(nanoseconds: .seconds(709))
  ]
  static let items = ["film", "short", "other film"]
  /// The lengths of items, by name.
  static let durations: [String: Nanoseconds] = [
    "film": .seconds(7200), "short": .seconds(12), "other film": .seconds(7200),
  ]

  private mutating func addDeeds(hasRoles: Bool, _ dice: inout Dice) {
    let time = dice.number(.milliseconds(500)...(calmAt - .milliseconds(200)))
    // Now and then several people act at once: within less time than a message takes.
    let crowd = dice.chance(0.25) ? dice.number(2...4) : 1
    if hasRoles, dice.chance(0.25) {
      // Mostly the host acts, since only the host may do most of it.
      let by = dice.chance(0.7) ? people[0].number : dice.pick(people).number
      deeds.append(Deed(by: by, .amend(amendment(&dice)), when: .at(time)))
      return
    }
    for _ in 0..<crowd {
      let by = dice.pick(people).number
      let when: Deed.When =
        dice.chance(0.25)
        ? .after(
          dice.pick(Deed.Moment.allCases), nth: Int(dice.number(1...4)),
          delay: dice.number(0...(.milliseconds(80))))
        : .at(min(calmAt, time + dice.number(0...(.milliseconds(150)))))
      deeds.append(Deed(by: by, Self.what(&dice), when: when))
    }
  }

  private func amendment(_ dice: inout Dice) -> Deed.Amendment {
    let somebody = dice.pick(people).number
    switch dice.number(0...99) {
    case 0...34: return .onlyHostsControl
    case 35...49: return .everyoneControls
    case 50...69: return .appoint(somebody)
    case 70...76: return .dismiss(somebody)
    case 77...86: return .handOver(somebody)
    case 87...93: return .remove(somebody)
    case 94...96: return .endsWhenHostLeaves
    default: return .outlivesHost
    }
  }

  private static func what(_ dice: inout Dice) -> Deed.What {
    switch dice.number(0...99) {
    case 0...24: return .play(rate: 1, immediately: dice.chance(0.15))
    case 25...32: return .play(rate: dice.pick([0.5, 1.25, 1.5, 2]), immediately: dice.chance(0.2))
    case 33...46: return .pause
    case 47...60:
      return .seek(
        milliseconds: dice.chance(0.3) ? dice.number(0...14000) : dice.number(0...3_600_000),
        resumeImmediately: dice.chance(0.2))
    case 61...65:
      return .suspend(dice.pick(["userIsChangingCurrentTime", "playingInterstitial", "away"]))
    case 66...71:
      return .endSuspension(
        proposingMilliseconds: dice.chance(0.4) ? dice.number(0...600_000) : nil)
    case 72...74: return .whatHappened
    case 75...77: return .open(dice.chance(0.1) ? nil : dice.pick(items))
    case 78...79: return .openForAll(dice.pick(items))
    case 80: return .newSession
    case 81...92: return .chat
    case 93: return .rename(dice.pick(["Ana", "Ben", "Chi"]))
    case 94: return .defaultRate(dice.pick([0.75, 1, 1.75]))
    case 95: return .reapply
    case 96...97: return .leave
    default: return .crash
    }
  }

  private mutating func addFault(_ dice: inout Dice) {
    let from = dice.number(0...(calmAt - .seconds(1)))
    let until = min(calmAt, from + dice.magnitude(.milliseconds(50)...(.seconds(25))))
    let one = dice.pick(people).number
    let kind: Fault.Kind
    switch dice.number(0...13) {
    case 0, 1: kind = .loss(dice.amount(0.02...0.5))
    case 2: kind = .duplication(dice.amount(0.02...0.5))
    case 3, 4: kind = .jitter(dice.magnitude(.milliseconds(5)...(.milliseconds(600))))
    case 5, 6: kind = .islands(islands(&dice))
    case 7: kind = .mute([one])
    case 8: kind = .relayRestart
    case 9: kind = .disconnection(one)
    case 10: kind = .frozen(one)
    case 11: kind = .slowSeeks(one, cost: dice.magnitude(.milliseconds(200)...(.seconds(15))))
    case 12: kind = .stall(one)
    default: kind = .failure(one)
    }
    faults.append(Fault(kind, from: from, until: until))
  }

  /// Adds a server that sends nothing for a while: the players stall one after another, and play again one after another.
  private mutating func addDrought(_ dice: inout Dice) {
    let from = dice.number(.seconds(1)...(calmAt - .seconds(2)))
    let until = min(calmAt, from + dice.magnitude(.milliseconds(500)...(.seconds(15))))
    deeds.append(
      Deed(
        by: dice.pick(people).number, .play(rate: 1, immediately: false),
        when: .at(from - .seconds(1))))
    let moment = dice.magnitude(.milliseconds(1)...(.seconds(1)))
    for person in people {
      faults.append(
        Fault(
          .stall(person.number), from: from + dice.number(0...moment),
          until: min(calmAt, until + dice.number(0...moment))))
    }
  }

  /// Adds an item whose time stamps have a gap, over which the group plays, or into which somebody seeks.
  private mutating func addGap(_ dice: inout Dice) {
    guard let gap = Self.gaps["other film"], calmAt > .seconds(5) else { return }
    let by = dice.pick(people).number
    let from = dice.number(.seconds(1)...(calmAt - .seconds(4)))
    let place = dice.number(
      (gap.lowerBound.nanoseconds - .seconds(2))...(gap.upperBound.nanoseconds + .seconds(1)))
    deeds += [
      Deed(by: by, .openForAll("other film"), when: .at(from)),
      Deed(
        by: by, .seek(milliseconds: place / 1_000_000, resumeImmediately: false),
        when: .at(from + .milliseconds(200))),
      Deed(
        by: by, .play(rate: dice.pick([1, 1, 2]), immediately: dice.chance(0.2)),
        when: .at(from + .milliseconds(400))),
    ]
  }

  /// Adds a person whose player is slow, while the others seek again and again.
  private mutating func addLaggard(_ dice: inout Dice) {
    let one = dice.pick(people).number
    let from = Nanoseconds.seconds(1)
    faults.append(
      Fault(
        .slowSeeks(one, cost: dice.number(.milliseconds(1200)...(.milliseconds(4000)))),
        from: from, until: calmAt))
    guard let other = people.first(where: { $0.number != one })?.number else { return }
    deeds.append(Deed(by: other, .play(rate: 1, immediately: false), when: .at(from)))
    var time = from
    while time < calmAt {
      deeds.append(
        Deed(
          by: other,
          .seek(milliseconds: dice.number(0...600_000), resumeImmediately: false), when: .at(time)))
      time += dice.number(.milliseconds(1300)...(.milliseconds(3000)))
    }
  }

  private func islands(_ dice: inout Dice) -> [[Int]] {
    let count = Int(dice.number(2...3))
    var islands = Array(repeating: [Int](), count: count)
    for person in people { islands[Int(dice.number(0...Int64(count - 1)))].append(person.number) }
    return islands.filter { !$0.isEmpty }
  }
}

extension Person {
  /// - Parameter reach: the approximate distance of this party's members, in milliseconds one way.
  init(number: Int, reach: Int64, calmAt: Nanoseconds, dice: inout Dice) {
    self.init(number)
    // Most people are there from the beginning; the rest come at any time.
    arrivesAt =
      number == 0
      ? 0
      : dice.chance(0.7)
        ? dice.number(0...(.milliseconds(500))) : dice.number(0...(calmAt - .seconds(1)))
    clockOffset = dice.number(.seconds(1)...(.seconds(200_000)))
    drift = dice.amount(-200e-6...200e-6)
    // Two of these delays make the way from one participant to another.
    let delay = dice.number(Nanoseconds.milliseconds(1) / 2...(.milliseconds(reach) / 2))
    delayUp = delay
    delayDown = dice.chance(0.3) ? min(.milliseconds(200), delay * dice.number(1...3)) : delay
    frame = .seconds(1) / dice.pick([24, 25, 30, 50, 60])
    seekCost = dice.magnitude(.milliseconds(10)...(.milliseconds(400)))
    loadingTime = dice.magnitude(.milliseconds(50)...(.milliseconds(1500)))
    isPrepared = dice.chance(0.3)
  }
}
