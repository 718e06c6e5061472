import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination
@testable import Screening

@Suite("Notices of actions")
struct NoticeTests {
  typealias Machine = ScreeningMachine

  private static let ana = Participant(id: .init(high: 1, low: 1), name: "Ana", role: .host)
  private static let ben = Participant(id: .init(high: 1, low: 2), name: "Ben", role: .guest)

  private static func film(_ title: String) -> FilmIdentity {
    FilmIdentity(identifier: title, title: title, location: "/films/" + title)
  }

  private static func party(_ control: PartyRules.Control = .everyone) -> PartyFacts {
    var rules = PartyRules(creator: ana.id)
    rules.control = control
    return .init(
      me: ana.id, rules: rules, participants: [ana, ben], clock: nil, session: .joined)
  }

  private static var reading: Reading {
    Reading(coordinator: GroupFacts(.paused, at: .zero), party: party())
  }

  /// A machine in a party that watches the first of these films.
  private static func member(_ titles: String...) -> Machine {
    var machine = Machine.planning(titles.map(film))
    let list = machine.ownList!
    try! machine.membership.beginEntering(by: .rejoin)
    machine.membership.entered(at: HostTime(nanoseconds: 9_000_000_000))
    _ = machine.sessionBegan(SessionStart(list: list, chooser: nil))
    machine.know(reading)
    return machine
  }

  /// The notices that effects send.
  private static func notices(_ effects: [Machine.Effect]) -> [GroupSessionEvent.Action] {
    effects.flatMap { effect -> [GroupSessionEvent.Action] in
      switch effect {
      case .party(.showNotice(let action)): [action]
      case .attempt(let inner, orElse: _): notices(inner)
      default: []
      }
    }
  }

  @Test(
    "An edit of the party's playlist is announced; the choice of a film isn't, since it is seen")
  func sent() throws {
    var machine = Self.member("a", "b", "c")
    let append = try machine.identified(Self.film("d"), .enqueue)
    #expect(Self.notices(append) == [.updatedQueue(.added("d"))])
    let next = try machine.handle(.moveEntry(from: 3, to: 1), in: Self.reading)
    #expect(Self.notices(next) == [.updatedQueue(.setUpNext("d"))])
    let later = try machine.handle(.moveEntry(from: 1, to: 3), in: Self.reading)
    #expect(Self.notices(later) == [.updatedQueue(nil)])
    #expect(
      Self.notices(try machine.handle(.dropEntry(3), in: Self.reading)) == [.updatedQueue(nil)])
    #expect(Self.notices(try machine.handle(.advance(by: 1), in: Self.reading)) == [])
  }

  @Test("Alone there is nobody to announce an edit to")
  func alone() throws {
    var machine = Machine.planning([Self.film("a"), Self.film("b")])
    var reading = Self.reading
    reading.party = nil
    #expect(Self.notices(try machine.handle(.dropEntry(1), in: reading)) == [])
  }

  @Test("A start waits for trailers and ready checks, if the rules say so, but not in a crowd")
  func waiting() throws {
    let creator = Self.ana.id
    var rules = PartyRules(creator: creator)
    #expect(Machine.waiting(by: rules) == .waitFor([.readyCheck, .playingInterstitial], upTo: 16))
    rules.waiting = .nobody
    #expect(Machine.waiting(by: rules) == .waitFor([], upTo: 16))
    #expect(Machine.waiting(by: nil) == .waitFor([.readyCheck, .playingInterstitial], upTo: 16))
    var machine = Self.member("a")
    let effects = try machine.handle(
      .rulesChanged(rules, from: PartyRules(creator: creator), by: creator), in: Self.party())
    #expect(effects.contains(Machine.waiting(by: rules)))
  }

  @Test("A session that needs the user gets the faces' attention")
  func foreground() throws {
    var machine = Self.member("a")
    #expect(try machine.handle(.foregroundRequested, in: Self.party()) == [.report(.attention)])
  }

  @Test("A notice is shown if its author may control playback")
  func received() throws {
    var machine = Self.member("a")
    let notice = GroupSessionEvent(
      originator: Self.ben, action: .updatedQueue(.added("b")), url: "https://films.example/b")
    let action = ScreeningEvent.Action(.queued, title: "b", url: "https://films.example/b")
    #expect(
      try machine.handle(.notice(notice), in: Self.party())
        == [.report(.action(action, by: .init(Self.ben)))])
    #expect(try machine.handle(.notice(notice), in: Self.party(.hosts)) == [])
    #expect(try machine.handle(.notice(notice), in: nil) == [])
  }
}
