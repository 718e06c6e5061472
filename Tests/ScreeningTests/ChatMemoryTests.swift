import Testing
import Timekeeping

@testable import GroupActivities
@testable import Screening

@Suite("What was said before a participant came back")
struct ChatMemoryTests {
  private static let me = Participant.ID(high: 1, low: 1)
  private static let ana = ScreeningEvent.Person(id: .init(high: 1, low: 2), name: "Ana")
  private static let ben = ScreeningEvent.Person(id: .init(high: 1, low: 3), name: "Ben")

  private func at(_ seconds: Int) -> HostTime { HostTime(nanoseconds: 0) + .seconds(seconds) }

  /// A memory of a participant who asked Ana.
  private func asking() -> ChatMemory {
    var memory = ChatMemory()
    let others = [Self.me, Self.ana.id, Self.ben.id].map { Participant(id: $0, name: "x") }
    #expect(memory.ask(among: others, as: Self.me) == Self.ana.id)
    return memory
  }

  @Test("The host is asked first, and no one if there is no one")
  func host() {
    var memory = ChatMemory()
    let all = [Self.me, Self.ana.id, Self.ben.id].map {
      Participant(id: $0, name: "x", role: $0 == Self.ben.id ? .host : .guest)
    }
    #expect(memory.ask(among: all, as: Self.me) == Self.ben.id)
    #expect(memory.ask(among: [all[0]], as: Self.me) == nil)
  }

  @Test("A participant who left gets the last lines once; a newcomer gets none")
  func answers() {
    var memory = ChatMemory()
    for number in 1...60 { memory.said("line \(number)", by: Self.ana, at: at(number)) }
    #expect(memory.answer(to: Self.ben.id, at: at(100)) == nil)
    memory.left(Self.ben.id)
    let answer = memory.answer(to: Self.ben.id, at: at(100))
    #expect(answer?.map(\.text) == (11...60).map { "line \($0)" })
    #expect(answer?.last?.secondsAgo == 40)
    #expect(memory.answer(to: Self.ben.id, at: at(100)) == nil)
  }

  @Test("An answer has a limit, and the newest lines are in it")
  func size() {
    var memory = ChatMemory()
    memory.left(Self.ben.id)
    for _ in 1...20 { memory.said(String(repeating: "x", count: 2000), by: Self.ana, at: at(1)) }
    memory.said("last", by: Self.ana, at: at(2))
    let answer = memory.answer(to: Self.ben.id, at: at(3))
    #expect(answer?.last?.text == "last")
    #expect(answer?.count == 9)
  }

  @Test("Only the answer of the asked participant counts, once")
  func forged() {
    var memory = asking()
    let lines = [EarlierLine(Self.ana, "hello", secondsAgo: 60)]
    #expect(memory.answered(lines, by: Self.ben.id, at: at(100)) == [])
    #expect(memory.answered(lines, by: Self.ana.id, at: at(100)) == lines)
    #expect(memory.answered(lines, by: Self.ana.id, at: at(100)) == [])
  }

  @Test("Lines of an answer are cleaned, and bounded in number and time")
  func hostile() {
    var memory = asking()
    let bad = [
      EarlierLine(.init(id: Self.ben.id, name: "\u{1B}[2J"), "seen", secondsAgo: -5),
      EarlierLine(Self.ben, "\u{1B}", secondsAgo: 1),
      EarlierLine(Self.ben, "a\u{1B}[31mb", secondsAgo: .max),
    ]
    let many = (0..<200).map { EarlierLine(Self.ben, "line \($0)", secondsAgo: 9) }
    let shown = memory.answered(many + bad, by: Self.ana.id, at: at(100))
    #expect(shown.count <= ChatMemory.limit)
    #expect(shown.allSatisfy { (0...(7 * 24 * 3600)).contains($0.secondsAgo) })
    #expect(shown.allSatisfy { !"\($0.name)\($0.text)".contains("\u{1B}") })
  }

  @Test("A line that was heard meanwhile isn't repeated, and a later answer has all of them")
  func overlap() {
    var memory = asking()
    memory.said("welcome back", by: Self.ben, at: at(99))
    let lines = [
      EarlierLine(Self.ana, "hello", secondsAgo: 60),
      EarlierLine(Self.ben, "welcome back", secondsAgo: 1),
    ]
    #expect(memory.answered(lines, by: Self.ana.id, at: at(100)) == [lines[0]])
    memory.left(Self.ana.id)
    let answer = memory.answer(to: Self.ana.id, at: at(110))
    #expect(answer?.map(\.secondsAgo) == [70, 11])
  }
}
