import GroupActivities
import Testing
import Timekeeping

@testable import Screening

@Suite("The evening: chat, reactions and marked moments, at their places in the film")
struct EveningTests {
  typealias Machine = ScreeningMachine

  private static let ana = ScreeningEvent.Person(id: ScreeningMachineTests.me, name: "Ana")
  private static let ben = ScreeningEvent.Person(id: ScreeningMachineTests.host, name: "Ben")
  private static let chi = ScreeningEvent.Person(
    id: Participant.ID(String(repeating: "3", count: 32))!, name: "Chi")

  private func place(_ seconds: Double, in film: String = "sha256:1") -> Evening.Place {
    Evening.Place(film: film, title: "Film", itemTime: MediaTime(seconds: seconds))
  }

  @Test("Marks of several people within five seconds of the film are a moment")
  func moments() {
    var evening = Evening()
    #expect(evening.reacted(.moment, by: Self.ana, at: place(100)) == nil)
    #expect(evening.reacted(.moment, by: Self.ana, at: place(101)) == nil)
    #expect(evening.moments.isEmpty)
    #expect(evening.reacted(.moment, by: Self.ben, at: place(106)) == nil)
    #expect(evening.reacted(.moment, by: Self.ben, at: place(104, in: "sha256:2")) == nil)
    #expect(evening.reacted(.love, by: Self.chi, at: place(101)) == nil)
    let pair = evening.reacted(.moment, by: Self.chi, at: place(105))
    #expect(pair?.people == [Self.ana, Self.chi] && pair?.place == place(100))
    // One who marked it already joins the mark beside it.
    #expect(evening.reacted(.moment, by: Self.chi, at: place(104))?.people == [Self.ben, Self.chi])
    #expect(evening.reacted(.moment, by: Self.chi, at: place(104)) == nil)
    #expect(evening.moments.map(\.place.itemTime) == [100, 106].map(MediaTime.init(seconds:)))
  }

  @Test("A flood of remarks takes no more than a limited memory")
  func limit() {
    var evening = Evening()
    for number in 0..<Evening.limit + 10 {
      evening.said("\(number)", by: Self.ben, at: place(1))
    }
    #expect(evening.remarks.count == Evening.limit)
    #expect(evening.reacted(.moment, by: Self.ben, at: place(1)) == nil)
  }

  @Test("A mark that another person joins is reported, and remembered with the film")
  func machine() throws {
    let now = ScreeningMachineTests.now
    var machine = ScreeningMachineTests.alone("a")
    var group = GroupFacts()
    group.groupItemTime = MediaTime(seconds: 61.5)
    _ = try machine.handle(.fact(.group(group)), at: now)
    let (ana, ben) = (
      Participant(id: Self.ana.id, name: "Ana"), Participant(id: Self.ben.id, name: "Ben")
    )
    #expect(
      try machine.handle(.party(.reacted(ana, .moment)), at: now)
        .first == .report(.reaction(Self.ana, .moment)))
    let film = try #require(machine.filmMachine.film)
    let moment = Evening.Moment(
      place: .init(film: film.identifier, title: film.title, itemTime: MediaTime(seconds: 61.5)),
      people: [Self.ana, Self.ben])
    #expect(
      try machine.handle(.party(.reacted(ben, .moment)), at: now) == [
        .report(.reaction(Self.ben, .moment)),
        .library(
          .rememberRemark(
            .init(kind: .reacted(.moment), author: Self.ben, place: moment.place))),
        .report(.moment(.init(moment))), .library(.rememberMoment(moment)),
      ])
  }

  @Test("It is written as subtitles or as text, in the order of the film")
  func files() throws {
    var evening = Evening()
    evening.said("later", by: Self.ben, at: place(3723.5))
    evening.said("{\\b1}*first*", by: Self.ana, at: place(61.25))
    evening.said("of another film", by: Self.ana, at: place(5, in: "sha256:2"))
    evening.said("before the film", by: Self.ana, at: nil)
    _ = evening.reacted(.applause, by: Self.ana, at: place(62))
    func text(_ path: String) throws -> String {
      try EveningFile(path: path).text(
        of: evening.remarks(about: "sha256:1"), titled: "Film")
    }
    #expect(
      try text("a.srt") == """
        1
        00:01:01,250 --> 00:01:05,250
        Ana: {\\b1}*first*

        2
        00:01:02,000 --> 00:01:06,000
        Ana: 👏

        3
        01:02:03,500 --> 01:02:07,500
        Ben: later

        """)
    #expect(
      try text("b.c.MD") == """
        # Film

        - 1:01 **Ana** {\\\\b1}\\*first\\*
        - 1:02 **Ana** 👏
        - 1:02:03 **Ben** later

        """)
    let ass = try text("/tmp/a.ass").split(separator: "\n")
    #expect(ass.first == "[Script Info]")
    let lines = ass.filter { $0.hasPrefix("Dialogue") }
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("Dialogue: 0,0:01:01.25,0:01:05.25,Default,,0,0,0,,{\\c&H"))
    #expect(lines[0].hasSuffix("&}Ana{\\r} (/b1)*first*"))
    for path in ["a.txt", "ass", "a.ass/b", ""] {
      #expect(throws: UserCommandProblem.self) { try text(path) }
    }
  }
}
