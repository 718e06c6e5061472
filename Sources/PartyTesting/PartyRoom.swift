import GroupActivities

/// A party whose participants are all in this process, over a broker in memory.
///
///     try await PartyRoom.run { room in
///       let ana = try await room.enter("Ana")     // opens the party
///       let ben = try await room.enter("Ben")     // joins it
///       try await MyActivity().activate(in: ana)
///     }
public struct PartyRoom {
  /// The broker, with everything that the participants sent.
  public let broker = MemoryBroker()
  /// The participants' parties, the host's first.
  public private(set) var parties: [Party] = []

  private init() {}

  /// Runs a test with a new room, and ends all its parties, also if the test throws.
  public static func run(_ body: (inout PartyRoom) async throws -> Void) async throws {
    var room = PartyRoom()
    do {
      try await body(&room)
    } catch {
      await room.close()
      throw error
    }
    await room.close()
  }

  /// Adds a participant. The first one opens the party, and the others join it.
  ///
  /// - Parameter name: the name that the others see.
  public mutating func enter(_ name: String) async throws(PartyError) -> Party {
    let transport = broker.transport()
    let party: Party
    if let host = parties.first {
      party = try await Party.join(host.invite, name: name, transport: transport)
    } else {
      party = try await Party.create(
        Party.Founding(), addresses: [Self.address], name: name, transport: transport)
    }
    parties.append(party)
    return party
  }

  private static let address: Invite.Address = {
    guard let address = Invite.Address(host: "memory", port: 1) else {
      preconditionFailure("memory:1 is an address")
    }
    return address
  }()

  private func close() async {
    for party in parties.reversed() { await party.leave() }
  }
}
