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
}
