import BrokerTesting
import CNATS
import Foundation
import GroupActivities
import NATSTransport
import Relay
import Testing

/// The end of a host's relay, as its members see it through libnats.
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

  @Test("The end is announced in libnats' lame duck mode")
  func lameDuck() async throws {
    let relay = try await Relay.started(key)
    let address = "127.0.0.1:\(relay.boundPort!)"
    let key = key
    let client = try await onThread { try LameDuckWatcher(address, key) }.get()
    await relay.shutdown()
    #expect(try await onThread { client.hasAnnouncement(within: 20) }.get())
  }
}

/// A libnats client that waits for the notice.
///
/// `@unchecked Sendable`: libnats locks its own objects, and the semaphore is thread-safe.
private final class LameDuckWatcher: @unchecked Sendable {
  private let connection: OpaquePointer
  private let announced: Unmanaged<DispatchSemaphoreBox>
  private let signer: Unmanaged<Signer>

  final class DispatchSemaphoreBox: Sendable { let semaphore = DispatchSemaphore(value: 0) }

  private final class Signer {
    let key: AdmissionKey
    init(_ key: AdmissionKey) { self.key = key }
  }

  init(_ address: String, _ key: AdmissionKey) throws {
    OpenSSL.keepUntilExit()
    var options: OpaquePointer?
    natsOptions_Create(&options)
    defer { natsOptions_Destroy(options) }
    announced = Unmanaged.passRetained(DispatchSemaphoreBox())
    signer = Unmanaged.passRetained(Signer(key))
    natsOptions_SetURL(options, "nats://\(address)")
    natsOptions_SetTimeout(options, 20_000)
    natsOptions_SetAllowReconnect(options, false)
    natsOptions_SetLameDuckModeCB(
      options,
      { _, closure in
        Unmanaged<DispatchSemaphoreBox>.fromOpaque(closure!).takeUnretainedValue().semaphore
          .signal()
      }, announced.toOpaque())
    natsOptions_SetNKey(
      options, Greeting(key: key).nkey,
      { _, signature, length, nonce, closure in
        let signer = Unmanaged<Signer>.fromOpaque(closure!).takeUnretainedValue()
        guard let signed = try? signer.key.signature(for: Array(String(cString: nonce!).utf8)),
          signed[0] != 0
        else { return NATS_ERR }
        let result = malloc(signed.count)!
        result.copyMemory(from: signed, byteCount: signed.count)
        signature!.pointee = result.assumingMemoryBound(to: UInt8.self)
        length!.pointee = CInt(signed.count)
        return NATS_OK
      }, signer.toOpaque())
    var connection: OpaquePointer?
    // libnats sends nothing for a signature that begins with a zero byte: another nonce, then.
    var status = NATS_ERR
    for _ in 0..<4 where status != NATS_OK {
      status = natsConnection_Connect(&connection, options)
    }
    guard status == NATS_OK, let connection else {
      announced.release()
      signer.release()
      throw TestFailure("connect: status \(status.rawValue)")
    }
    self.connection = connection
  }

  deinit {
    natsConnection_Destroy(connection)
    announced.release()
    signer.release()
  }

  func hasAnnouncement(within seconds: Int) -> Bool {
    announced.takeUnretainedValue().semaphore.wait(timeout: .now() + .seconds(seconds)) == .success
  }
}
