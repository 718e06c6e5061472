import BrokerTesting
import CNATS
import Foundation
import GroupActivities
import NATSTransport
import NKeys
import Relay
import Testing

/// The relay as other programs use it: with unmodified libnats, its own features and its own
/// reconnecting, next to a nats-server that has to behave the same.
@Suite("Plain libnats")
struct LibNATSTests {
  private let key = AdmissionKey()
  private var prefix: String { PartySubjects(admissionPublicKey: key.publicKey).prefix }

  /// Runs `body` on a thread, once for each broker.
  private func onBoth(
    _ body: @escaping @Sendable (_ address: String, _ prefix: String) throws -> Void
  ) async throws {
    let prefix = prefix
    try await withRelay(key) { relay in
      let address = "127.0.0.1:\(relay.boundPort!)"
      try await onThread { try body(address, prefix) }.get()
    }
    try await NATSServer.run(natsServerSettings(key)) { server in
      try await onThread { try body(server.address, prefix) }.get()
    }
  }

  @Test("A request gets its reply, or at once the report that there is no listener")
  func requests() async throws {
    let key = key
    try await onBoth { address, prefix in
      let server = try PlainClient(address, key)
      let client = try PlainClient(address, key)
      let subscription = try server.subscribe(prefix + ".service")
      try server.flush()

      let answering = Thread {
        guard let request = try? subscription.next() else { return }
        try? server.publish("answer to \(request.text)", to: request.reply ?? "")
      }
      answering.start()
      #expect(try client.request("question", from: prefix + ".service") == "answer to question")

      let error = #expect(throws: StatusError.self) {
        try client.request("question", from: prefix + ".nobody")
      }
      #expect(error?.status == NATS_NO_RESPONDERS.rawValue)
    }
  }

  @Test("A queue group's messages are distributed among its members")
  func queueGroups() async throws {
    let key = key
    try await onBoth { address, prefix in
      let publisher = try PlainClient(address, key)
      let members = try (0..<3).map { _ in
        let client = try PlainClient(address, key)
        let subscription = try client.subscribe(prefix + ".work", queue: "workers")
        try client.flush()
        return (client, subscription)
      }
      for _ in 0..<300 { try publisher.publish("job", to: prefix + ".work") }
      try publisher.flush()
      var shares: [Int] = []
      for (client, subscription) in members {
        try client.flush()
        shares.append(try subscription.waiting())
      }
      #expect(shares.reduce(0, +) == 300)
      #expect(shares.allSatisfy { $0 > 0 }, "\(shares)")
    }
  }

  @Test("Headers arrive, and a subscription ends after a number of messages")
  func headersAndLimits() async throws {
    let key = key
    try await onBoth { address, prefix in
      let client = try PlainClient(address, key)
      let subscription = try client.subscribe(prefix + ".a.*")
      try subscription.unsubscribe(after: 2)
      for number in 1...3 {
        try client.publish("\(number)", to: prefix + ".a.x", header: ("Title", "Count down"))
      }
      for number in 1...2 {
        let message = try subscription.next()
        #expect(message.text == "\(number)")
        #expect(message.title == "Count down")
        #expect(message.subject == prefix + ".a.x")
      }
      #expect(throws: StatusError.self) { try subscription.next() }
    }
  }

  @Test("libnats reconnects on its own, and its messages arrive again")
  func reconnects() async throws {
    let relay = try await Relay.started(key)
    let port = relay.boundPort!
    let (key, prefix) = (key, prefix)
    let kept = try await onThread {
      let client = try PlainClient("127.0.0.1:\(port)", key)
      let subscription = try client.subscribe(prefix + ".all")
      try client.flush()
      return Kept(client: client, subscription: subscription)
    }.get()
    await relay.shutdown()
    try await withRelay(key, port: port) { relay in
      // Its subscription is in place once the relay has it.
      let deadline = ContinuousClock.now + .seconds(60)
      while await relay.statistics().subscriptions == 0, ContinuousClock.now < deadline {
        await Task.yield()
      }
      let host = relay.attach(as: key.publicKey)
      try await host.connect()
      try host.publish(Array("again".utf8), to: prefix + ".all")
      #expect(try await onThread { try kept.subscription.next().text }.get() == "again")
      await host.close()
    }
  }

  /// Handed from thread to thread; libnats locks its own objects.
  private final class Kept: @unchecked Sendable {
    let client: PlainClient
    let subscription: PlainSubscription

    init(client: PlainClient, subscription: PlainSubscription) {
      self.client = client
      self.subscription = subscription
    }
  }
}

/// A `natsStatus` that a call returned.
private struct StatusError: Error {
  let status: UInt32

  static func check(_ status: natsStatus) throws(StatusError) {
    guard status == NATS_OK else { throw StatusError(status: status.rawValue) }
  }
}

/// A synchronous libnats client with the library's own settings.
///
/// `@unchecked Sendable`: libnats locks its own objects.
private final class PlainClient: @unchecked Sendable {
  private let connection: OpaquePointer
  /// The signer for libnats, which holds it as a bare pointer: kept as long as the connection.
  private let signer: Unmanaged<Signer>

  private final class Signer {
    let key: AdmissionKey
    init(_ key: AdmissionKey) { self.key = key }
  }

  init(_ address: String, _ key: AdmissionKey) throws {
    OpenSSL.keepUntilExit()
    var options: OpaquePointer?
    try StatusError.check(natsOptions_Create(&options))
    defer { natsOptions_Destroy(options) }
    signer = Unmanaged.passRetained(Signer(key))
    var connection: OpaquePointer?
    do {
      try StatusError.check(natsOptions_SetURL(options, "nats://\(address)"))
      try StatusError.check(natsOptions_SetTimeout(options, 20_000))
      try StatusError.check(natsOptions_SetMaxReconnect(options, -1))
      try StatusError.check(natsOptions_SetReconnectWait(options, 50))
      let nkey = NKey.text(of: key.publicKey, role: .user)
      try StatusError.check(
        natsOptions_SetNKey(
          options, nkey,
          { _, signature, length, nonce, closure in
            let signer = Unmanaged<Signer>.fromOpaque(closure!).takeUnretainedValue()
            let signed = try! signer.key.signature(for: Array(String(cString: nonce!).utf8))
            // libnats sends nothing for a signature that begins with a zero byte.
            guard signed[0] != 0 else { return NATS_ERR }
            let result = malloc(signed.count)!
            result.copyMemory(from: signed, byteCount: signed.count)
            signature!.pointee = result.assumingMemoryBound(to: UInt8.self)
            length!.pointee = CInt(signed.count)
            return NATS_OK
          }, signer.toOpaque()))
      // Four nonces in a row aren't all unlucky.
      var status = NATS_ERR
      for _ in 0..<4 where status != NATS_OK {
        status = natsConnection_Connect(&connection, options)
      }
      try StatusError.check(status)
    } catch {
      signer.release()
      throw error
    }
    self.connection = connection!
  }

  deinit {
    natsConnection_Destroy(connection)
    signer.release()
  }

  func flush() throws { try StatusError.check(natsConnection_FlushTimeout(connection, 20_000)) }

  func publish(_ text: String, to subject: String) throws {
    try StatusError.check(natsConnection_PublishString(connection, subject, text))
  }

  func publish(_ text: String, to subject: String, header: (String, String)) throws {
    var message: OpaquePointer?
    try StatusError.check(natsMsg_Create(&message, subject, nil, text, CInt(text.utf8.count)))
    defer { natsMsg_Destroy(message) }
    try StatusError.check(natsMsgHeader_Set(message, header.0, header.1))
    try StatusError.check(natsConnection_PublishMsg(connection, message))
  }

  func request(_ text: String, from subject: String) throws -> String {
    var reply: OpaquePointer?
    try StatusError.check(
      natsConnection_RequestString(&reply, connection, subject, text, 20_000))
    return PlainMessage(reply!).text
  }

  func subscribe(_ subject: String, queue: String? = nil) throws -> PlainSubscription {
    var subscription: OpaquePointer?
    if let queue {
      try StatusError.check(
        natsConnection_QueueSubscribeSync(&subscription, connection, subject, queue))
    } else {
      try StatusError.check(natsConnection_SubscribeSync(&subscription, connection, subject))
    }
    return PlainSubscription(subscription!)
  }
}

/// `@unchecked Sendable`: libnats locks its own objects.
private final class PlainSubscription: @unchecked Sendable {
  private let subscription: OpaquePointer

  init(_ subscription: OpaquePointer) { self.subscription = subscription }

  deinit { natsSubscription_Destroy(subscription) }

  func next() throws -> PlainMessage {
    var message: OpaquePointer?
    try StatusError.check(natsSubscription_NextMsg(&message, subscription, 20_000))
    return PlainMessage(message!)
  }

  func waiting() throws -> Int {
    var count: UInt64 = 0
    try StatusError.check(natsSubscription_QueuedMsgs(subscription, &count))
    return Int(count)
  }

  func unsubscribe(after count: Int) throws {
    try StatusError.check(natsSubscription_AutoUnsubscribe(subscription, CInt(count)))
  }
}

/// A copy of a message that libnats returned.
private struct PlainMessage {
  let subject: String
  let reply: String?
  let text: String
  /// The header `Title`.
  let title: String?

  init(_ message: OpaquePointer) {
    subject = String(cString: natsMsg_GetSubject(message))
    reply = natsMsg_GetReply(message).map { String(cString: $0) }
    let data = UnsafeRawBufferPointer(
      start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
    text = String(decoding: data, as: UTF8.self)
    var value: UnsafePointer<CChar>?
    title =
      natsMsgHeader_Get(message, "Title", &value) == NATS_OK
      ? value.map { String(cString: $0) } : nil
    natsMsg_Destroy(message)
  }
}
