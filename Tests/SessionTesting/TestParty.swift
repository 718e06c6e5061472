import GroupActivities
import PartyTesting

/// An activity of no particular kind.
package struct TestActivity: GroupActivity {
  package static let activityIdentifier = "test.drawing"
  package var title: String
  package var lifetimePolicy: GroupActivityMetadata.LifetimePolicy

  package init(
    title: String, lifetimePolicy: GroupActivityMetadata.LifetimePolicy = .automatic
  ) {
    self.title = title
    self.lifetimePolicy = lifetimePolicy
  }

  package var metadata: GroupActivityMetadata {
    var metadata = GroupActivityMetadata(title: title)
    metadata.lifetimePolicy = lifetimePolicy
    return metadata
  }
}

/// A few participants in one session, over a broker in memory. The first one is the host.
package struct TestParty: Sendable {
  package let broker = MemoryBroker()
  package let parties: [Party]
  package let transports: [MemoryTransport]
  package let sessions: [GroupSession<TestActivity>]

  package init(
    _ names: [String] = ["Ana", "Ben", "Chi"], activity: TestActivity = TestActivity(title: "one")
  ) async throws {
    let founding = Party.Founding()
    transports = names.map { [broker] _ in broker.transport() }
    let host = try await Party.create(
      founding, addresses: [Invite.Address("memory:1")!], name: names[0], transport: transports[0])
    var parties = [host]
    for (name, transport) in zip(names, transports).dropFirst() {
      parties.append(try await Party.join(host.invite, name: name, transport: transport))
    }
    self.parties = parties
    try await activity.activate(in: host)
    var sessions: [GroupSession<TestActivity>] = []
    for party in parties { sessions.append(try await Self.join(party)) }
    self.sessions = sessions
    for session in sessions {
      _ = try await first(of: session.activeParticipantsUpdates) { $0.count == names.count }
    }
  }

  /// Adds a participant that joins party and session when both are under way.
  package func lateComer(
    _ name: String
  ) async throws -> (party: Party, session: GroupSession<TestActivity>) {
    let party = try await Party.join(
      parties[0].invite, name: name, transport: broker.transport())
    return (party, try await Self.join(party))
  }

  package static func join(_ party: Party) async throws -> GroupSession<TestActivity> {
    guard let session = try await first(of: TestActivity.sessions(in: party), where: { _ in true })
    else { throw TooLate() }
    await session.join()
    return session
  }

  package func close() async {
    for party in parties { await party.leave() }
  }
}
