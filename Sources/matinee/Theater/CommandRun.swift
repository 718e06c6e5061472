import GroupActivities
import PlaybackCoordination
import Timekeeping

/// One participant's commands that follow each other within seconds, told as one: a key that seeks is pressed more than
/// once.
struct CommandRun: Hashable, Sendable {
  /// A longer pause between two commands begins another run.
  static let gap = Duration.seconds(5)

  let originator: Participant.ID
  /// The story's line about it.
  let line: Int
  private var last: HostTime
  private var hasSought = false
  private var transport: CoordinatedChange.Kind?
  private var position: MediaTime
  private var rate: Double?

  /// - Parameter change: a command of a participant: not the end of an item, and no proposal.
  init(_ change: CoordinatedChange, line: Int, at now: HostTime) {
    originator = change.originator
    self.line = line
    last = now
    position = change.itemTime
    note(change)
  }

  /// Returns whether a command belongs to this run.
  func accepts(_ change: CoordinatedChange, at now: HostTime) -> Bool {
    change.originator == originator && now - last < Self.gap
      && (change.kind == .rate) == (rate != nil)
  }

  /// Takes in another command.
  ///
  /// - Returns: false if it doesn't belong to this run.
  mutating func add(_ change: CoordinatedChange, at now: HostTime) -> Bool {
    guard accepts(change, at: now) else { return false }
    last = now
    note(change)
    return true
  }

  private mutating func note(_ change: CoordinatedChange) {
    position = change.itemTime
    switch change.kind {
    case .seek:
      hasSought = true
      if transport == .play { transport = nil }
    case .play, .pause: transport = change.kind
    case .rate: rate = change.rate
    case .ended, .proposed: break
    }
  }

  /// A Boolean value that indicates whether more commands are likely to follow at once.
  var isUnsettled: Bool { hasSought || rate != nil }

  var words: String {
    let clock = StoryWords.clock(position)
    if let rate { return "set the speed to \(StoryWords.rate(rate))" }
    return switch (transport, hasSought) {
    case (.pause, _): "paused at \(clock)"
    case (.play, true): "pressed play at \(clock)"
    case (.play, false): "pressed play"
    default: "went to \(clock)"
    }
  }
}
