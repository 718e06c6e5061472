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
    #expect(all.subtracting(names) == [])
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

  static let bugs = films + ends + parties + sharing

  private static let films = [
    Bug("somebody apart who follows to the next film", FilmChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .party(.listChanged(let list, by: _)) = event else { return [event] }
        return [.party(.listChanged(list, by: participant.id))]
      }
    },
    Bug("edits that nobody restores", ListChecker().name) {
      $0.screeningEffect = { effect, _ in
        if case .party(.restore) = effect { [] } else { [effect] }
      }
    },
    Bug("films of others that are signed as one's own", ChoiceChecker().name) {
      $0.screeningEffect = { effect, _ in
        guard case .party(.setList(var edit)) = effect else { return [effect] }
        edit.activity.isOwnFilm = true
        return [.party(.setList(edit))]
      }
    },
    Bug("a choice that isn't told", ListChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .party(.listChanged(_, by: let id)) = event, id != participant.id,
          participant.index == 1
        else { return [event] }
        return []
      }
    },
    Bug("a choice that is ignored while another film is on its way", ListChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .party(.listChanged(_, by: let id)) = event, id != participant.id,
          participant.program!.machine.filmMachine.isOnItsWay
        else { return [event] }
        return []
      }
    },
    Bug("an answer about an earlier film that counts", ScreenChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .film(.searched(_, let entry, by: let by, copy: let copy, isFresh: _)) = event,
          let search = participant.program!.machine.filmMachine.search
        else { return [event] }
        return [.film(.searched(search, entry, by: by, copy: copy, isFresh: false))]
      }
    },
    Bug("a film that stays in the player when it is closed", ScreenChecker().name) {
      $0.screeningEffect = { effect, _ in effect == .film(.close) ? [] : [effect] }
    },
    Bug("an answer that is lost", AnswerChecker().name) {
      $0.screeningEvent = { event, participant in
        if case .film(.searched) = event, participant.index == 1 { [] } else { [event] }
      }
    },
    Bug("a film that is never loaded", AnswerChecker().name) {
      $0.screeningEffect = { effect, participant in
        if case .film(.load) = effect, participant.index == 1 { [] } else { [effect] }
      }
    },
    Bug("a description that is lost", AnswerChecker().name) {
      $0.screeningEvent = { event, _ in
        if case .film(.networkFound) = event { [] } else { [event] }
      }
    },
    Bug("a separation that doesn't end", AnswerChecker().name) {
      $0.screeningEffect = { effect, _ in
        if case .rejoin(.watchingAlone, _) = effect { [] } else { [effect] }
      }
    },
    Bug("trailers without a return", AnswerChecker().name) {
      $0.screeningEffect = { effect, _ in
        if case .rejoin(.interstitial, _) = effect { [] } else { [effect] }
      }
    },
    Bug("a trailers' player that never closes", TrailerChecker().name) {
      $0.screeningEvent = { event, _ in event == .film(.trailer(.closed)) ? [] : [event] }
    },
    Bug("a command that waits for ever", CommandEndChecker().name) {
      $0.screeningEvent = { event, _ in
        if case .film(.answer(.loaded)) = event { [] } else { [event] }
      }
    },
  ]

  private static let ends = [
    Bug("somebody apart whose film's end is everyone's", FilmChecker().name) {
      $0.screeningEvent = { event, _ in
        guard case .fact(.group(var facts)) = event else { return [event] }
        facts.reasons = []
        return [.fact(.group(facts))]
      }
    },
    Bug("a stray that is published as its user's seek", StrayChecker().name) {
      $0.screeningEffect = { effect, participant in
        guard effect == .reapply, participant.program?.isStraying == true else { return [effect] }
        return [.reportSeek(to: MediaTime(seconds: 1))]
      }
    },
    Bug("an end that skips a film", ListChecker().name) {
      $0.screeningEffect = { effect, participant in
        guard case .party(.setList(var edit)) = effect, participant.program?.isActing == false,
          let next = edit.playlist.entry(at: 1)
        else { return [effect] }
        var dice = Dice(seed: 1)
        _ = edit.activity.playlist.makeCurrent(next.id, at: nil, using: &dice)
        return [.party(.setList(edit))]
      }
    },
    Bug("an end that one isn't told of", EndChecker().name) {
      $0.screeningEffect = { effect, participant in
        if case .report(.ended) = effect, participant.index == 1 { [] } else { [effect] }
      }
    },
    Bug("a player's late end that counts", EndChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .playback(.coordinated(.changed(let change))) = event, change.kind == .seek
        else { return [event] }
        let item = participant.player.item
        return [event, .playback(.endReported(item: item, isEarly: false, isOver: true))]
      }
    },
    Bug("a short run that replaces a later position", PositionChecker().name) {
      $0.screeningEffect = { effect, _ in
        guard case .library(.remember(let film, var note, let duration)) = effect else {
          return [effect]
        }
        note.keepsLaterPosition = false
        return [.library(.remember(film, note, duration: duration))]
      }
    },
    Bug("an end that is told twice", EndChecker().name) {
      $0.screeningEffect = { effect, _ in
        if case .report(.ended) = effect { [effect, effect] } else { [effect] }
      }
    },
  ]

  private static let parties = [
    Bug("a denial that counts as agreement", ConsentChecker().name) {
      $0.screeningEvent = { event, _ in
        guard case .command(.answer(false, let forGood)) = event else { return [event] }
        return [.command(.answer(true, forGood: forGood))]
      }
    },
    Bug("a stream that is read before its user agrees", ConsentChecker().name) {
      $0.screeningEffect = { effect, _ in
        guard
          case .library(
            .findCopy(let number, let entry, by: let chooser, let named, streams: _)) = effect,
          let location = entry.location
        else { return [effect] }
        let stream = FilmIdentity(
          identifier: entry.identifier, title: "", location: location, isForeign: true)
        return [
          .library(.findCopy(number, entry, by: chooser, named: named, streams: [stream]))
        ]
      }
    },
    Bug("a server in one's own network that seems to be on the internet", ConsentChecker().name) {
      $0.screeningEvent = { event, _ in
        guard case .film(.arrivalNetworkFound(_, of: let origin, let start)) = event else {
          return [event]
        }
        return [.film(.arrivalNetworkFound(.internet, of: origin, start))]
      }
    },
    Bug("a question that isn't asked", ConsentChecker().name) {
      $0.screeningEffect = { effect, _ in
        if case .report(.mayOpen) = effect { [] } else { [effect] }
      }
    },
    Bug("earlier chat for newcomers", ChatChecker().name) {
      $0.screeningEffect = { effect, _ in
        guard case .report(.participantJoined(let person, wasHere: false)) = effect else {
          return [effect]
        }
        return [effect, .party(.sendEarlierChat([], to: person.id))]
      }
    },
    Bug("a departure that never ends", LeavingChecker().name) {
      $0.screeningEvent = { event, _ in if case .party(.left) = event { [] } else { [event] } }
    },
    Bug("a departure that closes the party", LeavingChecker().name) {
      $0.screeningEffect = { effect, _ in
        guard case .party(.leave(var departure)) = effect else { return [effect] }
        departure.closes = true
        return [.party(.leave(departure))]
      }
    },
    Bug("a host who leaves the party without another", LeavingChecker().name) {
      $0.screeningEffect = { effect, _ in
        guard case .party(.leave(var departure)) = effect else { return [effect] }
        departure.newHost = nil
        return [.party(.leave(departure))]
      }
    },
    Bug("a bridge for nobody", StandbyChecker().name) {
      $0.screeningEvent = { event, _ in
        event == .party(.clients(0)) ? [.party(.clients(2))] : [event]
      }
    },
    Bug("a bridge that stays", StandbyChecker().name) {
      $0.screeningEffect = { effect, _ in effect == .party(.endBridge) ? [] : [effect] }
    },
    Bug("a bridge to a relay that was left", StandbyChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .party(.reported(.connected(let server), _)) = event,
          server == participant.program!.relays.own?.local?.text
        else { return [event] }
        return []
      }
    },
    Bug("relays that are never known", StandbyChecker().name) {
      $0.screeningEvent = { event, _ in
        guard case .party(.relays(let offers)) = event else { return [event] }
        let unknown = offers.map {
          RelayOffer(
            owner: $0.owner, addresses: $0.addresses, isCreators: $0.isCreators,
            isPresent: $0.isPresent, isKept: $0.isKept, reached: [], reach: $0.reach,
            joinedAt: $0.joinedAt)
        }
        return [.party(.relays(unknown))]
      }
    },
    Bug("a host without a door", DoorChecker().name) {
      $0.screeningEffect = { effect, participant in
        if case .party(.keepDoor) = effect, participant.index == 0 { [] } else { [effect] }
      }
    },
    Bug("a door that only the host keeps", DoorChecker().name) {
      $0.screeningEffect = { effect, _ in
        if case .party(.keepDoor(let door?)) = effect, door.rank ?? 0 > 0 { [] } else { [effect] }
      }
    },
    Bug("a door that shows its first film", DoorChecker().name) {
      $0.screeningEffect = { effect, participant in
        guard case .party(.keepDoor(let door?)) = effect, door.film != nil,
          let list = participant.program?.machine.list, list.current.id != list.entries.first?.id
        else { return [effect] }
        return []
      }
    },
    Bug("a second relay", StandbyChecker().name) {
      $0.screeningEffect = { effect, _ in
        effect == .party(.serve) ? [effect, effect] : [effect]
      }
    },
  ]

  private static let sharing = [
    Bug("a shared film that is taken without a question", ShareChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .share(.offered(let films)) = event, !films.isEmpty else { return [event] }
        return [event, .command(.answer(true, forGood: false))]
      }
    },
    Bug("a film that is given without a question", ShareChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .film(.answer(.loaded)) = event else { return [event] }
        return [event, .command(.share(true))]
      }
    },
    Bug("a film that stays shared", ShareChecker().name) {
      $0.screeningEffect = { effect, _ in effect == .share(.withdraw) ? [] : [effect] }
    },
    Bug("shared films of which a newcomer never learns", ShareChecker().name) {
      $0.screeningEvent = { event, _ in
        if case .share(.offered) = event { [] } else { [event] }
      }
    },
    Bug("a copy that plays what it lacks", GapChecker().name) {
      $0.screeningEffect = { effect, _ in
        if case .separate(.lacking, for: _) = effect { [] } else { [effect] }
      }
    },
    Bug("votes that nobody gave", VoteChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .vote(.counted(_, in: let id)) = event,
          let present = participant.program!.machine.party?.participants
        else { return [event] }
        let votes = present.map { ($0.id, true) }
        return [.vote(.counted(Dictionary(uniqueKeysWithValues: votes), in: id))]
      }
    },
    Bug("a film that stays lowered", DuckingChecker().name) {
      $0.screeningEffect = { effect, _ in effect == .player(.lower(false)) ? [] : [effect] }
    },
    Bug("remarks about another film", EchoChecker().name) {
      $0.screeningEvent = { event, participant in
        guard case .film(.remarksFound(_, about: let film)) = event else { return [event] }
        let others = participant.program!.remarks.filter { $0.key != film }
        return [.film(.remarksFound(others.values.flatMap { $0 }, about: film))]
      }
    },
    Bug("shared subtitles of which a program never learns", SubtitleChecker().name) {
      $0.screeningEvent = { event, _ in
        if case .share(.subtitles) = event { [] } else { [event] }
      }
    },
  ]

  @Test("Each planted bug is found", arguments: bugs)
  func found(_ bug: Bug) throws {
    var options = Simulation.Options()
    options.mutation = bug.mutation
    let trials = (UInt64(0)..<6000).lazy.map {
      Trial.run(Scenario.program(seed: $0), options: options)
    }
    let found = try #require(
      trials.first { $0.breach?.invariant == bug.invariant }, "nobody noticed \(bug.name)")
    #expect(Trial.run(found.scenario).breach == nil, "without the bug, seed \(found.scenario.seed)")
  }
}
