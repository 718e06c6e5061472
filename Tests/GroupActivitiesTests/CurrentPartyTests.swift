import PartyTesting
import SessionTesting
import Testing

@testable import GroupActivities

/// An activity as the talks write it.
struct OrderTacos: GroupActivity {
  var title = "Tacos"
  var metadata: GroupActivityMetadata { GroupActivityMetadata(title: title) }
}

@Suite("The current party")
struct CurrentPartyTests {
  private enum Menu {
    struct Drinks: GroupActivity {
      static let kind = activityIdentifier
      var metadata: GroupActivityMetadata { GroupActivityMetadata() }
    }
  }

  @Test("An activity's default identifier is its type's name with its module")
  func identifier() {
    #expect(OrderTacos.activityIdentifier == "GroupActivitiesTests.OrderTacos")
    #expect(Menu.Drinks.kind.hasPrefix("GroupActivitiesTests.CurrentPartyTests."))
    #expect(Menu.Drinks.kind.hasSuffix(".Menu.Drinks"))
  }

  @Test("The program can observe whether there is a party to share in")
  func eligibility() async throws {
    try await Party.withOwnCurrent {
      let observer = GroupStateObserver()
      #expect(!observer.isEligibleForGroupSession && Party.current == nil)
      let test = try await TestParty(["Ana", "Ben"])
      #expect(!observer.isEligibleForGroupSession)
      await test.parties[1].becomeCurrent()
      #expect(observer.isEligibleForGroupSession && Party.current === test.parties[1])
      await test.parties[0].leave()
      #expect(observer.isEligibleForGroupSession)
      await test.parties[1].leave()
      #expect(try await first(of: observer.eligibilityUpdates) { !$0 } == false)
      await test.parties[1].becomeCurrent()
      #expect(Party.current == nil, "a party that is over")
      await test.close()
    }
  }

  @Test("Calls without a party mean the current one, and reading may begin before there is one")
  func calls() async throws {
    try await Party.withOwnCurrent {
      let tacos = OrderTacos()
      #expect(await tacos.prepareForActivation() == .activationDisabled)
      await #expect(throws: PartyError.notJoined) { try await tacos.activate() }
      var sessions = OrderTacos.sessions().makeAsyncIterator()
      for title in ["here", "in the next party"] {
        let test = try await TestParty(["Ana", "Ben"])
        await test.parties[1].becomeCurrent()
        #expect(await tacos.prepareForActivation() == .activationPreferred)
        try await OrderTacos(title: title).activate()
        let session = try #require(await sessions.next())
        #expect(session.activity.title == title && session.party === test.parties[1])
        await test.close()
        #expect(session.state == .invalidated(reason: .partyClosed))
      }
    }
  }

  @Test("The party that became current last is the one; after it there is none")
  func two() async throws {
    try await Party.withOwnCurrent {
      let test = try await TestParty(["Ana", "Ben"])
      for party in test.parties { await party.becomeCurrent() }
      await test.parties[0].leave()
      #expect(Party.current === test.parties[1])
      await test.close()
      #expect(Party.current == nil)
    }
  }

  @Test("Two participants of one process have each their own")
  func scopes() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    for party in test.parties {
      try await Party.withOwnCurrent {
        await party.becomeCurrent()
        try await Task { try await OrderTacos(title: "by \(party.localID)").activate() }.value
        let session = try await first(of: OrderTacos.sessions()) {
          $0.activity.title == "by \(party.localID)"
        }
        #expect(session?.party === party && session?.isLocallyInitiated == true)
      }
    }
    #expect(Party.current !== test.parties[0] && Party.current !== test.parties[1])
    await test.close()
  }
}
