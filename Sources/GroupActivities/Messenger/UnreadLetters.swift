import DequeModule
import Foundation

/// Messages without a reader yet, within a bound in bytes.
///
/// A reader may begin later than its session does, so they are kept; but another participant decides how many there
/// are, of which types, and how large. The oldest of the participant that holds most of the memory go first: one that
/// sends much loses its own.
struct UnreadLetters: Sendable {
  struct Letter: Sendable {
    var type: String
    var version: Int
    var data: Data
    var source: Participant

    /// The memory that it takes, in bytes.
    fileprivate var cost: Int { data.count + type.utf8.count + 256 }
  }

  /// Bytes of all letters together, and of one sender's.
  static let limit = 1 << 20
  static let senderLimit = 512 << 10

  /// In the order in which they came.
  private var letters = Deque<Letter>()
  private var costs: [Participant.ID: Int] = [:]
  /// Bytes.
  private(set) var heldBytes = 0

  /// - Returns: false when that cost another letter, or the letter is too large to be kept.
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

  /// Removes and returns the letters of a type, in the order in which they came.
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
