import Logging
import Relay

import enum GroupActivities.RandomSource

/// Runs `body` with a relay for one test, which is shut down afterwards whatever happened.
func withRelay<Value>(
  _ configuration: RelayConfiguration, _ body: (Relay) async throws -> Value
) async throws -> Value {
  let relay = Relay(configuration: configuration, logger: .silent)
  do {
    try await relay.start()
    let value = try await body(relay)
    await relay.shutdown()
    return value
  } catch {
    await relay.shutdown()
    throw error
  }
}

extension Logger {
  static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

/// A generator of the same numbers for the same seed.
typealias SeededGenerator = RandomSource

extension SeededGenerator {
  init(seed: UInt64) { self = .seeded(seed) }
}
