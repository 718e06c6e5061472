import CNATS
import Foundation
import GroupActivities
import NKeys
import Synchronization
import Timekeeping

/// What libnats's callbacks reach: they come on its own threads, and may come late.
///
/// libnats gets a number and not a pointer, and the number is looked up here: a callback that comes
/// after the end finds nothing, instead of memory that was freed.
final class NATSInbox: Sendable {
  private let continuation: AsyncStream<TransportEvent>.Continuation
  let admission: AdmissionKey
  private let number: Int
  private let connected = Atomic<Bool>(false)
  private let needsAnotherChallenge = Atomic<Bool>(false)

  private static let registry = Mutex<(next: Int, inboxes: [Int: NATSInbox])>((1, [:]))

  init(continuation: AsyncStream<TransportEvent>.Continuation, admission: AdmissionKey) {
    self.continuation = continuation
    self.admission = admission
    number = Self.registry.withLock { registry in
      defer { registry.next += 1 }
      return registry.next
    }
  }

  /// From now on callbacks find this inbox, until ``finish(_:)``.
  func register() {
    Self.registry.withLock { $0.inboxes[number] = self }
  }

  var isConnected: Bool { connected.load(ordering: .acquiring) }

  /// What libnats hands to the callbacks.
  var closure: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: number)! }

  static func find(_ closure: UnsafeMutableRawPointer?) -> NATSInbox? {
    let number = Int(bitPattern: closure)
    return registry.withLock { $0.inboxes[number] }
  }

  /// - Returns: whether the signature has to be thrown away.
  func noteSignature(isUsable: Bool) -> Bool {
    needsAnotherChallenge.store(!isUsable, ordering: .releasing)
    return !isUsable
  }

  /// Whether the last attempt failed only for a signature that libnats can't send.
  var wantsAnotherChallenge: Bool { needsAnotherChallenge.load(ordering: .acquiring) }

  func setConnected(server: String) {
    connected.store(true, ordering: .releasing)
    continuation.yield(.connected(server: server))
  }

  func setDisconnected(reason: String) {
    guard connected.exchange(false, ordering: .acquiringAndReleasing) else { return }
    continuation.yield(.disconnected(reason: reason))
  }

  func warn(_ text: String) { continuation.yield(.warning(text)) }

  func receive(_ message: TransportMessage) { continuation.yield(.received(message)) }

  func finish(_ error: TransportError?) {
    connected.store(false, ordering: .releasing)
    Self.registry.withLock { $0.inboxes[number] = nil }
    continuation.yield(.closed(error))
    continuation.finish()
  }
}
