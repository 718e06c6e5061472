import DequeModule
import Foundation

/// Messages without a reader yet, within a bound in bytes.
///
/// A reader may begin later than its session, so messages are kept. But another participant decides on their
/// number, types, and sizes. The oldest messages of the participant that uses the most memory are dropped
/// first: a participant that sends many loses its own.
struct UnreadMessages: Sendable {
  struct Message: Sendable {
    var type: String
    var version: Int
    var data: Data
    var source: Participant

    /// The memory that the message takes, in bytes.
    fileprivate var cost: Int { data.count + type.utf8.count + 256 }
  }

  /// The limits of all messages together, and of one sender's, in bytes.
  static let limit = 1 << 20
  static let senderLimit = 512 << 10

  /// The messages, in the order of their arrival.
  private var messages = Deque<Message>()
  private var costs: [Participant.ID: Int] = [:]
  /// The memory of all messages, in bytes.
  private(set) var heldBytes = 0

  /// - Returns: false if another message was dropped, or the message is too large to be kept.
  mutating func keep(_ message: Message) -> Bool {
    guard message.cost <= Self.senderLimit else { return false }
    messages.append(message)
    account(message, by: message.cost)
    var isComplete = true
    while costs[message.source.id, default: 0] > Self.senderLimit {
      dropOldest(of: message.source.id)
      isComplete = false
    }
    while heldBytes > Self.limit, let greediest = costs.max(by: { $0.value < $1.value })?.key {
      dropOldest(of: greediest)
      isComplete = false
    }
    return isComplete
  }

  /// Removes and returns the messages of a type, in the order of their arrival.
  mutating func take(_ type: String) -> [Message] {
    let taken = messages.filter { $0.type == type }
    messages.removeAll { $0.type == type }
    for message in taken { account(message, by: -message.cost) }
    return Array(taken)
  }

  private mutating func dropOldest(of sender: Participant.ID) {
    guard let index = messages.firstIndex(where: { $0.source.id == sender }) else { return }
    let message = messages.remove(at: index)
    account(message, by: -message.cost)
  }

  private mutating func account(_ message: Message, by cost: Int) {
    heldBytes += cost
    let sum = costs[message.source.id, default: 0] + cost
    costs[message.source.id] = sum == 0 ? nil : sum
  }
}
