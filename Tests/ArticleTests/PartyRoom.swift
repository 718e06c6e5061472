import GroupActivities
import PartyTesting
import Testing
import Timekeeping

/// People in one party, over a broker in memory.
struct PartyRoom {
  private let broker = MemoryBroker()
  private(set) var parties: [Party] = []

  /// Ends every party of it, whatever happens.
  static func run(_ body: (inout PartyRoom) async throws -> Void) async throws {
    var room = PartyRoom()
    do {
      try await body(&room)
    } catch {
      await room.close()
      throw error
    }
    await room.close()
  }

  mutating func enter(_ name: String) async throws -> Party {
    let transport = broker.transport()
    let party: Party
    if let host = parties.first {
      party = try await Party.join(host.invite, name: name, transport: transport)
    } else {
      party = try await Party.create(
        Party.Founding(), addresses: [try #require(Invite.Address("memory:1"))], name: name,
        transport: transport)
    }
    parties.append(party)
    return party
  }

  private func close() async {
    for party in parties.reversed() { await party.leave() }
  }
}

/// Waits, twenty seconds at most. A wait that lasts longer is recorded at its own line.
func until(
  sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async throws {
  let deadline = HostTime.now() + .seconds(20)
  while try await !isSo() {
    guard .now() < deadline else {
      Issue.record("not so after twenty seconds", sourceLocation: sourceLocation)
      throw TooLate()
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}
