import Concurrency
import PlaybackCoordination
import Timekeeping

/// The commands of a guest's coordinator that its player, on another machine, hasn't carried out.
struct GuestOrders: Sendable {
  typealias Answer = OneShot<CommandResult>

  private var last = 0
  private var open: [Int: Answer] = [:]

  /// The longest time that a player has for a command: longer than a group waits for it.
  private static let limit = Duration.seconds(20)

  /// Begins a command, which supersedes the earlier ones: a player carries out the newest one only.
  mutating func begin() -> (number: Int, answer: Answer) {
    endAll(.superseded)
    last += 1
    let answer = Answer()
    open[last] = answer
    return (last, answer)
  }

  mutating func end(_ number: Int, _ result: CommandResult) {
    open.removeValue(forKey: number)?.fulfil(result)
  }

  mutating func endAll(_ result: CommandResult) {
    for answer in open.values { answer.fulfil(result) }
    open = [:]
  }

  /// Waits until the player has carried out a command, or a newer one supersedes it.
  func wait(for answer: Answer) async -> CommandResult {
    let result = await withTaskCancellationHandler {
      await answer.value(atMost: Self.limit)
    } onCancel: {
      answer.fulfil(.superseded)
    }
    return result ?? .failed(.stallRecovery)
  }
}
