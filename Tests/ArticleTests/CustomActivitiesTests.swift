import GroupActivities
import PartyTesting
import Testing

@Suite("Custom activities", .timeLimit(.minutes(1)))
struct CustomActivitiesTests {
  private func ballot(of party: Party) async throws -> Ballot {
    let session = try #require(try await first(of: ChooseFilm.sessions(in: party)) { _ in true })
    let ballot = Ballot(session: session)
    await ballot.join()
    return ballot
  }

  @Test("All count the same votes, whoever comes when, and only those for what can be chosen")
  func votes() async throws {
    try await PartyRoom.run { room in
      let ana = try await room.enter("Ana")
      let ben = try await room.enter("Ben")
      try await ChooseFilm(question: "What is next?", films: ["Orbits", "Tides"]).activate(in: ana)
      var ballots = [try await ballot(of: ana), try await ballot(of: ben)]
      for ballot in ballots { try await until { ballot.session.activeParticipants.count == 2 } }
      try await ballots[0].vote(for: "Orbits")
      try await ballots[1].vote(for: "Tides")
      try await ballots[1].vote(for: "Orbits")
      try await until { await ballots[0].votes.values.sorted() == ["Orbits", "Orbits"] }

      ballots.append(try await ballot(of: try await room.enter("Chi")))
      try await until { await ballots[2].votes.count == 2 }
      try await ballots[2].vote(for: "Nothing on the list")
      try await ballots[2].vote(for: "Tides")
      for ballot in ballots {
        try await until { await ballot.votes.values.sorted() == ["Orbits", "Orbits", "Tides"] }
      }
    }
  }
}
