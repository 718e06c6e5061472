import CNATS
import Foundation
import GroupActivities
import NKeys
import Synchronization
import Timekeeping

/// One `natsConnection` and its subscriptions.
///
/// `@unchecked Sendable`: libnats's connections may be used from any thread; the subscriptions are
/// touched only from the transport's queue.
final class NATSConnection: @unchecked Sendable {
  private let pointer: OpaquePointer
  private var subscriptions: [OpaquePointer] = []
  private let inbox: NATSInbox
  /// The largest payload that the server takes, in bytes.
  let payloadLimit: Int

  /// Silence of the server is noticed after two of these.
  private static let pingInterval: Int64 = 1500
  private static let reconnectWait: Int64 = 150
  private static let reconnectJitter: Int64 = 150
  /// Messages that a subscription holds for us at most.
  private static let pendingMessages: CInt = 8192

  /// Connects; blocks until that succeeded or failed.
  init(
    urls: [String], addresses: String, timeout: Duration, inbox: NATSInbox
  ) throws(TransportError) {
    self.inbox = inbox
    var options: OpaquePointer?
    try Self.check(natsOptions_Create(&options), "natsOptions_Create", addresses)
    defer { natsOptions_Destroy(options) }
    try Self.configure(options!, urls: urls, addresses: addresses, timeout: timeout)
    let closure = inbox.closure
    inbox.register()
    try Self.check(
      natsOptions_SetNKey(
        options, NKey.text(of: inbox.admission.publicKey, role: .user), sign, closure),
      "natsOptions_SetNKey", addresses)
    try Self.check(
      natsOptions_SetDisconnectedCB(options, disconnected, closure),
      "natsOptions_SetDisconnectedCB", addresses)
    try Self.check(
      natsOptions_SetReconnectedCB(options, reconnected, closure), "natsOptions_SetReconnectedCB",
      addresses)
    try Self.check(
      natsOptions_SetErrorHandler(options, failed, closure), "natsOptions_SetErrorHandler",
      addresses)
    var connection: OpaquePointer?
    try Self.check(
      natsConnection_Connect(&connection, options), "natsConnection_Connect", addresses)
    pointer = connection!
    payloadLimit = Int(natsConnection_GetMaxPayload(pointer))
    inbox.setConnected(server: Self.server(pointer))
  }

  func subscribe(to subject: String) throws(TransportError) {
    var subscription: OpaquePointer?
    try Self.check(
      natsConnection_Subscribe(&subscription, pointer, subject, received, inbox.closure),
      "natsConnection_Subscribe", subject)
    subscriptions.append(subscription!)
    try Self.check(
      natsSubscription_SetPendingLimits(subscription, Self.pendingMessages, 32 << 20),
      "natsSubscription_SetPendingLimits", subject)
    try Self.check(
      natsConnection_FlushTimeout(pointer, 5000), "natsConnection_FlushTimeout", subject)
  }

  func publish(_ payload: [UInt8], to subject: String) -> natsStatus {
    payload.withUnsafeBytes {
      natsConnection_Publish(pointer, subject, $0.baseAddress, CInt($0.count))
    }
  }

  /// Sends what is queued, then closes. Called once, last.
  func close() {
    if inbox.isConnected { natsConnection_FlushTimeout(pointer, 500) }
    natsConnection_Close(pointer)
    for subscription in subscriptions { natsSubscription_Destroy(subscription) }
    natsConnection_Destroy(pointer)
  }

  static func text(_ status: natsStatus) -> String { String(cString: natsStatus_GetText(status)) }

  static func server(_ connection: OpaquePointer?) -> String {
    var buffer = [CChar](repeating: 0, count: 512)
    guard natsConnection_GetConnectedUrl(connection, &buffer, buffer.count) == NATS_OK else {
      return "?"
    }
    let url = String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return NATSConfiguration.Server(url)?.address ?? "?"
  }

  private static func configure(
    _ options: OpaquePointer, urls: [String], addresses: String, timeout: Duration
  ) throws(TransportError) {
    let copies = urls.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var pointers = copies.map { UnsafePointer<CChar>($0) }
    let statuses = [
      natsOptions_SetServers(options, &pointers, CInt(urls.count)),
      natsOptions_SetNoRandomize(options, true),
      natsOptions_SetName(options, "matinee"),
      natsOptions_SetTimeout(options, timeout.inNanoseconds / 1_000_000),
      // Without it libnats waits up to a millisecond for more to send.
      natsOptions_SetSendAsap(options, true),
      natsOptions_SetNoEcho(options, true),
      natsOptions_SetPingInterval(options, pingInterval),
      natsOptions_SetMaxPingsOut(options, 2),
      natsOptions_SetAllowReconnect(options, true),
      natsOptions_SetMaxReconnect(options, -1),
      natsOptions_SetReconnectWait(options, reconnectWait),
      natsOptions_SetReconnectJitter(options, reconnectJitter, reconnectJitter),
      // The least it takes: nothing of ours fits.
      natsOptions_SetReconnectBufSize(options, 1),
      natsOptions_SetIgnoreDiscoveredServers(options, false),
      natsOptions_SetWriteDeadline(options, 3000),
    ]
    for status in statuses { try check(status, "natsOptions", addresses) }
  }

  private static func check(
    _ status: natsStatus, _ operation: String, _ what: String
  ) throws(TransportError) {
    guard status != NATS_OK else { return }
    var last = natsStatus(rawValue: 0)
    let detail = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
    let said = detail.isEmpty ? text(status) : detail
    switch status {
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
      throw TransportError(.refused, "\(what) does not admit this key (\(said))")
    case NATS_NO_SERVER, NATS_TIMEOUT, NATS_IO_ERROR, NATS_ADDRESS_MISSING:
      throw TransportError(.unreachable, "nobody answers at \(what) (\(said))")
    case NATS_CONNECTION_CLOSED, NATS_CONNECTION_DISCONNECTED:
      throw TransportError(.notConnected, "the connection is down (\(operation): \(said))")
    case NATS_INVALID_SUBJECT:
      throw TransportError(.invalidSubject, "“\(what)” is not a subject")
    default:
      throw TransportError(.unreachable, "\(operation) failed for \(what): \(said)")
    }
  }
}

/// libnats frees the signature: it has to come from `malloc`. A server without authorization sends no
/// challenge; it gets a signature of nothing, and doesn't look at it.
private let sign: natsSignatureHandler = { customError, signature, length, nonce, closure in
  let challenge = nonce.map { Array(String(cString: $0).utf8) } ?? []
  guard let inbox = NATSInbox.find(closure),
    let bytes = try? inbox.admission.signature(for: challenge),
    // libnats (3.4.1) takes a signature whose first byte is zero for an empty string and leaves it
    // out, once in 256 times: the server would refuse us. Another challenge gives another signature.
    !inbox.noteSignature(isUsable: bytes[0] != 0), let buffer = malloc(bytes.count)
  else {
    customError?.pointee = strdup("the challenge can't be signed")
    return NATS_ERR
  }
  buffer.copyMemory(from: bytes, byteCount: bytes.count)
  signature?.pointee = buffer.assumingMemoryBound(to: UInt8.self)
  length?.pointee = CInt(bytes.count)
  return NATS_OK
}

private let received: natsMsgHandler = { _, _, message, closure in
  let now = HostTime.now()
  defer { natsMsg_Destroy(message) }
  guard let inbox = NATSInbox.find(closure), let subject = natsMsg_GetSubject(message) else {
    return
  }
  let payload = UnsafeRawBufferPointer(
    start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
  inbox.receive(
    TransportMessage(
      subject: String(cString: subject), payload: Array(payload), receivedAt: now))
}

private let disconnected: natsConnectionHandler = { connection, closure in
  var last: UnsafePointer<CChar>?
  let status = natsConnection_GetLastError(connection, &last)
  let reason = last.map { String(cString: $0) } ?? ""
  NATSInbox.find(closure)?.setDisconnected(
    reason: reason.isEmpty ? NATSConnection.text(status) : reason)
}

private let reconnected: natsConnectionHandler = { connection, closure in
  // libnats has written its subscriptions again; only an answer shows that the server has them. If
  // none comes, the connection is down once more and this is called again.
  guard natsConnection_FlushTimeout(connection, 3000) == NATS_OK else { return }
  NATSInbox.find(closure)?.setConnected(server: NATSConnection.server(connection))
}

private let failed: natsErrHandler = { _, _, status, closure in
  guard let inbox = NATSInbox.find(closure) else { return }
  if status == NATS_SLOW_CONSUMER {
    inbox.warn("this machine is too slow for the party's messages; some were dropped")
  } else {
    inbox.warn("the relay says: \(NATSConnection.text(status))")
  }
}
