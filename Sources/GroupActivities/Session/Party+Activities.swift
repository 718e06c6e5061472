import Foundation

/// Activities of any type: their encoding, and the sessions that carry them.
extension Party {
  func activate<A: GroupActivity>(
    _ activity: A, lifetimePolicy: GroupActivityMetadata.LifetimePolicy
  ) throws(PartyError) {
    try activate(
      encode(activity), kind: A.activityIdentifier,
      endsWithInitiator: lifetimePolicy == .endsWhenInitiatorLeaves)
  }

  func change<A: GroupActivity>(
    sessionID: GroupSessionID, to activity: A, isRestated: Bool
  ) throws(PartyError) {
    try change(sessionID: sessionID, to: encode(activity), isRestated: isRestated)
  }

  /// The number of sessions that wait for one reader. Beyond it the oldest are dropped: newer ones have replaced them.
  static let waitingSessionLimit = 16

  func sessions<A: GroupActivity>(of type: A.Type) -> AsyncStream<GroupSession<A>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: GroupSession<A>.self, bufferingPolicy: .bufferingNewest(Self.waitingSessionLimit))
    let reader = deliverSessions(
      of: A.activityIdentifier,
      madeBy: { register, party in
        guard let activity = try? decodeActivity(A.self, from: register) else { return nil }
        return GroupSession<A>(register, activity, party: party)
      },
      to: SessionFactory.Reader { session in
        if let session = session as? GroupSession<A> { continuation.yield(session) }
      } finish: {
        continuation.finish()
      })
    if let reader {
      continuation.onTermination = { [weak self] _ in
        Task { await self?.stopDelivering(A.activityIdentifier, to: reader) }
      }
    }
    return stream
  }

  private func encode(_ activity: some GroupActivity) throws(PartyError) -> Data {
    let data: Data
    do {
      data = try JSONEncoder().encode(activity)
    } catch {
      preconditionFailure("the activity can't be encoded: \(error)")
    }
    guard data.count <= SessionRegister.activityLimit else {
      throw .tooLarge(bytes: data.count, limit: SessionRegister.activityLimit)
    }
    return data
  }
}

func decodeActivity<A: GroupActivity>(_ type: A.Type, from register: SessionRegister) throws -> A {
  try JSONDecoder().decode(A.self, from: register.activity)
}
