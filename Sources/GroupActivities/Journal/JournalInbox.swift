import Foundation
import Synchronization

/// The inputs of a keeper, in order. The number of waiting messages from other participants is bounded, since
/// they are sent again.
final class JournalInbox: Sendable {
  enum Input: Sendable {
    case party(JournalInput)
    /// The keeper sends its outgoing messages.
    case flush
  }

  let inputs: AsyncStream<Input>
  private let continuation: AsyncStream<Input>.Continuation
  private let packets = Atomic(0)
  /// The limit of waiting messages: somewhat more than may be requested at once.
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
