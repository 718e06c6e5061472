import CAvahi
import Concurrency
import Foundation
import Synchronization

/// Announces a service on the local network for the lifetime of the object, through this machine's Avahi daemon and
/// across its restarts. Does nothing if there is no daemon, or no D-Bus.
package final class ServiceAnnouncement: Sendable {
  /// Values that say whether the daemon announces the service: true after the first announcement, then each change.
  /// Ends when no change can follow. For one consumer; only the newest waits.
  package let isAnnounced: AsyncStream<Bool>
  private let stop = StopSignal()

  /// Begins at once, on a thread of its own.
  package init(of service: LocalService) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    isAnnounced = stream
    OwnedThread.start("avahi-announce") { [stop] in
      Announcing(service) { continuation.yield($0) }.run(until: stop)
      continuation.finish()
    }
  }

  deinit { stop.give() }

  /// Withdraws the announcement. The thread ends soon after.
  package func withdraw() { stop.give() }
}

/// Ends a poll from another thread.
private final class StopSignal: Sendable {
  private struct State: @unchecked Sendable {
    var isGiven = false
    // Valid until `detach`, which the thread that owns it calls before freeing it. The wake-up is the only call that
    // Avahi allows from other threads (`avahi-common/simple-watch.h`).
    var poll: OpaquePointer?
  }

  private let state = Mutex(State())

  var isGiven: Bool { state.withLock(\.isGiven) }

  func give() {
    state.withLock { state in
      state.isGiven = true
      if let poll = state.poll { avahi_simple_poll_wakeup(poll) }
    }
  }

  func attach(_ poll: OpaquePointer) {
    nonisolated(unsafe) let poll = poll  // only handed over
    state.withLock { $0.poll = poll }
  }

  func detach() { state.withLock { $0.poll = nil } }
}

/// One announcement, on the thread that runs it: Avahi's callbacks come from within `run`.
private final class Announcing {
  private let service: LocalService
  /// The service's name, or one with a number after it, if another service on the network has that name.
  private var name: String
  private var group: OpaquePointer?
  private var isDisconnected = false
  private var hasFailed = false
  private var isAnnounced = false {
    didSet { if isAnnounced != oldValue { report(isAnnounced) } }
  }
  private let report: (Bool) -> Void
  /// The number of names that were taken. The announcement gives up if all of them are.
  private var collisions = 0

  private static let collisionLimit = 16

  init(_ service: LocalService, report: @escaping (Bool) -> Void) {
    self.service = service
    self.report = report
    name = service.name
  }

  func run(until stop: StopSignal) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    while !stop.isGiven {
      isDisconnected = false
      isAnnounced = false
      group = nil
      // Without a daemon this waits for one; without a D-Bus it fails, and there is nothing to do.
      guard
        let connection = try? AvahiConnection(
          flags: AVAHI_CLIENT_NO_FAIL,
          callback: { client, state, data in
            Unmanaged<Announcing>.fromOpaque(data!).takeUnretainedValue().changed(client!, state)
          }, me)
      else { return }
      let ended = withExtendedLifetime(connection) {
        stop.attach(connection.poll)
        defer { stop.detach() }
        while !stop.isGiven, !isDisconnected, !hasFailed {
          guard avahi_simple_poll_iterate(connection.poll, -1) == 0 else { return true }
        }
        return hasFailed
      }
      if ended { return }
    }
  }

  private func changed(_ client: OpaquePointer, _ state: AvahiClientState) {
    switch state {
    case AVAHI_CLIENT_S_RUNNING: publish(over: client)
    // The machine's own name changes: everything is registered again under the new one.
    case AVAHI_CLIENT_S_COLLISION, AVAHI_CLIENT_S_REGISTERING:
      if let group { avahi_entry_group_reset(group) }
    case AVAHI_CLIENT_FAILURE:
      isAnnounced = false
      // The daemon has ended, and another may begin. Any other failure would be repeated.
      if avahi_client_errno(client) == AVAHI_ERR_DISCONNECTED {
        isDisconnected = true
      } else {
        hasFailed = true
      }
    default: break
    }
  }

  private func publish(over client: OpaquePointer) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    if group == nil {
      group = avahi_entry_group_new(
        client,
        { group, state, data in
          let announcing = Unmanaged<Announcing>.fromOpaque(data!).takeUnretainedValue()
          announcing.isAnnounced = state == AVAHI_ENTRY_GROUP_ESTABLISHED
          guard state == AVAHI_ENTRY_GROUP_COLLISION else { return }
          announcing.rename()
          announcing.fill(group!)
        }, me)
    }
    if let group, avahi_entry_group_is_empty(group) != 0 { fill(group) }
  }

  private func fill(_ group: OpaquePointer) {
    while collisions < Self.collisionLimit {
      avahi_entry_group_reset(group)
      var texts: UnsafeMutablePointer<AvahiStringList>?
      for (key, value) in service.attributes.sorted(by: { $0.key < $1.key }) {
        texts = avahi_string_list_add_pair(texts, key, value)
      }
      defer { avahi_string_list_free(texts) }
      let status = avahi_entry_group_add_service_strlst(
        group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
        AvahiPublishFlags(0), name, service.type, nil, nil, UInt16(service.port), texts)
      if status == AVAHI_ERR_COLLISION {
        rename()
        continue
      }
      if status == AVAHI_OK { avahi_entry_group_commit(group) }
      return
    }
  }

  private func rename() {
    collisions += 1
    guard let other = avahi_alternative_service_name(name) else { return }
    name = String(cString: other)
    avahi_free(other)
  }
}
