import GroupActivities
import PlaybackCoordination
import Timekeeping

/// One participant's commands within seconds of each other, merged into one story line: a key that seeks is often
/// pressed repeatedly.
struct CommandRun: Hashable, Sendable {
  /// The longest pause between two commands of one run.
  static let gap = Duration.seconds(5)

  let originator: Participant.ID
  /// The identifier of the run's story line.
  let line: Int
  private var last: HostTime
  private var hasSought = false
  private var transport: CoordinatedChange.Kind?
  private var position: MediaTime
  private var rate: Double?

  /// - Parameter change: a participant's command, neither the end of an item nor a proposal.
  init(_ change: CoordinatedChange, line: Int, at now: HostTime) {
    originator = change.originator
    self.line = line
    last = now
    position = change.itemTime
    note(change)
  }

  /// Returns a Boolean value that indicates whether a command belongs to this run.
  func accepts(_ change: CoordinatedChange, at now: HostTime) -> Bool {
    change.originator == originator && now - last < Self.gap
      && (change.kind == .rate) == (rate != nil)
  }

  /// Adds another command to the run.
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
