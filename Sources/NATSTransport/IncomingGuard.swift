import CReadHook
import Synchronization
import Timekeeping

/// Checks all bytes that libnats reads, on every connection, before libnats parses them.
///
/// There were four ways to keep hostile bytes from libnats' parser. A proxy on this machine would cost two more wakeups
/// for each message, and see nothing of a connection with TLS, as would an event loop of ours
/// (`natsOptions_SetEventLoop`): libnats decrypts inside. A client of our own would have to repeat libnats' TLS. A
/// changed copy of libnats would have to be built and maintained. So libnats' calls of recv(2) and SSL_read(3) lead to
/// ``ServerStream`` first (`CReadHook.h`): clear bytes, in the thread that reads them, without a copy.
enum IncomingGuard {
  /// The streams by descriptor, from the first bytes until the descriptor is closed.
  private static let streams = Mutex<[CInt: ServerStream]>([:])

  /// The last time that the guard refused a server's bytes: libnats knows only that it couldn't read.
  private static let refusedAt = Mutex<HostTime?>(nil)

  /// A Boolean value that indicates whether libnats is guarded. The first use installs the guard. False if libnats
  /// isn't a shared library.
  static let isInstalled = read_hook_install(
    "libnats.so",
    { descriptor, bytes, count in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
      let isAccepted = IncomingGuard.streams.withLock {
        $0[descriptor, default: ServerStream()].accept(bytes)
      }
      if !isAccepted { IncomingGuard.refusedAt.withLock { $0 = .now() } }
      return isAccepted
    },
    { descriptor in IncomingGuard.streams.withLock { $0[descriptor] = nil } })

  /// Returns libnats' reason for a connection's end, or the guard's own reason if the guard was the cause.
  static func words(for reason: String) -> String {
    let isRecent = refusedAt.withLock { $0.map { HostTime.now() - $0 < .seconds(2) } ?? false }
    guard isRecent, ["IO Error", "recv error", "SSL_read error"].contains(where: reason.contains)
    else { return reason }
    return "the server broke the NATS protocol, or its own limit for messages"
  }
}
