import Foundation
import GroupActivities
import Testing
import Timekeeping
import VoteTogether

@testable import Screening

@Suite("Votes about the film")
struct VotingTests {
  typealias Machine = ScreeningMachine

  private static let me = ScreeningMachineTests.me
  private static let ben = ScreeningMachineTests.host

  @Test("A majority of those who may vote decides, as soon as it is certain")
  func majority() {
    for (yes, no, voters, isAccepted) in [
      (1, 0, 1, true), (1, 0, 2, nil), (2, 0, 3, true), (1, 1, 3, nil), (1, 1, 2, false),
      (0, 2, 4, false), (2, 1, 4, nil), (3, 1, 4, true), (0, 0, 0, false),
    ] as [(Int, Int, Int, Bool?)] {
      #expect(Voting.Count(yes: yes, no: no, voters: voters).isAccepted == isAccepted)
    }
  }

  @Test("The votes of participants who may not control playback, or are gone, don't count")
  func voters() {
    var voting = Voting()
    let id = Self.session
    voting.began(
      .init(id: id, VoteTogether(.rewind, on: "a"), asker: Self.ben, isOwn: false),
      at: ScreeningMachineTests.now)
    voting.counted([Self.ben: true, Self.me: true], in: id)
    #expect(voting.count(among: [Self.ben]) == .init(yes: 1, no: 0, voters: 1))
    #expect(!voting.isDue(at: ScreeningMachineTests.now + .seconds(29)))
    #expect(voting.isDue(at: ScreeningMachineTests.now + .seconds(30)))
  }

  @Test("Yes and no in the chat are answers, other words aren't")
  func answers() {
    for (text, answer) in [
      ("yes", true), (" Y ", true), ("No", false), ("n", false), ("yes!", nil), ("", nil),
      ("not now", nil),
    ] as [(String, Bool?)] { #expect(Voting.answer(text) == answer) }
  }

  private static let session = try! JSONDecoder().decode(GroupSessionID.self, from: Data("7".utf8))

  @Test("Chapters before the story are known by their names")
  func introductions() {
    for title in ["Intro", "OP", "Opening Credits", "Recap", "01 - Introduction"] {
      #expect(Introduction.isNamed(title))
    }
    for title in [nil, "", "Opera", "Introspection", "Chapter 1", "The open door"] as [String?] {
      #expect(!Introduction.isNamed(title))
    }
  }
}
