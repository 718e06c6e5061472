import EventQueue
import GroupActivities
import NKeys
import Synchronization
import Timekeeping

/// What one libnats connection tells, turned into the transport's events.
///
/// Called on libnats' threads; only copies and queues.
final class ConnectionObserver: Sendable {
  /// The public key's text, for CONNECT.
  let nkey: String
  private let admission: AdmissionKey
  private let queue: EventQueue<TransportEvent>
  private let ends: AsyncStream<String>
  private let endsContinuation: AsyncStream<String>.Continuation
  private let unsendable = Atomic(false)
  private let lastReport = Mutex<(text: String, time: HostTime)?>(nil)

  init(admission: AdmissionKey, queue: EventQueue<TransportEvent>) {
    self.admission = admission
    self.queue = queue
    nkey = NKey.text(of: admission.publicKey, role: .user)
    (ends, endsContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  /// Waits for the connection's end, for one caller.
  ///
  /// - Returns: the reason, or nil when the caller was cancelled.
  func end() async -> String? {
    for await reason in ends { return reason }
    return nil
  }

  /// What to answer to a server's challenge.
  enum Answer: Sendable {
    /// 64 bytes.
    case signature([UInt8])
    /// libnats 3.4.1 would send nothing, and the server refuse us: another challenge is needed.
    case unsendable
  }

  /// One signature in 256 begins with a zero byte, which libnats takes for the end of a text and
  /// sends an empty one. Ed25519 has only this one signature for a challenge, so the connection has
  /// to be made once more, with another challenge.
  func sign(nonce: [UInt8]) -> Answer {
    guard let signature = try? admission.signature(for: nonce), signature.first != 0 else {
      unsendable.store(true, ordering: .releasing)
      return .unsendable
    }
    return .signature(signature)
  }

  /// Whether a challenge was unsendable since the last call.
  func takeUnsendable() -> Bool { unsendable.exchange(false, ordering: .acquiringAndReleasing) }

  func received(subject: String, payload: [UInt8], at time: HostTime) {
    let cost = payload.count + 256
    queue.push(
      .received(TransportMessage(subject: subject, payload: payload, receivedAt: time)), cost: cost)
  }

  /// Something that didn't end the connection. libnats repeats itself when a consumer is slow: the
  /// same text counts once a second.
  func reported(_ text: String, at time: HostTime = .now()) {
    let isNews = lastReport.withLock { last in
      if let last, last.text == text, time - last.time < .seconds(1) { return false }
      last = (text, time)
      return true
    }
    if isNews { queue.push(.warning(text), cost: text.utf8.count + 256) }
  }

  /// The connection is over; the first reason given is the one that counts.
  func closed(reason: String) { endsContinuation.yield(reason) }
}
