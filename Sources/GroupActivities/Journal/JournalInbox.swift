import Foundation
import Synchronization

/// What comes to a keeper, in order. What other participants send is bounded: they send it again.
final class JournalInbox: Sendable {
  enum Input: Sendable {
    case party(JournalInput)
    /// Something is to be sent.
    case flush
    case cancel(UUID, waiter: Int)
  }

  let inputs: AsyncStream<Input>
  private let continuation: AsyncStream<Input>.Continuation
  private let packets = Atomic(0)
  /// Some more than may be asked for at once.
  private static let packetLimit = 128

  init() { (inputs, continuation) = AsyncStream.makeStream() }

  func put(_ input: JournalInput) {
    if case .received = input {
      guard packets.load(ordering: .relaxed) < Self.packetLimit else { return }
      packets.add(1, ordering: .relaxed)
    }
    continuation.yield(.party(input))
  }

  func put(_ input: Input) { continuation.yield(input) }
  func packetTaken() { packets.subtract(1, ordering: .relaxed) }
  func close() { continuation.finish() }
}
