import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupSimulation
@testable import PlaybackCoordination
@testable import Screening

/// Parties of whole programs on virtual time, whose people use every command at bad moments.
@Suite("Whole programs from seeds")
struct WholeProgramTests {
  /// `make soak` runs more of them.
  @Test("In a thousand parties of whole programs every invariant holds")
  func seeds() {
    let clock = ContinuousClock()
    let begun = clock.now
    let summary = Soak.run(seeds: 0..<1000, workers: 2) { Scenario.program(seed: $0) }
    let seconds = (clock.now - begun) / .seconds(1)
    print(
      "\(summary.seeds) parties of programs, \(summary.events) events, "
        + "\(summary.span / 3_600_000_000_000) hours of virtual time in \(Int(seconds)) s")
    #expect(summary.seeds == 1000)
    for failure in summary.failures.prefix(3) { Issue.record("\(Soak.report(failure))") }
    let kinds = Dictionary(grouping: summary.failures) { $0.breach!.invariant }
    #expect(kinds.mapValues { $0.map(\.scenario.seed) } == [:])
  }

  @Test("The people of the scenarios use every command, alone and in large parties")
  func ranges() throws {
    let scenarios = (UInt64(0)..<2000).map { Scenario.program(seed: $0) }
    #expect(scenarios.contains { $0.people.count == 1 })
    #expect(scenarios.contains { $0.people.count > 15 })
    var names: Set<String> = []
    for case .use(let line) in scenarios.flatMap(\.deeds).map(\.what) {
      names.insert(try UserCommand(line).name)
    }
    let all = Set(UserCommandTable.rows.map(\.name))
    // A name for `suspend`.
    #expect(all.subtracting(names) == ["step-away"])
  }

  // MARK: - Planted bugs

  struct Bug: Sendable, CustomTestStringConvertible {
    var name: String
    var invariant: String
    var mutation: Mutation
    var testDescription: String { name }

    init(_ name: String, _ invariant: String, _ plant: (inout Mutation) -> Void) {
      self.name = name
      self.invariant = invariant
      mutation = .none
      plant(&mutation)
    }
  }

  static let bugs = [
    Bug("somebody apart whose film's end is everyone's", FilmChecker().name) {
      $0.screeningReading = { reading in
        let known = reading.coordinator
        reading.coordinator = CoordinatorSnapshot(
          currentItemIdentifier: known.currentItemIdentifier, status: known.status,
          rate: known.rate, itemTime: known.itemTime, suspensionReasons: [],
          otherParticipants: [], groupItemTime: known.groupItemTime)
      }
    },
    Bug("somebody apart who follows to the next film", FilmChecker().name) {
      $0.filmEvent = { event, _ in
        guard case .adopted(let list, by: .participant(_, isLocal: false), let cause) = event
        else { return [event] }
        return [.adopted(list, by: .user, cause)]
      }
    },
    Bug("edits that nobody restores", ListChecker().name) { $0.restoresLists = false },
    Bug("films of others that are signed as one's own", ChoiceChecker().name) {
      $0.ownsAllFilms = true
    },
    Bug("a stray that is published as its user's seek", StrayChecker().name) {
      $0.screeningDirective = { directive, participant in
        guard directive == .reapply, participant.program?.isStraying == true else {
          return [directive]
        }
        return [.reportSeek(to: MediaTime(seconds: 1))]
      }
    },
    Bug("an end that skips a film", ListChecker().name) {
      $0.screeningDirective = { directive, participant in
        guard case .setList(var edit) = directive, participant.program?.isActing == false,
          let next = edit.playlist.entry(at: 1)
        else { return [directive] }
        var dice = Dice(seed: 1)
        _ = edit.playlist.makeCurrent(next.id, at: nil, using: &dice)
        return [.setList(edit)]
      }
    },
    Bug("a choice that isn't told", ScreenChecker().name) {
      $0.filmEvent = { event, participant in
        guard case .adopted(_, by: .participant(_, isLocal: false), .chosen) = event,
          participant.index == 1
        else { return [event] }
        return []
      }
    },
    Bug("an answer that is lost", AnswerChecker().name) {
      $0.filmEvent = { event, participant in
        if case .resolved = event, participant.index == 1 { [] } else { [event] }
      }
    },
    Bug("a description that is lost", AnswerChecker().name) {
      $0.filmEvent = { event, _ in if case .described = event { [] } else { [event] } }
    },
    Bug("an end that one isn't told of", EndChecker().name) {
      $0.screeningDirective = { directive, participant in
        if case .report(.ended) = directive, participant.index == 1 { [] } else { [directive] }
      }
    },
    Bug("an end that is told twice", EndChecker().name) {
      $0.screeningDirective = { directive, _ in
        if case .report(.ended) = directive { [directive, directive] } else { [directive] }
      }
    },
    Bug("trailers without a return", TrailerChecker().name) {
      $0.filmEvent = { event, _ in
        if case .rejoined(.interstitial, _) = event { [] } else { [event] }
      }
    },
  ]

  @Test("Each planted bug is found", arguments: bugs)
  func found(_ bug: Bug) throws {
    var options = Simulation.Options()
    options.mutation = bug.mutation
    let trials = (UInt64(0)..<500).lazy.map {
      Trial.run(Scenario.program(seed: $0), options: options)
    }
    let found = try #require(
      trials.first { $0.breach?.invariant == bug.invariant }, "nobody noticed \(bug.name)")
    #expect(Trial.run(found.scenario).breach == nil, "without the bug, seed \(found.scenario.seed)")
  }
}
