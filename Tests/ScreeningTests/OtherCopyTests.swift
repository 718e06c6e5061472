import GroupActivities
import PlaybackCoordination
import Testing
import Timekeeping
import WatchTogether

@testable import Screening

@Suite("Another copy of the party's film, aligned by its sound")
struct OtherCopyTests {
  private typealias Machine = ScreeningMachine

  private static let later = CopyTimeline(offset: .seconds(12.4))
  /// A copy that lacks 100 to 140 s.
  private static let cut = CopyTimeline(pieces: [
    .init(begin: .zero, end: MediaTime(seconds: 100), offset: .zero),
    .init(begin: MediaTime(seconds: 140), end: MediaTime(seconds: 7200), offset: .seconds(-40)),
  ])!

  private static func film(_ name: String) -> FilmIdentity {
    FilmIdentity(identifier: name, title: name, location: "/films/\(name)")
  }

  /// A machine in a party whose film is missing, with the file `mine` on the command line.
  private static func missing(isSameFilm: Bool = false) throws -> (Machine, [Machine.Effect]) {
    var machine = Machine.inParty()
    _ = try machine.handle(.named([film("mine")], isSameFilm: isSameFilm), at: machine.now)
    let looked = machine.sessionBegan(
      SessionStart(list: machine.newList(film("a")), chooser: nil))
    var effects: [Machine.Effect] = []
    for case .library(.findCopy(let number, let entry, by: let chooser, named: _, streams: _))
      in looked
    {
      effects = try machine.handle(
        .searched(number, entry, by: chooser, copy: nil, isFresh: false))
    }
    return (machine, effects)
  }

  private static func comparison(
    in effects: [Machine.Effect], _ length: Double = 144, timeline: CopyTimeline? = nil
  ) throws -> (CopyComparison, CopyComparison.Purpose) {
    for case .film(.compare(let film, with: let entry, let purpose)) in effects {
      return (
        CopyComparison(
          film: film, partys: entry, length: MediaTime(seconds: length),
          partysLength: MediaTime(seconds: 120), timeline: timeline), purpose
      )
    }
    throw PlaylistProblem.empty
  }

  private static func loaded(_ effects: [Machine.Effect]) -> [FilmIdentity] {
    effects.compactMap {
      if case .film(.load(_, let film, proposing: nil)) = $0 { film } else { nil }
    }
  }

  private static func texts(_ effects: [Machine.Effect]) -> [String] {
    effects.compactMap {
      switch $0 {
      case .report(.notice(let text)), .report(.warning(let text)),
        .report(.failed(let text, command: _)):
        text
      default: nil
      }
    }
  }

  /// A machine that compares the sound of `mine` with that of the party's film.
  private static func aligning() throws -> (Machine, FilmIdentity, UInt32) {
    var (machine, effects) = try missing(isSameFilm: true)
    let (comparison, purpose) = try comparison(in: effects)
    #expect(purpose == .use)
    effects = try machine.handle(.recalled(comparison))
    for case .share(.align(let film, with: let entry)) in effects { return (machine, film, entry) }
    throw PlaylistProblem.empty
  }

  @Test("The user is asked about the file that it named, and a yes compares the sound")
  func question() throws {
    var (machine, effects) = try Self.missing()
    let (comparison, purpose) = try Self.comparison(in: effects)
    #expect(purpose == .offer)
    _ = try machine.handle(.compared(comparison, purpose))
    let question = try #require(machine.shareQuestion)
    #expect(
      machine.asked(question).text
        == "Your file is another copy of “a” (24 s longer). Watch it as the same film?")
    var declined = machine
    _ = try declined.handle(.command(.answer(false, forGood: false)), at: machine.now)
    #expect(declined.shareQuestion == nil)
    effects = try machine.handle(.command(.answer(true, forGood: false)), at: machine.now)
    #expect(effects.contains(.library(.recallCopy(comparison))))
    #expect(machine.shareQuestion == nil)
    // A film of quite another length isn't asked about.
    var (other, found) = try Self.missing()
    _ = try other.handle(.compared(Self.comparison(in: found, 60).0, .offer))
    found = []
    #expect(other.shareQuestion == nil)
  }

  @Test("A copy whose sound agrees is opened on the party's timeline, and this is remembered")
  func aligned() throws {
    var (machine, film, entry) = try Self.aligning()
    #expect(machine.filmMachine.film == nil, "nothing is opened before the sound is compared")
    let effects = try machine.handle(
      .share(.aligned(film, entry: entry, .aligned(Self.later, agreement: 0.987))),
      at: machine.now)
    let loaded = Self.loaded(effects)
    #expect(loaded.map(\.timeline) == [Self.later] && loaded.map(\.ownIdentifier) == ["mine"])
    #expect(loaded.map(\.identifier) == ["a"])
    #expect(
      Self.texts(effects) == ["“mine” is the party's film: +12.4 s. 98 % of the sound agrees."])
    #expect(effects.contains { if case .library(.rememberCopy) = $0 { true } else { false } })
  }

  @Test("What is remembered about two copies is used at once")
  func recalled() throws {
    var (machine, effects) = try Self.missing(isSameFilm: true)
    let (comparison, _) = try Self.comparison(in: effects, timeline: Self.later)
    effects = try machine.handle(.recalled(comparison))
    #expect(Self.loaded(effects).map(\.timeline) == [Self.later])
    #expect(!effects.contains { if case .share(.align) = $0 { true } else { false } })
  }

  @Test(
    "A copy whose sound doesn't agree changes nothing, and the user learns the reason",
    arguments: [
      (CopyMatch.differs(agreement: 0.314), "only 31 % of the sound agrees"),
      (.otherRate(25.0 / 24), "runs 4.2 % faster"),
      (.unknown("there is next to no sound."), "there is next to no sound."),
    ])
  func refused(_ match: CopyMatch, _ text: String) throws {
    var (machine, film, entry) = try Self.aligning()
    let effects = try machine.handle(
      .share(.aligned(film, entry: entry, match)), at: machine.now)
    #expect(Self.loaded(effects).isEmpty && machine.missing != nil)
    #expect(Self.texts(effects).count == 1 && Self.texts(effects)[0].contains(text))
    // The user knows better.
    let opened = try machine.decide(.offset(.seconds(12.4), isChange: false))
    #expect(Self.loaded(opened).map(\.timeline) == [Self.later])
  }

  @Test("An offset moves the copy on the screen, and the party's own copy has none")
  func offset() throws {
    var (machine, film, entry) = try Self.aligning()
    for case .film(.load(let number, _, proposing: _)) in try machine.handle(
      .share(.aligned(film, entry: entry, .aligned(Self.later, agreement: 1))), at: machine.now)
    {
      _ = try machine.handle(.answer(.loaded(number)))
    }
    let effects = try machine.decide(.offset(.seconds(-0.4), isChange: true))
    let timeline = CopyTimeline(offset: .seconds(12))
    #expect(effects.contains(.film(.retime(timeline))) && effects.contains(.reapply))
    #expect(machine.filmMachine.film?.timeline == timeline)
    var own = Machine.inParty()
    #expect(throws: NothingToDo.noOtherCopy) {
      try own.decide(.offset(.seconds(1), isChange: false))
    }
  }

  @Test("A copy waits where it lacks what the party sees, and returns by itself")
  func gap() throws {
    var (machine, film, entry) = try Self.aligning()
    for case .film(.load(let number, _, proposing: _)) in try machine.handle(
      .share(.aligned(film, entry: entry, .aligned(Self.cut, agreement: 1))), at: machine.now)
    {
      _ = try machine.handle(.answer(.loaded(number)))
    }
    func followed(at seconds: Double) throws -> [Machine.Effect] {
      var group = machine.group
      group.groupItemTime = MediaTime(seconds: seconds)
      _ = try machine.handle(.fact(.group(group)), at: machine.now)
      return machine.followGap()
    }
    #expect(try followed(at: 99).isEmpty)
    let apart = try followed(at: 100.5)
    #expect(apart.contains(.separate(.lacking, for: .notInCopy)))
    #expect(
      Self.texts(apart)
        == ["Your copy lacks what the others see now, 40 s. It goes on by itself."])
    #expect(try followed(at: 130).isEmpty)
    #expect(try followed(at: 140) == [.rejoin(.lacking, proposing: nil)])
    // A seek of another participant leads out of it, too.
    _ = try followed(at: 110)
    #expect(try followed(at: 20) == [.rejoin(.lacking, proposing: nil)])
  }
}
