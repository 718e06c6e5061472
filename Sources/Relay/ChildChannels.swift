import NIOCore
import Synchronization

/// The connections that are open, for closing them all at the end.
final class ChildChannels: Sendable {
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

  func add(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    channels.withLock { $0[id] = channel }
    channel.closeFuture.whenComplete { [self] _ in channels.withLock { $0[id] = nil } }
  }

  func closeAll() async {
    for channel in channels.withLock({ Array($0.values) }) {
      try? await channel.close()
    }
  }
}
