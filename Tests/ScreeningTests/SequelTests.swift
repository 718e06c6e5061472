import GroupActivities
import PlaybackCoordination
import Testing
import Timekeeping

@testable import Screening

@Suite("The film that continues another one")
struct SequelTests {
  typealias Machine = ScreeningMachine

  @Test(
    "A name continues another if it is the same up to a number that is greater by one",
    arguments: [
      ("Show S01E01.mkv", "Show S01E02.mkv"), ("S01E09 Cat.mkv", "S01E10 - Dog.mp4"),
      ("Show 1x01.mkv", "show 1x02.mkv"), ("Part 1.mkv", "Part 2.mkv"),
      ("S01E10.mkv", "S02E01.mkv"),
      ("01 Pilot.mkv", "02 Second.mkv"), ("1 - Pilot.mkv", "2 - Second.mkv"), ("1.mkv", "2.mkv"),
      ("VID_0009.mp4", "VID_0010.mp4"),
    ])
  func continues(name: String, next: String) {
    #expect(Sequel.of("/f/" + name, among: ["/f/" + name, "/f/" + next]) == "/f/" + next)
  }

  @Test(
    "Another name doesn't",
    arguments: [
      ("Show S01E01.mkv", "Show S01E03.mkv"), ("Alien.mkv", "Zulu.mkv"), ("Film.mkv", "Film 2.mkv"),
      ("12 Monkeys.mkv", "13 Assassins.mkv"), ("A 1.mkv", "B 2.mkv"),
      ("S01E01 x264.mkv", "S01E01 x265.mkv"), ("S01E01.mkv", "S01E01.mp4"),
    ])
  func differs(name: String, next: String) {
    #expect(Sequel.of("/f/" + name, among: ["/f/" + name, "/f/" + next]) == nil)
  }

  @Test("Only the neighbour counts")
  func neighbour() {
    #expect(Sequel.of("/f/1.mkv", among: ["/f/1.mkv", "/f/1b.mkv", "/f/2.mkv"]) == nil)
    #expect(Sequel.of("/f/2.mkv", among: ["/f/1.mkv", "/f/2.mkv"]) == nil)
    #expect(Sequel.of("/g/1.mkv", among: ["/f/1.mkv", "/f/2.mkv"]) == nil)
    #expect(Sequel.title("/f/a.b/S01E02 - The end.v2.mkv") == "S01E02 - The end.v2")
  }

  // MARK: - The offer

  private static func film(_ title: String) -> FilmIdentity {
    FilmIdentity(identifier: title, title: title, location: "/films/\(title).mkv")
  }

  private static let folder = ["S01E01", "S01E02", "S01E03"].map { "/films/\($0).mkv" }

  /// A machine at the end of its first film, and the order that looks for the next one.
  private static func over(
    _ titles: String..., party: PartyFacts? = nil, isEarly: Bool = false
  ) throws -> (machine: Machine, orders: [LibraryOrder]) {
    var machine = Machine.planning(titles.map(film))
    try machine.perform(machine.openPlanned(), film: film)
    if let party {
      let list = machine.ownList!
      try machine.membership.beginEntering(by: .rejoin)
      let entered = Machine.EnteredParty(
        facts: party, isEligible: true, relay: nil, mayServe: false)
      _ = machine.entered(entered)
      try machine.perform(
        machine.sessionBegan(SessionStart(list: list, chooser: ScreeningMachineTests.host)),
        film: film)
    }
    machine.know(ScreeningMachineTests.reading(.paused, at: 100, party: party))
    let item = machine.filmMachine.film?.item
    let orders = machine.endReported(item: item, isEarly: isEarly, isOver: true).compactMap {
      if case .library(let order) = $0 { order } else { nil }
    }
    return (machine, orders)
  }

  private static func offering(_ party: PartyFacts? = nil) throws -> Machine {
    var (machine, orders) = try over("S01E01", party: party)
    guard case .findBeside(let film)? = orders.first else { throw NothingToDo.noQuestion }
    _ = try machine.handle(.film(.foundBeside(film, folder)), at: ScreeningMachineTests.now)
    return machine
  }

  @Test(
    "At a film's end the next episode is offered to those who may choose it",
    arguments: [true, false])
  func offer(isInParty: Bool) throws {
    let machine = try Self.offering(isInParty ? ScreeningMachineTests.party() : nil)
    #expect(machine.sequel == "S01E02")
    let guest = ScreeningMachineTests.party(as: .guest, control: .hosts)
    #expect(try Self.over("S01E01", party: guest).orders == [])
    #expect(try Self.over("S01E01", "other").orders == [], "the list has a next film")
    #expect(try Self.over("S01E01", isEarly: true).orders == [])
    var forbidden = machine
    _ = forbidden.take(.party(guest))
    #expect(isInParty == (forbidden.sequel == nil))
  }

  @Test("The next episode opens for everyone, and plays")
  func opens() throws {
    var machine = try Self.offering(ScreeningMachineTests.party())
    let effects = try machine.handle(.command(.advance(by: 1)), at: ScreeningMachineTests.now)
    #expect(effects.contains(.film(.identify("/films/S01E02.mkv", .sequel, isEntry: true))))
    #expect(machine.sequel == nil, "a second Enter opens nothing")
    let rest = try machine.perform(
      machine.identified(Self.film("S01E02"), .sequel), film: Self.film)
    let edits = rest.compactMap { effect -> ListEdit? in
      guard case .attempt(let effects, _) = effect,
        case .party(.setList(let edit))? = effects.first
      else { return nil }
      return edit
    }
    #expect(edits.map(\.playlist.current.title) == ["S01E02"] && edits.allSatisfy(\.plays))
    #expect(machine.filmMachine.playsNext == "S01E02")
  }

  @Test("A next episode that can't be opened plays at no later time")
  func cannotOpen() throws {
    var machine = try Self.offering()
    _ = try machine.identified(Self.film("S01E02"), .sequel)
    _ = machine.cannotPlay(Self.film("S01E02"), "damaged")
    #expect(machine.filmMachine.playsNext == nil)
  }

  @Test("The offer goes away when the user does something else, or the film goes on")
  func goesAway() throws {
    let now = ScreeningMachineTests.now
    var machine = try Self.offering()
    _ = try machine.handle(.command(.state), at: now)
    #expect(machine.sequel != nil)
    _ = try machine.handle(.command(.setVolume(50)), at: now)
    #expect(machine.sequel == nil)
    #expect(throws: PlaylistProblem.self) {
      try machine.handle(.command(.advance(by: 1)), at: now)
    }
    machine = try Self.offering(ScreeningMachineTests.party())
    let change = CoordinatedChange(
      kind: .seek, originator: ScreeningMachineTests.host, itemTime: .zero, rate: 0)
    _ = try machine.handle(.playback(.coordinated(.changed(change))), at: now)
    #expect(machine.sequel == nil)
    // An answer that comes too late.
    let film = try #require(machine.filmMachine.film)
    _ = try machine.handle(.film(.foundBeside(film, Self.folder)), at: now)
    #expect(machine.sequel == nil)
  }
}
