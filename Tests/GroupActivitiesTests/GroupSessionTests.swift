import Foundation
import PartyTesting
import SessionTesting
import Testing

@testable import GroupActivities

/// As many kinds of activity as there are types.
private struct Game<Name: Sendable>: GroupActivity {
  static var activityIdentifier: String { String(describing: Name.self) }
  var title = "Game"
  var metadata: GroupActivityMetadata { GroupActivityMetadata(title: title) }
}

@Suite("Sessions in a party", .serialized)
struct GroupSessionTests {
  @Test("A program that takes part in more kinds than a party holds is told which session gave way")
  func displaced() async throws {
    try await Evening.run { evening in
      func play<Name: Sendable>(_ game: Game<Name>) async throws {
        _ = await Game<Name>.sessions(in: evening.ana)
        try await game.activate(in: evening.ana)
      }
      try await play(Game<Int>())
      try await play(Game<Bool>())
      try await play(Game<Double>())
      #expect(evening.session.state == .joined)
      try await play(Game<String>())
      let me = evening.ana.localID
      _ = try await evening.until("the film's end", evening.ana) {
        $0 == .sessionEnded("film", by: me)
      }
      #expect(evening.session.state == .invalidated(reason: .replaced(by: me)))
      try await Film(title: "Countdown").activate(in: evening.ana)
      _ = try await evening.until("the film", evening.ana) {
        $0 == .activityChanged("film", by: me)
      }
    }
  }

  @Test("All participants get an activity that any of them sets, even if many set one at once")
  func activity() async throws {
    let test = try await TestParty()
    await withTaskGroup { group in
      for (index, session) in test.sessions.enumerated() {
        group.addTask { try? await session.setActivity(TestActivity(title: "of \(index)")) }
      }
    }
    // The newest stamp decides, whether or not the author of the last one has seen the others.
    try await test.sessions[1].setActivity(TestActivity(title: "last"))
    for session in test.sessions {
      let last = try await first(of: session.activities) { $0.title == "last" }
      #expect(last != nil)
    }
    await test.close()
  }

  @Test("A restated activity has no originator; the same one restated keeps the one it has")
  func restated() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    let (ana, ben) = (test.sessions[0], test.sessions[1])
    try await ben.setActivity(TestActivity(title: "merged"), restating: true)
    let merged = try await first(of: ana.activityChanges) { $0.activity.title == "merged" }
    #expect(merged?.originator == nil && ana.decision.by == nil)
    try await ana.setActivity(TestActivity(title: "Ana's"))
    try await ana.setActivity(TestActivity(title: "Ana's"), restating: true)
    try await ana.setActivity(TestActivity(title: "last"))
    let last = try await first(of: ben.activityChanges) { $0.activity.title == "last" }
    #expect(last?.originator == test.parties[0].localID)
    await test.close()
  }

  @Test("Leaving a session removes one participant; ending it ends it for all")
  func endings() async throws {
    let test = try await TestParty()
    #expect(test.sessions.map(\.isLocallyInitiated) == [true, false, false])
    await test.sessions[1].leave()
    #expect(test.sessions[1].state == .invalidated(reason: .left))
    let two = try await first(of: test.sessions[0].activeParticipantsUpdates) { $0.count == 2 }
    #expect(two?.map(\.name) == ["Ana", "Chi"])
    try await test.sessions[2].end()
    let by = test.parties[2].localID
    for session in [test.sessions[0], test.sessions[2]] {
      let state = try await first(of: session.states) {
        if case .invalidated = $0 { true } else { false }
      }
      #expect(state == .invalidated(reason: .ended(by: by)))
    }
    await test.close()
  }

  @Test(
    "A session ends when its initiator leaves if its policy says so",
    arguments: [GroupActivityMetadata.LifetimePolicy.automatic, .endsWhenInitiatorLeaves])
  func lifetime(policy: GroupActivityMetadata.LifetimePolicy) async throws {
    let test = try await TestParty(activity: TestActivity(title: "one", lifetimePolicy: policy))
    await test.parties[0].leave()
    if policy == .automatic {
      let two = try await first(of: test.sessions[1].activeParticipantsUpdates) { $0.count == 2 }
      #expect(two != nil && test.sessions[1].state == .joined)
    } else {
      for session in test.sessions.dropFirst() {
        let state = try await first(of: session.states) {
          if case .invalidated(reason: .ended) = $0 { true } else { false }
        }
        #expect(state != nil)
      }
    }
    await test.close()
  }

  @Test(
    "The program decides whether to activate an activity, and without a party activation is disabled"
  )
  func preparing() async throws {
    let drawing = TestActivity(title: "one")
    #expect(await drawing.prepareForActivation(in: nil) == .activationDisabled)
    let test = try await TestParty(["Ana", "Ben"])
    let party = test.parties[0]
    #expect(await drawing.prepareForActivation(in: party) == .activationPreferred)
    await party.setActivationPreparer { $0.title == "one" ? .cancelled : .activationPreferred }
    #expect(await drawing.prepareForActivation(in: party) == .cancelled)
    await test.close()
    #expect(await drawing.prepareForActivation(in: party) == .activationDisabled)
  }

}
