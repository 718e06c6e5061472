import GroupActivities

/// The surroundings of a door's guest: its keeper's party, and the way to its user's program.
struct GuestContext: Sendable {
  var keeper: Participant
  /// Joins the keeper's party.
  var join:
    @Sendable (ParticipantIdentity, _ name: String, Participant.Door) async throws(PartyError) ->
      Party
  /// Sends a message to the user's program.
  var send: @Sendable ([UInt8]) -> Void
  /// Called once the guest is no participant any more.
  var ended: @Sendable () async -> Void

  /// Creates the surroundings of a guest that joins a party through a relay.
  init(
    keeper: Participant, to invite: Invite, through ways: Door.Ways,
    send: @escaping @Sendable ([UInt8]) -> Void, ended: @escaping @Sendable () async -> Void
  ) {
    let admission = PartyKeys(secret: invite.secret, party: invite.party).admission
    self.keeper = keeper
    join = { identity, name, door async throws(PartyError) in
      try await Party.join(
        invite, as: identity, name: name, transport: ways.transport(admission), door: door)
    }
    self.send = send
    self.ended = ended
  }
}
