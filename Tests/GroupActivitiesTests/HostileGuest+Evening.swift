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

extension Evening {
  /// Runs `body` with an intruder whom Ana has admitted.
  static func run(_ body: (Evening, HostileGuest) async throws -> Void) async throws {
    try await run { evening in
      let mallory = try await HostileGuest(evening)
      try await mallory.enter(evening, as: HostileGuest.beacon())
      try await body(evening, mallory)
    }
  }
}
