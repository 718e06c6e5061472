import GroupActivities
import NATSTransport
import Relay
import Testing

/// The end of a host's relay, as its members see it.
@Suite("The end of a relay")
struct RelayShutdownTests {
  private let key = AdmissionKey()
  private var subject: String { PartySubjects(admissionPublicKey: key.publicKey).everyone }

  @Test("The host's last messages reach all members before the connection ends")
  func lastMessages() async throws {
    let relay = try await Relay.started(key)
    let address = "127.0.0.1:\(relay.boundPort!)"
    let members = try (0..<8).map { _ in try NATSTransport.to([address], key) }
    let recorders = members.map { EventRecorder($0) }
    for (member, recorder) in zip(members, recorders) {
      try await member.connect()
      try await recorder.connected()
      try await member.subscribe(to: subject)
    }
    let host = relay.attach(as: key.publicKey)
    try await host.connect()
    // More than the sockets take at once, then the message about leaving, and the shutdown without
    // a wait.
    let payload = [UInt8](repeating: 7, count: 30_000)
    for _ in 0..<30 { try host.publish(payload, to: subject) }
    try host.publish(Array("farewell".utf8), to: subject)
    await host.close()
    await relay.shutdown()
    for recorder in recorders {
      for _ in 0..<30 { #expect(try await recorder.message().payload == payload) }
      #expect(try await recorder.text() == "farewell")
      try await recorder.disconnected()
    }
    for member in members { await member.close() }
  }

  @Test("Members that send at that moment get the last messages too")
  func lastMessagesWhileTalking() async throws {
    let relay = try await Relay.started(key)
    let address = "127.0.0.1:\(relay.boundPort!)"
    let member = try NATSTransport.to([address], key)
    let recorder = EventRecorder(member)
    try await member.connect()
    try await recorder.connected()
    try await member.subscribe(to: subject)
    let host = relay.attach(as: key.publicKey)
    try await host.connect()
    let subject = subject
    // Bytes that the relay hasn't read when it closes must not reset the connection.
    let talking = Task {
      while !Task.isCancelled {
        guard (try? member.publish([UInt8](repeating: 1, count: 1000), to: subject)) != nil
        else { return }
        await Task.yield()
      }
    }
    try host.publish(Array("farewell".utf8), to: subject)
    await host.close()
    await relay.shutdown()
    #expect(try await recorder.text() == "farewell")
    try await recorder.disconnected()
    talking.cancel()
    await talking.value
    await member.close()
  }
}
