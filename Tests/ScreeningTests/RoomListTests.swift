import GroupActivities
import Testing
import WatchTogether

@testable import Screening

@Suite("A room elsewhere, as the machine sees it")
struct RoomListTests {
  typealias Machine = ScreeningMachine

  private static let now = ScreeningMachineTests.now

  private func notices(_ effects: [Machine.Effect]) -> [String] {
    effects.compactMap { if case .report(.notice(let text)) = $0 { text } else { nil } }
  }

  @Test("A private party is entered as its founder")
  func enters() throws {
    var machine = ScreeningMachineTests.alone("a")
    let effects = try machine.handle(.party(.enters(.room)), at: Self.now)
    #expect(effects.contains(.party(.enter(.room))))
  }

  @Test("The file at which the room's list is opens if it is in the user's own list")
  func inList() throws {
    var machine = ScreeningMachineTests.member("a", "b")
    machine.know(ScreeningMachineTests.reading(.playing, party: ScreeningMachineTests.party()))
    let effects = try machine.handle(.party(.roomListed("b.mkv", by: "Kim")), at: Self.now)
    #expect(notices(effects) == ["The room's list is at b.mkv, by Kim."])
    let edits = effects.flatMap { effect -> [Machine.Effect] in
      if case .attempt(let effects, _) = effect { effects } else { [] }
    }
    let opens = edits.contains {
      if case .party(.setList(let edit)) = $0 { edit.playlist.current.title == "b" } else { false }
    }
    #expect(opens)
  }

  @Test("Another file is looked for beside the film; if it isn't there, the user opens it")
  func besideFilm() throws {
    var machine = ScreeningMachineTests.member("a")
    let film = try #require(machine.filmMachine.film)
    for (name, isThere) in [("b.mkv", true), ("c.mkv", false)] {
      let effects = try machine.handle(.party(.roomListed(name, by: nil)), at: Self.now)
      #expect(effects.contains(.library(.findBeside(film))))
      let found = try machine.handle(
        .film(.foundBeside(film, ["/films/a", "/films/b.mkv", "/films/xc.mkv"])), at: Self.now)
      let opens = found.contains(.film(.identify("/films/b.mkv", .watchTogether, isEntry: true)))
      #expect(opens == isThere)
      #expect(notices(found).isEmpty == isThere)
    }
    let later = try machine.handle(.film(.foundBeside(film, ["/films/c.mkv"])), at: Self.now)
    #expect(later == [], "the search is over")
  }
}
