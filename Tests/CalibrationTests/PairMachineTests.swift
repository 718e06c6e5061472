import Testing
import Timekeeping

@testable import Calibration

/// Two machines, the messages between them, and programs that do at once what they are asked to.
private struct Pair {
  static let marks = (0..<20).map {
    PairMachine.Mark(seconds: Double($0), time: GroupTime(nanoseconds: Int64($0) * 1_000_000_000))
  }
  static let now = GroupTime(nanoseconds: 20_000_000_000)

  var machines: [PairMachine] = [PairMachine(.first), PairMachine(.second)]
  var findings: [PairMachine.Findings]
  /// The events that wait for each machine: those of its own program, and the other's messages in their order.
  var own: [[PairMachine.Event]] = [[.recording], [.recording]]
  var messages: [[PairMachine.Event]] = [[], []]
  var outcomes: [PairMachine.Outcome?] = [nil, nil]
  /// The machines that play now, and those that have played.
  var playing: [Int] = []
  var played: [Int] = []
  var problems: [String] = []

  init(delays: [Duration], microphones: [Duration], way: Duration, offsets: [Duration]) {
    findings = (0...1).map { index in
      let own = delays[index] + microphones[index]
      let other = delays[1 - index] + microphones[index] + way
      return .init(heard: .init(own: own, other: other), offset: offsets[index])
    }
  }

  /// Runs until nothing is left, in a random order.
  mutating func run(_ random: inout Random) {
    while true {
      var choices: [(machine: Int, isOwn: Bool)] = []
      for machine in 0...1 {
        if !own[machine].isEmpty { choices.append((machine, true)) }
        if !messages[machine].isEmpty { choices.append((machine, false)) }
      }
      guard !choices.isEmpty else { return }
      let (machine, isOwn) = choices[Int(random.uniform() * Double(choices.count))]
      let event = isOwn ? own[machine].removeFirst() : messages[machine].removeFirst()
      if case .played = event {
        playing.removeAll { $0 == machine }
        played.append(machine)
      }
      let actions = machines[machine].handle(event)
      for action in actions { perform(action, of: machine) }
    }
  }

  private mutating func perform(_ action: PairMachine.Action, of machine: Int) {
    switch action {
    case .send(let message): messages[1 - machine].append(.received(message, at: Self.now))
    case .play:
      if !playing.isEmpty { problems.append("both play at the same time") }
      if played.contains(machine) { problems.append("one plays twice") }
      playing.append(machine)
      own[machine].append(.played(Self.marks))
    case .find(let first, let second):
      if played.count != 2 { problems.append("a search before both have played") }
      if first != Self.marks || second != Self.marks { problems.append("other marks") }
      own[machine].append(.found(findings[machine]))
    case .finish(let outcome):
      if outcomes[machine] != nil { problems.append("two outcomes") }
      outcomes[machine] = outcome
      messages[1 - machine].append(.left)
    }
  }
}

@Suite("Two machines beside one another")
struct PairMachineTests {
  @Test("The difference of the delays is found, whatever the microphones add")
  func cancelled() throws {
    let delays = try PairedDelays(
      own: .init(own: .milliseconds(183 + 40), other: .milliseconds(20 + 40 + 3)),
      other: .init(own: .milliseconds(20 + 250), other: .milliseconds(183 + 250 + 3)))
    #expect(delays.difference == .milliseconds(163))
    #expect(delays.way == .milliseconds(3))
  }

  @Test("Machines that aren't beside one another have no result", arguments: [-5, 20, 200])
  func apart(way: Int) {
    #expect(throws: PairedDelays.Refusal.apart(.milliseconds(way))) {
      try PairedDelays(
        own: .init(own: .zero, other: .milliseconds(way)),
        other: .init(own: .zero, other: .milliseconds(way)))
    }
  }

  @Test("In any order of events both play, one after the other, and agree on who is late")
  func orders() {
    for seed in 0..<500 {
      var random = Random(seed: UInt64(seed))
      var pair = Pair(
        delays: [.milliseconds(190), .milliseconds(10)],
        microphones: [.milliseconds(15), .milliseconds(80)], way: .milliseconds(2),
        offsets: [.milliseconds(30), .milliseconds(5)])
      pair.run(&random)
      #expect(pair.problems.isEmpty, "seed \(seed): \(pair.problems)")
      // 190 - 30 ms of the first are heard, and 10 - 5 ms of the second.
      for (outcome, lateness) in zip(pair.outcomes, [155, -155]) {
        guard case .compared(let delays, let found)? = outcome else {
          Issue.record("seed \(seed): \(String(describing: outcome))")
          continue
        }
        #expect(found == .milliseconds(lateness) && delays.way == .milliseconds(2))
      }
    }
  }

  @Test("If one has no result, the other says so")
  func failure() {
    var machine = PairMachine(.first)
    #expect(machine.handle(.recording) == [.send(.recording)])
    #expect(machine.handle(.received(.recording, at: Pair.now)) == [.play])
    #expect(machine.handle(.failed) == [.send(.failed), .finish(.failed)])
    #expect(machine.handle(.left).isEmpty, "nothing follows")
    var other = PairMachine(.second)
    #expect(other.handle(.received(.failed, at: Pair.now)) == [.finish(.otherFailed)])
  }

  @Test("Without the other machine there is an end")
  func alone() {
    var machine = PairMachine(.second)
    _ = machine.handle(.recording)
    var other = machine
    #expect(machine.handle(.left) == [.finish(.otherLeft)])
    #expect(other.handle(.silence) == [.send(.failed), .finish(.otherSilent)])
  }

  @Test("Who knows both results has one, even if the other leaves without a word")
  func known() {
    var machine = PairMachine(.second)
    _ = machine.handle(.recording)
    _ = machine.handle(.received(.recording, at: Pair.now))
    #expect(machine.handle(.received(.played(Pair.marks), at: Pair.now)) == [.play])
    _ = machine.handle(.played(Pair.marks))
    _ = machine.handle(
      .found(.init(heard: .init(own: .zero, other: .milliseconds(100)), offset: .zero)))
    let found = PairMachine.Message.found(own: 100_000_000, other: 0, offset: 0)
    #expect(machine.handle(.received(found, at: Pair.now)) == [.send(.done)])
    guard case .finish(.compared(_, let lateness))? = machine.handle(.left).first else {
      Issue.record("no result")
      return
    }
    #expect(lateness == .milliseconds(-100))
  }

  @Test("Impossible messages end it")
  func senseless() {
    let late = GroupTime(nanoseconds: .max)
    let messages: [PairMachine.Message] = [
      .played([.init(seconds: .nan, time: Pair.now)]), .played([.init(seconds: 1, time: late)]),
      .played([.init(seconds: 1e300, time: Pair.now)]),
      .played(Array(repeating: Pair.marks[0], count: 5000)),
      .found(own: .max, other: .min, offset: 0),
    ]
    for message in messages {
      var machine = PairMachine(.second)
      _ = machine.handle(.recording)
      #expect(
        machine.handle(.received(message, at: Pair.now))
          == [.send(.failed), .finish(.senseless)])
    }
  }
}
