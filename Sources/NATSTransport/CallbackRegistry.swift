import CNATS
import Foundation
import GroupActivities
import Synchronization
import Timekeeping

/// The closures for libnats' callbacks, as numbers that are looked up when libnats calls. A late
/// callback finds no observer, instead of memory that was freed, and no object has to be kept alive
/// for a callback that never comes.
enum CallbackRegistry {
  private static let registered = Mutex(Registered())

  private struct Registered: Sendable {
    var next: UInt = 1
    var observers: [UInt: ConnectionObserver] = [:]
  }

  static func add(_ observer: ConnectionObserver) -> CallbackID {
    registered.withLock { registered in
      defer { registered.next += 1 }
      registered.observers[registered.next] = observer
      return CallbackID(number: registered.next)
    }
  }

  static func remove(_ id: CallbackID) {
    // Released outside of the lock: the last reference may free a lot.
    let removed = registered.withLock { $0.observers.removeValue(forKey: id.number) }
    withExtendedLifetime(removed) {}
  }

  static func find(_ closure: UnsafeMutableRawPointer?) -> ConnectionObserver? {
    registered.withLock { $0.observers[UInt(bitPattern: closure)] }
  }
}

/// A number that passes through C as a pointer that is never dereferenced.
struct CallbackID: Hashable, Sendable {
  let number: UInt

  var closure: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: number) }
}

// MARK: What libnats calls

/// `natsMsgHandler`, on the delivery thread.
func receivedMessage(
  _: OpaquePointer?, _: OpaquePointer?, _ message: OpaquePointer?,
  _ closure: UnsafeMutableRawPointer?
) {
  let time = HostTime.now()
  guard let message else { return }
  defer { natsMsg_Destroy(message) }
  guard let observer = CallbackRegistry.find(closure), let subject = natsMsg_GetSubject(message)
  else { return }
  let bytes = UnsafeRawBufferPointer(
    start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
  observer.received(subject: String(cString: subject), payload: Array(bytes), at: time)
}

/// `natsConnectionHandler` for the end of a connection, on the library's thread for such events.
func connectionClosed(_ connection: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
  guard let observer = CallbackRegistry.find(closure) else { return }
  var text: UnsafePointer<CChar>?
  let status = natsConnection_GetLastError(connection, &text)
  var reason = text.map { String(cString: $0) } ?? ""
  if reason.isEmpty {
    reason =
      status == NATS_OK ? "the connection was lost" : String(cString: natsStatus_GetText(status))
  }
  reason = IncomingGuard.words(for: reason)
  observer.closed(reason: PartyText.clean(reason, limit: NATSError.textLimit))
}

/// `natsConnectionHandler` for a server that is about to be shut down.
func serverIsLeaving(_: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
  CallbackRegistry.find(closure)?.leaving()
}

/// `natsErrHandler`: an error that may leave the connection open.
func reportedError(
  _ connection: OpaquePointer?, _ subscription: OpaquePointer?, _ status: natsStatus,
  _ closure: UnsafeMutableRawPointer?
) {
  guard let observer = CallbackRegistry.find(closure) else { return }
  var text: UnsafePointer<CChar>?
  _ = natsConnection_GetLastError(connection, &text)
  let said = text.map { String(cString: $0) } ?? ""
  let report = said.isEmpty ? String(cString: natsStatus_GetText(status)) : said
  observer.reported(PartyText.clean(report, limit: NATSError.textLimit))
}

/// `natsUserJWTHandler`: libnats frees both results.
func giveJWT(
  _ jwt: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ errorText: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ closure: UnsafeMutableRawPointer?
) -> natsStatus {
  guard let text = CallbackRegistry.find(closure)?.identity.jwt else {
    errorText?.pointee = strdup("the connection was closed")
    return NATS_ERR
  }
  jwt?.pointee = strdup(text)
  return NATS_OK
}

/// `natsSignatureHandler`: libnats frees both results.
func signNonce(
  _ errorText: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ signature: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
  _ length: UnsafeMutablePointer<CInt>?, _ nonce: UnsafePointer<CChar>?,
  _ closure: UnsafeMutableRawPointer?
) -> natsStatus {
  guard let signature, let length else { return NATS_INVALID_ARG }
  let challenge = nonce.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
  let signed: [UInt8]
  if challenge.isEmpty {
    // A server without authorization sends no nonce, but libnats asks for a signature anyway. The
    // server ignores the answer; nothing is signed for it.
    signed = [UInt8](repeating: 0, count: 64)
  } else {
    switch CallbackRegistry.find(closure)?.sign(nonce: challenge) {
    case .signature(let signature): signed = signature
    case .unsendable, nil:
      errorText?.pointee = strdup("the server's challenge can't be signed")
      return NATS_ERR
    }
  }
  guard let result = malloc(signed.count) else { return NATS_NO_MEMORY }
  result.copyMemory(from: signed, byteCount: signed.count)
  signature.pointee = result.assumingMemoryBound(to: UInt8.self)
  length.pointee = CInt(signed.count)
  return NATS_OK
}
