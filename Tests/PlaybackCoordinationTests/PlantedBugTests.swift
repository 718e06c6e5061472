import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation
@testable import PlaybackCoordination

/// Each checker gets a machine with a bug, and has to find it.
@Suite("Planted bugs")
struct PlantedBugTests {
  struct Bug: Sendable, CustomTestStringConvertible {
    var name: String
    var invariant: String
    var mutation: Mutation
    var testDescription: String { name }
  }

  static let bugs: [Bug] = [
    Bug(name: "a command answered twice", invariant: CommandChecker().name) {
      $0.answer = { _, result, _ in [result, result] }
    },
    Bug(name: "a command never answered", invariant: CommandChecker().name) {
      $0.answer = { directive, result, _ in
        if case .pause = directive.kind { [] } else { [result] }
      }
    },
    Bug(name: "a command for another item", invariant: ItemChecker().name) {
      $0.coordinatorAction = { action, _ in
        guard case .issue(var directive) = action else { return [action] }
        directive.item = "another film"
        return [.issue(directive)]
      }
    },
    Bug(name: "somebody apart who moves the group", invariant: SuspensionChecker().name) {
      $0.coordinatorAction = { action, participant in
        guard participant.isSuspended, case .publish(var report, let urgency) = action,
          let state = report.state
        else { return [action] }
        report.state?.stamp = Stamp(
          time: max(0, state.stamp.time) + 1, participant: participant.id)
        return [.publish(report, urgency)]
      }
    },
    Bug(name: "a start before the instant", invariant: StartChecker().name) {
      $0.coordinatorAction = { action, _ in
        guard case .issue(var directive) = action,
          case .play(let rate, let position, let instant) = directive.kind
        else { return [action] }
        directive.kind = .play(
          rate: rate, itemTime: position, groupTime: instant - .milliseconds(500))
        return [.issue(directive)]
      }
    },
    Bug(name: "a start that skips a second", invariant: StartChecker().name) {
      $0.coordinatorAction = { action, _ in
        guard case .issue(var directive) = action,
          case .play(let rate, let position, let instant) = directive.kind
        else { return [action] }
        directive.kind = .play(rate: rate, itemTime: position + .seconds(1), groupTime: instant)
        return [.issue(directive)]
      }
    },
    Bug(name: "a start issued too late", invariant: StartChecker().name) {
      $0.coordinatorAction = { action, participant in
        guard case .publish(var report, let urgency) = action,
          case .playing(var line) = report.state?.phase, line.previousRate == 0,
          report.state?.stamp.participant == participant.id
        else { return [action] }
        line.groupTime = line.groupTime - .milliseconds(700)
        report.state?.phase = .playing(line)
        return [.publish(report, urgency)]
      }
    },
    Bug(name: "a start that is newer than a pause", invariant: UndoneCommandChecker().name) {
      // As if it had been made five seconds after the state from which it follows.
      $0.machine = { before, after in
        for (item, state) in after.states {
          guard let stamp = before.states[item]?.stamp, state.stamp.participant == after.me,
            state.stamp.time == stamp.time + 1
          else { continue }
          after.states[item]?.stamp = Stamp(time: stamp.time + 5_000_000_000, participant: after.me)
        }
      }
    },
    Bug(name: "a wall clock that is believed beyond its bound", invariant: ClockChecker().name) {
      $0.wallClock = { $0?.uncertainty = .microseconds(10) }
    },
    Bug(name: "a wait that nobody says is over", invariant: WaitChecker().name) {
      $0.coordinatorAction = { action, _ in
        if case .report(.waiting(nil)) = action { [] } else { [action] }
      }
    },
    Bug(name: "endless patience", invariant: PatienceChecker().name) {
      $0.configuration = { $0.patience = .max }
    },
    Bug(name: "a pause on another frame", invariant: PauseChecker().name) {
      $0.coordinatorAction = { action, _ in
        guard case .issue(var directive) = action, case .seek(let position) = directive.kind else {
          return [action]
        }
        directive.kind = .seek(position + .seconds(2))
        return [.issue(directive)]
      }
    },
    Bug(name: "a message heard twice", invariant: MessageChecker().name) {
      $0.partyAction = { action, _ in
        if case .report(.chat) = action { [action, action] } else { [action] }
      }
    },
    Bug(name: "a message that is swallowed", invariant: MessageChecker().name) {
      $0.partyAction = { action, participant in
        guard participant.person.number == 1, case .report(.chat) = action else {
          return [action]
        }
        return []
      }
    },
    Bug(name: "a guest who is obeyed", invariant: RoleChecker().name) {
      $0.mayControl = { _, _ in true }
    },
    Bug(name: "rules that aren't passed on", invariant: RoleChecker().name) {
      $0.message = { message, _, _ in
        switch message {
        case .event(.policyLog), .direct(.policyLog): []
        default: [message]
        }
      }
    },
    Bug(name: "a state that isn't passed on", invariant: ConvergenceChecker().name) {
      $0.message = { message, sender, _ in
        guard sender.person.number == 1 else { return [message] }
        switch message {
        case .event(.coordination), .direct(.coordination): return []
        case .beacon(var beacon):
          beacon.coordination = 0
          return [.beacon(beacon)]
        default: return [message]
        }
      }
    },
    Bug(name: "a wait for those who can't answer", invariant: LinkChecker().name) {
      $0.machine = { _, after in after.isLinkUp = true }
    },
    Bug(name: "a replay without an end", invariant: ReplayChecker().name) {
      $0.machine = { before, after in
        guard let id = before.catchingUp, after.catchingUp == nil,
          let replay = before.suspensions.first(where: { $0.id == id })
        else { return }
        after.suspensions.append(replay)
        after.ownState =
          before.currentItem == after.currentItem ? before.ownState : after.groupState
      }
    },
    Bug(name: "a group that plays unseen", invariant: HoldChecker().name) {
      $0.machine = { before, after in
        for (item, state) in before.states {
          guard state.isPlaying, case .starting = after.states[item]?.phase,
            after.states[item]?.follows(state) ?? false
          else { continue }
          after.states[item] = state
          after.trouble.hold = .init()
        }
      }
    },
    Bug(name: "a jump that moves no line", invariant: JumpChecker().name) {
      $0.machine = { before, after in
        for (item, state) in before.states {
          guard case .playing(let line) = after.states[item]?.phase, state.isPlaying,
            line.previousRate == state.rate, after.states[item]?.follows(state) ?? false
          else { continue }
          after.states[item] = state
          after.commanded = before.commanded
        }
      }
    },
    Bug(name: "a player that is off", invariant: ConvergenceChecker().name) {
      $0.reading = { $0.offset += .milliseconds(30) }
    },
  ]

  @Test("Each planted bug is found", arguments: bugs)
  func found(_ bug: Bug) throws {
    var options = Simulation.Options()
    options.mutation = bug.mutation
    let trials = (UInt64(0)..<300).lazy.map {
      Trial.run(Scenario.random(seed: $0), options: options)
    }
    let found = try #require(
      trials.first { $0.breach?.invariant == bug.invariant }, "nobody noticed \(bug.name)")
    #expect(Trial.run(found.scenario).breach == nil, "without the bug, seed \(found.scenario.seed)")

    let small = found.shrunk(options: options, tries: 60)
    #expect(small.breach?.invariant == bug.invariant)
    #expect(small.scenario.size <= found.scenario.size)
  }

  @Test("A failure is reported as a story of the smallest scenario that still fails")
  func story() throws {
    var options = Simulation.Options()
    options.mutation.partyAction = { action, _ in
      if case .report(.chat) = action { [action, action] } else { [action] }
    }
    let found = try #require(
      (UInt64(0)..<100).lazy.map { Trial.run(Scenario.random(seed: $0), options: options) }
        .first { $0.breach != nil && $0.scenario.size > 12 })
    let small = found.shrunk(options: options).scenario
    #expect(small.people.count == 2)
    #expect(small.deeds.count == 1)
    #expect(small.faults.isEmpty)
    let report = Soak.report(found, options: options)
    #expect(report.contains("seed \(found.scenario.seed) breaks: reliable messages"))
    #expect(report.contains(" sends message 1\n"))
    #expect(report.contains("BROKEN"))
    #expect(report.contains("Scenario(seed: \(found.scenario.seed)"))
  }
}

extension PlantedBugTests.Bug {
  init(name: String, invariant: String, _ plant: (inout Mutation) -> Void) {
    var mutation = Mutation.none
    plant(&mutation)
    self.init(name: name, invariant: invariant, mutation: mutation)
  }
}

extension Scenario {
  fileprivate var size: Int { people.count + deeds.count + faults.count }
}
