import Foundation

/// A change of the playlist as the user types it: in a script's input, or after a slash in the chat.
enum PlaylistCommand: Hashable, Sendable {
  case enqueue(String)
  case next
  case previous
  /// Moves an entry. Both indices count from 0.
  case move(from: Int, to: Int)
  case drop(Int)

  static let words = ["enqueue", "next", "previous", "move", "drop"]

  /// - Throws: ``HeadlessCommand/Problem`` with a description of the expected input.
  init(_ word: String, _ rest: String) throws(HeadlessCommand.Problem) {
    let numbers = rest.split(separator: " ").compactMap { Int($0) }.filter { $0 > 0 }.map { $0 - 1 }
    switch (word, numbers.count) {
    case ("enqueue", _):
      guard !rest.isEmpty else {
        throw HeadlessCommand.Problem(
          description: "enqueue needs a file or a URL, as in: enqueue film.mkv")
      }
      self = .enqueue(rest)
    case ("next", _): self = .next
    case ("previous", _): self = .previous
    case ("move", 2): self = .move(from: numbers[0], to: numbers[1])
    case ("drop", 1): self = .drop(numbers[0])
    case ("move", _):
      throw HeadlessCommand.Problem(description: "move needs two positions, as in: move 3 1")
    case ("drop", _):
      throw HeadlessCommand.Problem(description: "drop needs a position, as in: drop 2")
    default:
      throw HeadlessCommand.Problem(description: "“\(word)” isn't a command for the playlist")
    }
  }
}

extension Theater {
  func carryOut(_ command: PlaylistCommand) async throws {
    switch command {
    case .enqueue(let location): try await enqueue(location)
    case .next: try await advance(by: 1)
    case .previous: try await advance(by: -1)
    case .move(let from, let to): try await move(from: from, to: to)
    case .drop(let index): try await drop(at: index)
    }
  }
}
