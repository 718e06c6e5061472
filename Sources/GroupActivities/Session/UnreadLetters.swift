import DequeModule
import Foundation

/// Messages without a reader yet, within a bound in bytes.
///
/// A reader may begin later than its session, so messages are kept. But another participant decides on their
/// number, types, and sizes. The oldest messages of the participant that uses the most memory are dropped
/// first: a participant that sends many loses its own.
struct UnreadLetters: Sendable {
  struct Letter: Sendable {
    var type: String
    var version: Int
    var data: Data
    var source: Participant

    /// The memory that the message takes, in bytes.
    fileprivate var cost: Int { data.count + type.utf8.count + 256 }
  }

  /// The limits of all letters together, and of one sender's, in bytes.
  static let limit = 1 << 20
  static let senderLimit = 512 << 10

  /// The letters, in the order of their arrival.
  private var letters = Deque<Letter>()
  private var costs: [Participant.ID: Int] = [:]
  /// The memory of all letters, in bytes.
  private(set) var heldBytes = 0

  /// - Returns: false if another letter was dropped, or the letter is too large to be kept.
  mutating func keep(_ letter: Letter) -> Bool {
    guard letter.cost <= Self.senderLimit else { return false }
    letters.append(letter)
    account(letter, by: letter.cost)
    var isComplete = true
    while costs[letter.source.id, default: 0] > Self.senderLimit {
      dropOldest(of: letter.source.id)
      isComplete = false
    }
    while heldBytes > Self.limit, let greediest = costs.max(by: { $0.value < $1.value })?.key {
      dropOldest(of: greediest)
      isComplete = false
    }
    return isComplete
  }

  /// Removes and returns the letters of a type, in the order of their arrival.
  mutating func take(_ type: String) -> [Letter] {
    let taken = letters.filter { $0.type == type }
    letters.removeAll { $0.type == type }
    for letter in taken { account(letter, by: -letter.cost) }
    return Array(taken)
  }

  private mutating func dropOldest(of sender: Participant.ID) {
    guard let index = letters.firstIndex(where: { $0.source.id == sender }) else { return }
    let letter = letters.remove(at: index)
    account(letter, by: -letter.cost)
  }

  private mutating func account(_ letter: Letter, by cost: Int) {
    heldBytes += cost
    let sum = costs[letter.source.id, default: 0] + cost
    costs[letter.source.id] = sum == 0 ? nil : sum
  }
}
