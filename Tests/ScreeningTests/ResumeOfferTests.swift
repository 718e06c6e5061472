import PlaybackCoordination
import Testing
import Timekeeping

@testable import GroupActivities
@testable import Screening

@Suite("The first film and the position at which it begins")
struct ResumeOfferTests {
  typealias Machine = ScreeningMachine

  private static let film = FilmIdentity(identifier: "a", title: "a", location: "/a")
  private static let position = MediaTime(seconds: 51)

  /// A machine that has opened the film of the command line, and the effects of that.
  private static func opened(
    resumes: Bool = false, start: String? = nil
  ) throws -> (machine: Machine, effects: [Machine.Effect]) {
    var machine = Machine(random: RandomSource.seeded(5))
    var effects = machine.plan([film], resumes: resumes, start: start)
    if resumes { effects += try machine.handle(.positionFound(film, position)) }
    effects += try machine.perform(machine.openPlanned(), film: { _ in film })
    return (machine, effects)
  }

  private static func offering() throws -> Machine {
    var (machine, _) = try opened()
    let offer = try machine.handle(.positionFound(film, position))
    #expect(offer == [.report(.resumeOffered(at: position))])
    #expect(machine.offeredPosition == position)
    return machine
  }

  private static func lookups(_ effects: [Machine.Effect]) -> Int {
    effects.filter {
      guard case .library(.findPosition(let asked)) = $0 else { return false }
      return asked.identifier == film.identifier
    }.count
  }

  @Test("A film begins at its start, and offers to resume until it has played for ten seconds")
  func offers() throws {
    #expect(try Self.lookups(Self.opened().effects) == 1)
    var machine = try Self.offering()
    func end(_ status: CoordinatorSnapshot.Status, at seconds: Double) throws -> Bool {
      machine.know(Reading(coordinator: GroupFacts(item: "a", status, at: .zero)))
      let now = HostTime(nanoseconds: 0) + .seconds(seconds)
      return try machine.handle(.fact(.tick), at: now).contains(.report(.resumeOffered(at: nil)))
    }
    #expect(try !end(.paused, at: 60))
    #expect(try !end(.playing, at: 70))
    #expect(try !end(.playing, at: 79))
    #expect(machine.offeredPosition == Self.position)
    #expect(try end(.playing, at: 80))
    #expect(machine.offeredPosition == nil)
    #expect(try !end(.playing, at: 90))
  }

  @Test("The offer ends with a seek, another film, or a session that another participant began")
  func ends() throws {
    var sought = try Self.offering()
    let seek = CoordinatedChange(
      kind: .seek, originator: .init(high: 1, low: 1), itemTime: Self.position, rate: 1)
    _ = sought.handle(.changed(seek))
    #expect(sought.offeredPosition == nil)
    var another = try Self.offering()
    let other = FilmIdentity(identifier: "b", title: "b", location: "/b")
    _ = try another.perform(another.open(other), film: { _ in other })
    #expect(another.offeredPosition == nil)
    for chooser in [ScreeningMachineTests.me, ScreeningMachineTests.host] {
      var member = try Self.offering()
      let list = try #require(member.ownList)
      try member.membership.beginEntering(by: .rejoin)
      member.membership.entered(at: member.now)
      member.know(ScreeningMachineTests.reading(party: ScreeningMachineTests.party()))
      _ = member.sessionBegan(SessionStart(list: list, chooser: chooser))
      #expect((member.offeredPosition == nil) == (chooser == ScreeningMachineTests.host))
    }
  }

  @Test("A participant who may not control playback is offered nothing")
  func rights() throws {
    var machine = try Self.offering()
    try machine.membership.beginEntering(by: .rejoin)
    machine.membership.entered(at: machine.now)
    let party = ScreeningMachineTests.party(as: .guest, control: .hosts)
    var reading = ScreeningMachineTests.reading(party: party)
    machine.know(reading)
    #expect(machine.offeredPosition == Self.position, "the coordinator lets it control")
    reading.coordinator.mayControl = false
    machine.know(reading)
    #expect(machine.offeredPosition == nil)
  }

  @Test("A trailer hides the offer")
  func trailer() throws {
    var machine = try Self.offering()
    var reading = Reading()
    reading.isTrailerPaused = false
    machine.know(reading)
    #expect(machine.offeredPosition == nil)
  }

  @Test("A film that was hardly begun offers nothing", arguments: [nil, MediaTime(seconds: 12)])
  func nothing(position: MediaTime?) throws {
    var (machine, _) = try Self.opened()
    #expect(try machine.handle(.positionFound(Self.film, position)).isEmpty)
    #expect(machine.offeredPosition == nil)
  }

  @Test("A film that resumes anyway, or begins where mpv's settings say, offers nothing")
  func elsewhere() throws {
    #expect(try Self.lookups(Self.opened(resumes: true).effects) == 1, "the one of --resume")
    for (text, command) in [
      ("30", UserCommand.seek(to: MediaTime(seconds: 30))),
      ("+1:00", .seek(to: MediaTime(seconds: 60))),
      ("25%", .seekPercent(25, isRelative: false)),
    ] {
      let effects = try Self.opened(start: text).effects
      #expect(Self.lookups(effects) == 0, "\(text)")
      #expect(
        effects.contains {
          if case .attempt([.look(.command(command))], orElse: _) = $0 { true } else { false }
        }, "\(text)")
    }
    #expect(
      try Self.opened(start: "#2").effects.first
        == .report(.warning("The option “start” has no effect. Use a time or a percentage.")))
  }
}
