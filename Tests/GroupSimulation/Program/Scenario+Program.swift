import Screening

/// Scenarios of whole programs, from a seed.
extension Scenario {
  /// Returns mostly small parties for half a minute, whose people use every command at bad moments.
  public static func program(seed: UInt64) -> Scenario {
    var dice = Dice(seed: seed, 11)
    let size: Int64 =
      switch dice.number(0...99) {
      case 0: dice.number(9...20)
      case 1...14: dice.number(5...8)
      default: dice.number(1...4)
      }
    let calmAt = Nanoseconds.seconds(dice.number(6...25))
    var scenario = Scenario.random(seed: seed, size: Int(size), calmAt: calmAt)
    scenario.isWholeProgram = true
    scenario.waitedOut = [:]
    scenario.deeds = []
    for index in scenario.people.indices { scenario.people[index].isPrepared = false }
    // A player whose commands fail is a fault of mere groups: its program would open the film again.
    scenario.faults.removeAll { if case .failure = $0.kind { true } else { false } }
    scenario.plan = Array(
      ["short", "long", "brief", "longer"].shuffled(using: &dice).prefix(Int(dice.number(1...4))))
    if dice.chance(0.2) { scenario.plan.insert(dice.pick(FilmShelf.streams), at: 0) }
    if size > 1, dice.chance(0.2) { scenario.people[Int(size) - 1].isDoorGuest = true }
    if dice.chance(0.3) {
      let sharer = dice.pick(scenario.people).number
      scenario.deeds.append(Deed(by: sharer, .use("share"), when: .at(.milliseconds(300))))
    }
    let count = dice.number(3...max(4, Int64(calmAt.inSeconds)))
    while scenario.deeds.count < count {
      let time = dice.number(.milliseconds(500)...(calmAt - .milliseconds(200)))
      // Now and then several people act at once: within less time than a message takes.
      for _ in 0..<(dice.chance(0.25) ? dice.number(2...4) : 1) {
        let by = dice.pick(scenario.people).number
        let when: Deed.When =
          dice.chance(0.2)
          ? .after(
            dice.pick(Deed.Moment.allCases), nth: Int(dice.number(1...4)),
            delay: dice.number(0...(.milliseconds(80))))
          : .at(min(calmAt, time + dice.number(0...(.milliseconds(150)))))
        let what: Deed.What =
          dice.chance(0.08) ? .touch(touch(&dice)) : .use(line(&dice))
        scenario.deeds.append(Deed(by: by, what, when: when))
      }
    }
    // Dice of their own, which leave the other deeds as they are.
    var subtitleDice = Dice(seed: seed, 12)
    if subtitleDice.chance(0.2) {
      let time = subtitleDice.number(.seconds(2)...calmAt)
      let sharer = subtitleDice.pick(scenario.people).number
      scenario.deeds.append(Deed(by: sharer, .use("share-subtitles film.srt"), when: .at(time)))
    }
    addCalls(to: &scenario, Dice(seed: seed, 13), until: calmAt)
    addRemarks(to: &scenario, Dice(seed: seed, 14), until: calmAt)
    addVotes(to: &scenario, Dice(seed: seed, 15), until: calmAt)
    return scenario
  }

  private static func addCalls(
    to scenario: inout Scenario, _ dice: consuming Dice, until end: Nanoseconds
  ) {
    guard dice.chance(0.1) else { return }
    let by = dice.pick(scenario.people).number
    func add(_ what: Deed.What) {
      let time = dice.number(.seconds(1)...end)
      scenario.deeds.append(Deed(by: by, what, when: .at(time)))
    }
    for _ in 0..<dice.number(1...4) { add(.use(dice.pick(["duck on", "duck on", "duck"]))) }
    for _ in 0..<dice.number(1...4) { add(.touch(.call)) }
    if dice.chance(0.3) { add(.use("duck off")) }
  }

  private static func addVotes(
    to scenario: inout Scenario, _ dice: consuming Dice, until end: Nanoseconds
  ) {
    guard dice.chance(0.1) else { return }
    let time = dice.number(.seconds(2)...end)
    let line = dice.pick(["vote rewind", "vote rewind", "vote skip", "vote next"])
    scenario.deeds.append(
      Deed(by: dice.pick(scenario.people).number, .use(line), when: .at(time)))
    for person in scenario.people where dice.chance(0.7) {
      let answer = dice.pick(["allow", "allow", "deny"])
      scenario.deeds.append(
        Deed(
          by: person.number, .use(answer),
          when: .at(time + dice.number(.milliseconds(20)...(.seconds(3))))))
    }
  }

  private static func addRemarks(
    to scenario: inout Scenario, _ dice: consuming Dice, until end: Nanoseconds
  ) {
    guard dice.chance(0.1) else { return }
    for _ in 0..<dice.number(2...5) {
      let by = dice.pick(scenario.people).number
      let line = dice.pick(["chat a view", "react moment", "play", "seek 0", "load \(film(&dice))"])
      scenario.deeds.append(
        Deed(by: by, .use(line), when: .at(dice.number(.seconds(1)...end))))
    }
  }

  private static func film(_ dice: inout Dice) -> String {
    dice.pick(FilmShelf.files + FilmShelf.streams)
  }

  private static func touch(_ dice: inout Dice) -> Deed.Touch {
    switch dice.number(0...9) {
    case 0...1: .close
    case 2...4: .load(dice.pick(FilmShelf.files + FilmShelf.streams))
    case 5...7: .lose
    default: .scan(dice.pick(FilmShelf.files))
    }
  }

  private static func line(_ dice: inout Dice) -> String {
    func film() -> String { dice.pick(FilmShelf.files + FilmShelf.streams) }
    switch dice.number(0...99) {
    case 0...15: return dice.pick(["play", "play", "play", "play now", "play-pause"])
    case 16...22: return "pause"
    case 23...27: return "seek \(dice.number(0...8))"
    case 28...31: return dice.pick(["seek +3", "seek -2", "seek 50%", "chapter 1", "frame-step"])
    case 32...35: return dice.pick(["rate 0.5", "rate 2", "rate 1", "cycle-rates 1 1.5"])
    case 36...40: return dice.pick(["preview 4", "preview 7200", "preview 30"])
    case 41...45: return dice.pick(["preview cancel", "take-everyone 5", "take-everyone 600"])
    case 46...49: return "catch-up"
    case 50...53: return dice.pick(["step-away", "step-away for a phone call"])
    case 54: return dice.pick(["share", "share off"])
    case 55...56: return "resume"
    case 57...59:
      return dice.pick([
        "same-film \(dice.pick(FilmShelf.files))", "same-film \(film())", "offset 2.5",
        "offset by -0.1",
      ])
    case 60: return dice.pick(["same-film \(film())", "load \(film()) --for-everyone"])
    case 61...63: return "load \(film())"
    case 64...66: return "load-alone \(film())"
    case 67...70: return "enqueue \(film())"
    case 71...74: return "next"
    case 75: return "previous"
    case 76...77: return "watch \(dice.number(1...4))"
    case 78...79: return "move \(dice.number(1...4)) \(dice.number(1...4))"
    case 80...81: return "drop \(dice.number(1...4))"
    case 82...83: return dice.pick(["ready", "not-ready", "toggle-ready"])
    case 84: return "ready-check"
    case 85...87: return dice.pick(["allow", "allow", "deny"])
    case 88...89: return "leave"
    case 90...91: return "rejoin"
    case 92:
      return dice.pick([
        "share", "share 720p", "share off", "keep", "join \(Simulation.invite)", "end-party",
        "keep-relay",
        "forget-host one.example",
      ])
    case 93: return "end"
    case 94: return dice.pick(["control hosts", "control everyone"])
    case 95: return "stop-playback"
    // Every command that there is.
    default: return dice.pick(dice.pick(UserCommandTable.rows).examples)
    }
  }
}
