import DrawTogether
import Testing
import Timekeeping
import WatchTogether

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

@Suite("What a command means at this moment")
struct ScreeningMachineTests {
  typealias Machine = ScreeningMachine

  static let me = Participant.ID(high: 1, low: 1)
  static let host = Participant.ID(high: 1, low: 2)
  static let now = HostTime(nanoseconds: 9_000_000_000)

  static func film(_ title: String) -> FilmIdentity {
    FilmIdentity(identifier: title, title: title, location: "/films/" + title)
  }

  static func snapshot(
    _ status: CoordinatorSnapshot.Status, at place: Double? = 10,
    apart reasons: [CoordinatedPlaybackSuspension.Reason] = []
  ) -> GroupFacts {
    GroupFacts(status, at: place.map { MediaTime(seconds: $0) }, apart: reasons)
  }

  static func reading(
    _ status: CoordinatorSnapshot.Status = .paused, at place: Double? = 10,
    duration: Double? = 100, party: PartyFacts? = nil
  ) -> Reading {
    var player = PlayerFacts()
    player.duration = duration.map { MediaTime(seconds: $0) }
    player.itemTime = place.map { MediaTime(seconds: $0) }
    return Reading(coordinator: snapshot(status, at: place), player: player, party: party)
  }

  /// What a party reports to this participant.
  static func party(
    as role: Participant.Role = .host, control: PartyRules.Control = .everyone
  ) -> PartyFacts {
    var rules = PartyRules(creator: role == .host ? me : host)
    rules.control = control
    if role == .coHost { rules.coHosts = [me] }
    return .init(me: me, rules: rules, participants: [], clock: nil, session: .joined)
  }

  /// A machine of this participant, alone with these films, of which the first is on the screen.
  static func alone(_ titles: String...) -> Machine {
    var machine = Machine.planning(titles.map(film))
    try! machine.perform(machine.openPlanned(), film: film)
    return machine
  }

  static func member(_ titles: String...) -> Machine {
    var machine = Machine.planning(titles.map(film))
    let list = machine.ownList!
    _ = try! machine.handle(.fact(.live(false)), at: now)
    try! machine.membership.beginEntering(by: .rejoin)
    let entered = Machine.EnteredParty(
      facts: party(), isEligible: true, relay: nil, mayServe: false)
    _ = machine.entered(entered)
    try! machine.perform(
      machine.sessionBegan(SessionStart(list: list, chooser: host)), film: film)
    return machine
  }

  @Test("In a party the player is prepared for nudges, and loops nothing; alone it isn't")
  func eligibility() {
    #expect(
      Machine.eligibilityChanged(to: true) == [.player(.expectNudges(true)), .player(.endLoops)])
    #expect(Machine.eligibilityChanged(to: false) == [.player(.expectNudges(false))])
  }

  // MARK: - Rights

  @Test(
    "Each command is refused exactly for those who may not use it by the table",
    arguments: [Participant.Role.host, .coHost, .guest])
  func rights(role: Participant.Role) throws {
    let party = Self.party(as: role, control: .hosts)
    for row in UserCommandTable.rows {
      for example in row.examples {
        var machine = Self.member("a", "b")
        var reading = Self.reading(.playing, party: party)
        reading.coordinator.mayControl = role != .guest
        var refused = false
        do {
          let effects = try machine.handle(UserCommand(example), in: reading)
          refused = effects.contains(.refuse(.notPermitted))
        } catch PartyError.notPermitted, CoordinationError.notPermitted {
          refused = true
        } catch is NothingToDo, is PlaylistProblem, is WindowProblem, is PlayerCommandProblem,
          is DrawingProblem, is KeptRelayProblem, is ShareProblem, is MembershipProblem,
          is InviteError, is VoteProblem
        {}
        let mayUse =
          switch row.permission {
          case .anyone: true
          case .controllers, .coHosts: role != .guest
          case .host: role == .host
          }
        // A guest opens a copy of the party's film.
        let isExpected = !mayUse && row.name != "load"
        #expect(refused == isExpected, "\(example) by a \(role)")
      }
    }
  }

  @Test("A lost audio device is reported once, until there is one again")
  func noSound() {
    var machine = Self.alone("a")
    let first = machine.handle(PlayerReport.soundLost)
    #expect(first == [.report(.warning("No audio device – playing without sound"))])
    let second = machine.handle(PlayerReport.soundLost)
    #expect(second == [])
    _ = machine.handle(PlayerReport.soundFound)
    let third = machine.handle(PlayerReport.soundLost)
    #expect(third == first)
  }

  @Test("A command that needs a party says so outside of one")
  func partyOnly() throws {
    for row in UserCommandTable.rows where row.isPartyOnly {
      var machine = Self.alone("a")
      for example in row.examples {
        let command = try UserCommand(example)
        #expect(throws: PartyOnly(name: row.name), "\(example)") {
          _ = try machine.handle(command, in: Self.reading())
        }
      }
    }
  }

  @Test("A guest who is apart controls its own player, whatever the rules say")
  func apart() throws {
    var machine = Self.member("a")
    // The coordinator lets a participant who is apart control its own player.
    let reading = Self.reading(.playing, party: Self.party(as: .guest, control: .hosts))
    #expect(try machine.handle(.pause, in: reading) == [.setRate(0, immediately: false)])
  }

  @Test(
    "An answer belongs to the question that is asked, and trusts a server for good if it says so")
  func answers() throws {
    var machine = Self.member("a")
    #expect(throws: NothingToDo.noQuestion) {
      try machine.handle(.answer(true, forGood: false), in: Self.reading(party: Self.party()))
    }
    let stream = PlaylistEntry(
      id: 7, identifier: "b", title: "b", location: "https://films.example/b.mkv")
    var dice = RandomSource.seeded(6)
    var list = try #require(machine.list)
    list.open(stream, at: nil, using: &dice)
    let found = machine.listChanged(to: list, by: Self.host)
    var asked: Machine.Effects = []
    for case .library(.findCopy(let number, let entry, by: let chooser, named: _, streams: _))
      in found
    {
      let lookUp = try machine.handle(
        .searched(number, entry, by: chooser, copy: nil, isFresh: false))
      for case .film(.findNetwork(of: let refusal, let question)) in lookUp {
        asked += try machine.handle(.networkFound(.internet, of: refusal, question))
      }
    }
    #expect(asked.contains { if case .report(.mayOpen) = $0 { true } else { false } })
    let reading = Self.reading(party: Self.party())
    var denying = machine
    let denied = try denying.handle(.answer(false, forGood: false), in: reading)
    #expect(!denied.contains { if case .library = $0 { true } else { false } })
    // As long as the film is the party's, the answer can be changed.
    #expect(denying.question == nil && denying.declined?.origin.host == "films.example")
    #expect(throws: NothingToDo.noQuestion) {
      try denying.handle(.answer(false, forGood: false), in: reading)
    }
    let later = try denying.handle(.answer(true, forGood: false), in: reading)
    #expect(later.contains { if case .library(.findCopy) = $0 { true } else { false } })
    #expect(denying.declined == nil)
    let origin = try #require(FilmOrigin(of: "https://films.example/"))
    let allowed = try machine.handle(.answer(true, forGood: true), in: reading)
    #expect(allowed.contains(.library(.trust(origin))))
    #expect(machine.consent.policy.allowed.contains(origin))
  }

  // MARK: - Playback

  @Test("Playing at the end begins again; the end is the latest that the group knows")
  func playAtEnd() throws {
    var machine = Self.alone("a")
    let play = Machine.Effect.setRate(1, immediately: false)
    var reading = Self.reading(.paused, at: 99.9)
    #expect(
      try machine.handle(.play(immediately: false), in: reading) == [.seek(to: .zero), play])
    reading.coordinator.end = MediaTime(seconds: 120)
    #expect(try machine.handle(.play(immediately: false), in: reading) == [play])
  }

  @Test("Stop pauses, and returns to the beginning of a file but not of a live stream")
  func stop() throws {
    var machine = Self.alone("a")
    var reading = Self.reading(.playing)
    let pause = Machine.Effect.setRate(0, immediately: false)
    #expect(try machine.handle(.stop, in: reading) == [pause, .look(.command(.seek(to: .zero)))])
    reading.isLive = true
    #expect(try machine.handle(.stop, in: reading) == [pause])
  }

  @Test("During a trailer, play and pause concern the trailer, and a second pause changes nothing")
  func trailer() throws {
    var machine = Self.alone("a")
    var reading = Self.reading(.playing)
    reading.isTrailerPaused = false
    #expect(try machine.handle(.pause, in: reading) == [.trailer(.playPause)])
    #expect(try machine.handle(.stop, in: reading) == [.trailer(.playPause)])
    reading.isTrailerPaused = true
    #expect(try machine.handle(.play(immediately: false), in: reading) == [.trailer(.playPause)])
    #expect(try machine.handle(.stop, in: reading) == [])
  }

  @Test(
    "Positions stay within the film, also after a frame, a chapter or a percentage",
    arguments: [
      (UserCommand.seek(to: MediaTime(seconds: 500)), 100.0),
      (.skip(by: .seconds(-60)), 0), (.seekPercent(50, isRelative: false), 50),
      (.seekPercent(50, isRelative: true), 60), (.seekChapter(by: 1), 40),
      (.seekChapter(by: -1), 0), (.seekChapter(by: .max), 100), (.seekChapter(by: .min), 0),
    ])
  func positions(command: UserCommand, seconds: Double) throws {
    var machine = Self.alone("a")
    var reading = Self.reading()
    reading.player.chapters = [0, 5, 40, 80].map { MediaTime(seconds: $0) }
    let expected: [Machine.Effect] = [.seek(to: MediaTime(seconds: seconds))]
    #expect(try machine.handle(command, in: reading) == expected)
  }

  @Test("A frame step pauses first, and steps from where the group paused")
  func frameStep() throws {
    var machine = Self.alone("a")
    var reading = Self.reading(.playing)
    reading.player.frameDuration = .milliseconds(20)
    #expect(
      try machine.handle(.frameStep(by: -2), in: reading) == [
        .setRate(0, immediately: false), .look(.command(.skip(by: .milliseconds(-40)))),
      ])
  }

  @Test("Seeking in a live stream stays within what the server still has")
  func live() throws {
    var machine = Self.alone("a")
    var reading = Self.reading(duration: nil)
    reading.isLive = true
    reading.player.earliest = MediaTime(seconds: 7)
    #expect(
      try machine.handle(.seek(to: .zero), in: reading) == [.seek(to: MediaTime(seconds: 7))])
  }

  @Test("The preview begins once, moves freely, and ends with the group's right to seek")
  func scrubbing() throws {
    var machine = Self.member("a")
    let place = MediaTime(seconds: 50)
    let reading = Self.reading(.playing, party: Self.party(as: .guest, control: .hosts))
    #expect(throws: NothingToDo.noPreview) { try machine.handle(.endScrub(at: nil), in: reading) }
    let begin = try machine.handle(.scrub(to: place), in: reading)
    #expect(
      begin == [
        .separate(.scrubbing, for: .userIsChangingCurrentTime),
        .setRate(0, immediately: false), .look(.command(.seek(to: place))),
      ])
    #expect(try machine.handle(.scrub(to: place), in: reading) == [.seek(to: place)])
    let end = try machine.handle(.endScrub(at: nil), in: reading)
    #expect(end == [.rejoin(.scrubbing, proposing: nil)])
  }

  // MARK: - The list of films

  @Test("Next and previous say why there is none, and refuse who watches something else")
  func neighbours() throws {
    var machine = Self.member("a", "b")
    let reading = Self.reading(.playing, party: Self.party())
    #expect(throws: PlaylistProblem.noPrevious) {
      try machine.handle(.advance(by: -1), in: reading)
    }
    #expect(throws: PlaylistProblem.noNext) { try machine.handle(.advance(by: 2), in: reading) }
    #expect(throws: PlaylistProblem.noSuchEntry) {
      try machine.handle(.watch(entry: 2), in: reading)
    }
    let effects = try machine.handle(.advance(by: 1), in: reading)
    guard case .party(.setList(let edit))? = effects.first else { throw PlaylistProblem.empty }
    #expect(edit.playlist.current.title == "b" && edit.plays)
    _ = machine.films(.separated(.steppedAway, for: .steppedAway))
    #expect(throws: PlaylistProblem.apart) { try machine.handle(.advance(by: -1), in: reading) }
  }

  @Test("An edit that the session didn't take leaves the list as it was, and lets nothing play")
  func failedEdit() throws {
    var machine = Self.member("a", "b")
    let before = machine.list
    let effects = try machine.handle(
      .advance(by: 1), in: Self.reading(.playing, party: Self.party()))
    guard case .party(.setList(let edit))? = effects.first else { throw PlaylistProblem.empty }
    #expect(machine.list != before)
    machine.listNotSet(edit)
    #expect(machine.list == before)
  }

  @Test("At a film's end the next one begins, for those who follow the group and may choose")
  func filmOver() throws {
    func ended(
      _ body: (inout Reading) -> Void = { _ in }, item: String? = nil
    ) -> [Machine.Effect] {
      var machine = Self.member("a", "b")
      machine.end = FilmEnd()
      var reading = Self.reading(.paused, at: 100, party: Self.party())
      body(&reading)
      machine.know(reading)
      return machine.endReported(
        item: item ?? machine.list!.current.item, isEarly: false, isOver: true)
    }
    let report = Machine.Effect.report(.ended(continues: true))
    let next = ended()
    #expect(next.count == 2 && next.first == report)
    #expect(
      ended {
        $0.coordinator.mayControl = false
        $0.party = Self.party(as: .guest, control: .hosts)
      } == [report])
    #expect(
      ended { $0.coordinator = Self.snapshot(.paused, apart: [.readyCheck]) } == [report])
    #expect(ended(item: "another") == [report])
  }

  @Test("A film that is in the list twice follows itself")
  func twice() throws {
    var machine = Self.member("a", "a")
    let list = try #require(machine.list)
    #expect(list.current.item != list.entry(at: 1)?.item)
    machine.know(Self.reading(.paused, at: 100, party: Self.party()))
    let effects = machine.endReported(item: list.current.item, isEarly: false, isOver: true)
    guard case .attempt(let next, _)? = effects.last,
      case .party(.setList(let edit))? = next.first
    else { throw PlaylistProblem.empty }
    #expect(edit.playlist.currentID == list.entry(at: 1)?.id && edit.plays)
    // The end of the first one, reported again, moves nobody further.
    #expect(
      machine.endReported(item: list.current.item, isEarly: false, isOver: true).isEmpty)
  }

  @Test("A copy that ends before the others' waits, and the end of theirs moves it too")
  func shortCopy() throws {
    var machine = Self.member("a", "b")
    machine.end = FilmEnd()
    let reading = Self.reading(.paused, at: 100, party: Self.party())
    let item = machine.list!.current.item
    machine.know(reading)
    let end = machine.endReported(item: item, isEarly: false, isOver: false)
    #expect(end.isEmpty, "the others may be at the end, too")
    #expect(
      machine.handle(.waitsAtOwnEnd, in: reading, at: Self.now)
        == [.report(.warning("Your copy of the film ends here. Everyone else continues."))])
    let change = CoordinatedChange(
      kind: .ended, originator: Self.host, itemTime: MediaTime(seconds: 120), rate: 0)
    let over = machine.handle(.changed(change), in: reading, at: Self.now)
    #expect(over.count == 3)
    #expect(machine.handle(.changed(change), in: reading, at: Self.now).count == 1)
  }

  @Test("A film that a guest opens or closes in the player is put back, unless the guest is apart")
  func ownPlayer() {
    let reading = Self.reading(.playing, party: Self.party(as: .guest, control: .hosts))
    var machine = Self.member("a")
    let list = machine.list
    func isPutBack(_ effects: [Machine.Effect]) -> Bool {
      effects.contains { if case .report(.failed) = $0 { true } else { false } }
        && effects.contains {
          if case .film(.load(_, let film, _)) = $0 {
            film.item == list?.current.item
          } else {
            false
          }
        }
    }
    machine.know(reading)
    #expect(isPutBack(machine.loadedInPlayer(Self.film("z"))))
    #expect(isPutBack(machine.handle(.closed, in: reading)))
    #expect(!isPutBack(machine.loadedInPlayer(Self.film("a"))))
    _ = machine.films(.separated(.steppedAway, for: .steppedAway))
    #expect(!isPutBack(machine.handle(.closed, in: reading)))
  }

  // MARK: - The party

  @Test("Only one party is entered at a time, and a failure leaves this participant alone")
  func entering() throws {
    var membership = Membership()
    try membership.beginEntering(by: .rejoin)
    #expect(throws: MembershipProblem.entering) { try membership.beginEntering(by: .rejoin) }
    let waits = membership.enteringFailed()
    #expect(!waits && membership.state == .alone(after: nil))
    try membership.beginEntering(by: .rejoin)
    membership.entered(at: Self.now)
    _ = membership.enteringFailed()
    #expect(membership.isMember)
    let (first, second) = (
      membership.beginLeaving(after: nil), membership.beginLeaving(after: nil)
    )
    #expect(first && !second)
    #expect(throws: MembershipProblem.leaving) { try membership.beginEntering(by: .rejoin) }
  }

  @Test("The end of a party is remembered until the user dismisses it or opens a film")
  func ending() throws {
    var machine = Self.member("a")
    #expect(!machine.leave(after: .closed(by: "Ana")).isEmpty)
    #expect(machine.membership.ending == .closed(by: "Ana"))
    var dismissing = machine
    #expect(try dismissing.handle(.leave, in: Self.reading()) == [.report(.changed)])
    dismissing.membership.left()
    #expect(dismissing.membership.state == .alone(after: nil))
    machine.membership.left()
    #expect(machine.membership.ending == .closed(by: "Ana"))
    #expect(try machine.handle(.leave, in: Self.reading()) == [.report(.changed)])
    #expect(machine.membership.ending == nil)
    #expect(try machine.handle(.leave, in: Self.reading()) == [])
  }

  @Test("Whoever leaves keeps the party's films, and whoever watched something else keeps that")
  func leaving() throws {
    var machine = Self.member("a", "b")
    let list = machine.list
    _ = machine.leave()
    #expect(machine.list == list)

    machine = Self.member("a", "b")
    try machine.perform(machine.openAlone(Self.film("z")), film: Self.film)
    _ = machine.leave()
    #expect(machine.list?.entries.map(\.title) == ["z"])
  }

  @Test("The end of the film or the party pauses everyone, but nobody who is apart")
  func endPauses() throws {
    let reading = Self.reading(.playing, party: Self.party())
    var machine = Self.member("a")
    let pause = Machine.Effect.setRate(0, immediately: false)
    #expect(try machine.handle(.endFilm, in: reading) == [pause, .party(.endSession)])
    #expect(
      try machine.handle(.endParty, in: reading) == [pause, .then(.party(.leaves(closing: true)))])
    _ = machine.films(.separated(.steppedAway, for: .steppedAway))
    #expect(try machine.handle(.endFilm, in: reading) == [.party(.endSession)])
  }

  @Test("Names of participants who left are known as long as their actions may be reported")
  func names() {
    var machine = Self.member("a")
    let ben = Participant(id: Self.host, name: "Ben")
    machine.membership.participantsChanged(to: [ben])
    machine.membership.participantsChanged(to: [])
    #expect(machine.name(of: Self.host) == "Ben")
    #expect(machine.name(of: Participant.ID(high: 9, low: 9)) == "a participant")
  }

  @Test("A participant is remembered before anything is reported of it")
  func remembered() throws {
    var machine = Self.member("a")
    let ben = Participant(id: Self.host, name: "Ben")
    for event in [PartyEvent.participantJoined(ben), .renamed(ben, from: "Bo")] {
      #expect(try machine.handle(event, in: nil).first == .party(.meet(ben)))
    }
  }
}
