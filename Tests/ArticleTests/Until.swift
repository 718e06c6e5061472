import PartyTesting
import Testing
import Timekeeping

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
