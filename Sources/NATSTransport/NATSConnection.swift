import CNATS
import Concurrency
import Foundation
import Synchronization
import Timekeeping

/// One libnats connection to one server, from its start to its end: it never reconnects.
///
/// `@unchecked Sendable` holds because libnats locks its objects itself: any thread may call functions on a connection.
/// `life` ensures that none is called after `natsConnection_Destroy`: it counts the calls, and the last one to return
/// after `isClosed` frees the handles.
final class NATSConnection: @unchecked Sendable {
  let server: ServerAddress
  let observer: ConnectionObserver
  /// A Boolean value that indicates whether the server has proved its name, with TLS.
  private let isVerified: Bool
  /// The broker's limit for one message, in bytes.
  let maximumPayload: Int
  /// The server's id, a new one at each of its starts.
  let serverID: String
  private let connection: OpaquePointer
  private let callbacks: CallbackID
  private let life = Mutex(Life())

  /// The messages that may wait for the delivery thread. That thread only copies, so the limit is for a machine that
  /// stalls.
  fileprivate static let pendingMessages: CInt = 16384
  private static let pendingBytes: CInt = 16 << 20

  private struct Life: @unchecked Sendable {
    // Pointers that only this class's methods touch, under the mutex.
    var subscriptions: [OpaquePointer] = []
    var isClosed = false
    /// Calls in progress outside of the lock, which have to end before the handles are freed.
    var users = 0
  }

  /// Connects. Blocks the calling thread for about the configuration's timeout at most, plus name resolution.
  ///
  /// - Parameter usesTLS: false fails, with `NATS_SSL_ERROR`, if the server asks for TLS.
  static func open(
    _ server: ServerAddress, usesTLS: Bool, configuration: NATSConfiguration,
    observer: ConnectionObserver
  ) throws(NATSError) -> NATSConnection {
    let id = CallbackRegistry.add(observer)
    // Four unsendable challenges in a row are one in four billion.
    for attempt in 1... {
      do throws(NATSError) {
        let connection = try connect(server, usesTLS, configuration, observer, id)
        return NATSConnection(
          server: server, isVerified: usesTLS, connection: connection, callbacks: id,
          observer: observer)
      } catch {
        if observer.takeUnsendable(), attempt < 4 { continue }
        CallbackRegistry.remove(id)
        throw error
      }
    }
    preconditionFailure("four attempts are made at most")
  }

  private static func connect(
    _ server: ServerAddress, _ usesTLS: Bool, _ configuration: NATSConfiguration,
    _ observer: ConnectionObserver, _ id: CallbackID
  ) throws(NATSError) -> OpaquePointer {
    let options = try ConnectionOptions(
      server, usesTLS: usesTLS, configuration: configuration, identity: observer.identity,
      callbacks: id)
    var connection: OpaquePointer?
    try withExtendedLifetime(options) { () throws(NATSError) in
      try NATSError.check(natsConnection_Connect(&connection, options.pointer), "connect")
    }
    return connection!
  }

  private init(
    server: ServerAddress, isVerified: Bool, connection: OpaquePointer, callbacks: CallbackID,
    observer: ConnectionObserver
  ) {
    self.server = server
    self.isVerified = isVerified
    self.observer = observer
    self.connection = connection
    self.callbacks = callbacks
    maximumPayload = Int(clamping: natsConnection_GetMaxPayload(connection))
    var id = [CChar](repeating: 0, count: 128)
    _ = natsConnection_GetConnectedServerId(connection, &id, id.count - 1)
    serverID = id.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    CallbackRegistry.remove(callbacks)
    let handles = life.withLock { life in
      defer { life.isClosed = true }
      return life.isClosed ? nil : Handles(connection, life.subscriptions)
    }
    // Freeing waits for libnats' own threads, and the last owner may run on one of them.
    if let handles { OwnedThread.start("nats-close") { handles.destroy() } }
  }

  /// Sends a message. Blocks until the socket has taken it or the write deadline has passed.
  func publish(_ payload: [UInt8], to subject: String) throws(NATSError) {
    try use { connection in
      payload.withUnsafeBytes { bytes in
        natsConnection_Publish(connection, subject, bytes.baseAddress, CInt(bytes.count))
      }
    } operation: {
      "publish"
    }
  }

  /// Sends the subscription. After ``flush(timeout:)`` the server has it.
  func subscribe(_ wanted: NATSSubscription) throws(NATSError) {
    var subscription: OpaquePointer?
    let closure = callbacks.closure
    try use { connection in
      guard let group = wanted.group else {
        return natsConnection_Subscribe(
          &subscription, connection, wanted.subject, receivedMessage, closure)
      }
      return natsConnection_QueueSubscribe(
        &subscription, connection, wanted.subject, group, receivedMessage, closure)
    } operation: {
      "subscribe to \(wanted.subject)"
    }
    guard let subscription else { return }
    // libnats limits their number only.
    _ = natsSubscription_SetPendingLimits(
      subscription, Self.pendingMessages, Self.pendingBytes)
    nonisolated(unsafe) let handle = subscription  // owned by `life` from here on
    let isKept = life.withLock { life in
      if !life.isClosed { life.subscriptions.append(handle) }
      return !life.isClosed
    }
    if !isKept { natsSubscription_Destroy(subscription) }
  }

  /// Sends subscriptions, and blocks until the server has them.
  ///
  /// - Returns: false if they may not have reached it.
  func place(_ subscriptions: [NATSSubscription]) -> Bool {
    do throws(NATSError) {
      for subscription in subscriptions { try subscribe(subscription) }
      try flush(timeout: .seconds(5))
      return true
    } catch {
      return false
    }
  }

  /// Blocks until the server has answered everything that was sent before.
  func flush(timeout: Duration) throws(NATSError) {
    try use { connection in
      natsConnection_FlushTimeout(connection, timeout.inWholeMilliseconds)
    } operation: {
      "flush"
    }
  }

  /// Blocks until the messages that the server had sent by now are delivered, or until the time limit.
  func catchUp(within limit: Duration) {
    let deadline = HostTime.now() + limit
    try? flush(timeout: limit)
    while HostTime.now() < deadline {
      let waiting = life.withLock { life in
        // The subscriptions are freed only after closing, which takes this lock.
        life.isClosed
          ? 0
          : life.subscriptions.reduce(into: CInt(0)) { sum, subscription in
            var messages: CInt = 0
            var bytes: CInt = 0
            natsSubscription_GetPending(subscription, &messages, &bytes)
            sum += messages
          }
      }
      if waiting == 0 { return }
      usleep(2000)
    }
  }

  /// Returns the server's last error if it refused a subscription to `subject`, otherwise nil.
  func refusal(ofSubscriptionTo subject: String) -> String? {
    var text: UnsafePointer<CChar>?
    var refusal: String?
    try? use { connection in
      _ = natsConnection_GetLastError(connection, &text)
      // The text belongs to the connection: it is read while the connection can't be freed.
      refusal = text.map { String(cString: $0) }
      return NATS_OK
    } operation: {
      "last error"
    }
    guard let refusal, refusal.lowercased().contains("permissions violation"),
      refusal.contains("Subscription to \"\(subject)\"")
    else { return nil }
    return refusal
  }

  /// Returns the servers of the cluster that this one announced.
  func discoveredServers() -> [ServerAddress] {
    var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    var count: CInt = 0
    try? use { connection in
      natsConnection_GetDiscoveredServers(connection, &list, &count)
    } operation: {
      "discovered servers"
    }
    guard let list else { return [] }
    defer {
      for index in 0..<Int(count) { free(list[index]) }
      free(list)
    }
    return (0..<Int(count)).compactMap { index in
      list[index].flatMap { server.member(String(cString: $0), isVerified: isVerified) }
    }
  }

  /// Ends the connection: no callback begins afterwards. Blocks while libnats ends its threads.
  func close() {
    CallbackRegistry.remove(callbacks)
    let handles = life.withLock { life -> Handles? in
      guard !life.isClosed else { return nil }
      life.isClosed = true
      // A call in progress frees them when it returns.
      return life.users == 0 ? Handles(connection, life.subscriptions) : nil
    }
    if let handles {
      handles.destroy()
    } else {
      // Releases the calls that wait inside.
      closeWhileInUse()
    }
  }

  /// `natsConnection_Close` makes blocked calls return; the handle stays valid for them.
  private func closeWhileInUse() {
    let isInUse = life.withLock { life in
      guard life.users > 0 else { return false }
      life.users += 1
      return true
    }
    guard isInUse else { return }
    natsConnection_Close(connection)
    leave()
  }

  /// Calls libnats while the handle is known to be valid.
  private func use(
    _ body: (OpaquePointer) -> natsStatus, operation: () -> String
  ) throws(NATSError) {
    let isOpen = life.withLock { life in
      guard !life.isClosed else { return false }
      life.users += 1
      return true
    }
    guard isOpen else { throw NATSError(status: NATS_CONNECTION_CLOSED, operation: operation()) }
    let status = body(connection)
    defer { leave() }
    try NATSError.check(status, operation())
  }

  private func leave() {
    let handles = life.withLock { life -> Handles? in
      life.users -= 1
      return life.isClosed && life.users == 0 ? Handles(connection, life.subscriptions) : nil
    }
    handles?.destroy()
  }

  /// The handles to free, in this order; created exactly once for each connection.
  private struct Handles: @unchecked Sendable {
    // Only the holder of this value still has the pointers.
    let connection: OpaquePointer
    let subscriptions: [OpaquePointer]

    init(_ connection: OpaquePointer, _ subscriptions: [OpaquePointer]) {
      self.connection = connection
      self.subscriptions = subscriptions
    }

    func destroy() {
      natsConnection_Close(connection)
      for subscription in subscriptions { natsSubscription_Destroy(subscription) }
      natsConnection_Destroy(connection)
    }
  }
}

/// A subject to subscribe to, with an optional queue group.
struct NATSSubscription: Hashable, Sendable {
  var subject: String
  /// The queue group, in which one member gets each message; nil for none.
  var group: String?
}

/// `natsOptions`, for one attempt at a time: libnats copies them while connecting.
private final class ConnectionOptions {
  let pointer: OpaquePointer
  /// A Boolean value that indicates whether a later attempt can use the options: they forbid TLS.
  private var isReusable = false

  private struct Spare: @unchecked Sendable {
    // Handed from one object to the next, under the mutex.
    let pointer: OpaquePointer
  }

  /// Options of earlier attempts without TLS. For the name that forbids TLS, libnats makes an OpenSSL context and reads
  /// all certificates of the system: 50 ms of CPU time.
  private static let spares = Mutex<[Spare]>([])
  private static let spareLimit = 4

  /// A name that no certificate has (RFC 6761 §6.4).
  private static let nobody = "clear-text.invalid"

  init(
    _ server: ServerAddress, usesTLS: Bool, configuration: NATSConfiguration,
    identity: ClientIdentity, callbacks: CallbackID
  ) throws(NATSError) {
    let forbidsTLS = !usesTLS && identity.nkey != nil
    let spare = forbidsTLS ? Self.spares.withLock { $0.popLast() } : nil
    if let spare {
      pointer = spare.pointer
    } else {
      var created: OpaquePointer?
      try NATSError.check(natsOptions_Create(&created), "create options")
      pointer = created!
    }
    let options = pointer
    let closure = callbacks.closure
    let timeout = configuration.connectTimeout.inWholeMilliseconds
    let pingInterval = configuration.pingInterval.inWholeMilliseconds
    let writeDeadline = configuration.writeDeadline.inWholeMilliseconds
    var settings: [(String, natsStatus)] = [
      ("url", natsOptions_SetURL(options, server.url)),
      ("name", natsOptions_SetName(options, "matinee")),
      ("timeout", natsOptions_SetTimeout(options, timeout)),
      // The session layer repairs losses; a library that kept messages for later would replay a timeline that is no
      // longer true.
      ("reconnect", natsOptions_SetAllowReconnect(options, false)),
      ("ping interval", natsOptions_SetPingInterval(options, pingInterval)),
      ("pings out", natsOptions_SetMaxPingsOut(options, 2)),
      // A millisecond of the flusher's delay would put two screens a millisecond apart.
      ("send asap", natsOptions_SetSendAsap(options, true)),
      ("no echo", natsOptions_SetNoEcho(options, true)),
      // Without it a peer that stops reading blocks the writer, which holds the lock that the ping
      // timer needs to notice.
      ("write deadline", natsOptions_SetWriteDeadline(options, writeDeadline)),
      // One delivery thread for all subscriptions, which keeps a sender's messages in order across subjects. It only
      // copies, so the limit is for a machine that stalls.
      ("global delivery", natsOptions_UseGlobalMessageDelivery(options, true)),
      ("pending", natsOptions_SetMaxPendingMsgs(options, NATSConnection.pendingMessages)),
      ("closed", natsOptions_SetClosedCB(options, connectionClosed, closure)),
      ("errors", natsOptions_SetErrorHandler(options, reportedError, closure)),
      ("lame duck", natsOptions_SetLameDuckModeCB(options, serverIsLeaving, closure)),
    ]
    if let nkey = identity.nkey {
      settings.append(("nkey", natsOptions_SetNKey(options, nkey, signNonce, closure)))
    } else {
      settings.append(
        (
          "credentials",
          natsOptions_SetUserCredentialsCallbacks(options, giveJWT, closure, signNonce, closure)
        ))
    }
    if usesTLS {
      settings.append(("tls", natsOptions_SetSecure(options, true)))
      if let trusted = configuration.trustedCertificates {
        settings.append(
          ("certificates", natsOptions_SetCATrustedCertificates(options, trusted.pem)))
      }
      settings.append(
        ("name", natsOptions_SetExpectedHostname(options, server.nameToCertify)))
    } else if spare == nil {
      // libnats changes to TLS on its own if a server asks for it, and doesn't report that. The caller has to know, so
      // that it never uses clear text again; so this attempt must not succeed with TLS.
      settings.append(("no tls", natsOptions_SetExpectedHostname(options, Self.nobody)))
    }
    for (name, status) in settings { try NATSError.check(status, "set \(name)") }
    isReusable = forbidsTLS
  }

  deinit {
    let spare = Spare(pointer: pointer)
    let isKept =
      isReusable
      && Self.spares.withLock { spares in
        guard spares.count < Self.spareLimit else { return false }
        spares.append(spare)
        return true
      }
    if !isKept { natsOptions_Destroy(pointer) }
  }
}

extension Duration {
  /// The duration for libnats, which takes 0 for "never" and "for ever".
  var inWholeMilliseconds: Int64 { max(1, inNanoseconds / 1_000_000) }
}
