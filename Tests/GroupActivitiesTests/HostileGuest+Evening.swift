@testable import GroupActivities
@testable import HostileTesting

extension HostileGuest {
  /// Connects to the broker of a party that is under way.
  convenience init(_ evening: Evening) async throws {
    try await self.init(
      party: evening.founding.identity.id, keys: evening.founding.keys,
      transport: evening.broker.transport())
  }

  /// Answers challenges as an honest member does, and returns once Ana has admitted it.
  func enter(_ evening: Evening, as beacon: Beacon) async throws {
    try introduce(as: beacon)
    _ = try await evening.until("Mallory is admitted", evening.ana) { event in
      if case .participantJoined(let who) = event { who.id == self.identity.id } else { false }
    }
  }
}
