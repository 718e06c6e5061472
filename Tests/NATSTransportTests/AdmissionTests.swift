import GroupActivities
import Testing

@testable import Relay

@Suite("Admission, many times")
struct AdmissionTests {
  /// One signature in 256 begins with a zero byte, which libnats alone would not send.
  @Test("Whatever the challenge, the right key is admitted")
  func challenges() async throws {
    let key = AdmissionKey()
    let broker = try await RunningBroker(.relay, key: key)
    for _ in 0..<600 {
      let transport = broker.transport(key)
      try await transport.connect()
      await transport.close()
    }
    await broker.stop()
  }
}
