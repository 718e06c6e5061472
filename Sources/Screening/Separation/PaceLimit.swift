import Timekeeping

/// Decides when a player that can't keep up goes on at its own pace, and when it tries again to follow the group.
///
/// A machine that is too slow for a film at its rate falls behind again after each seek to the group's position, and
/// would seek for ever. The time out of step accumulates, and decreases while the player is in step.
package struct PaceLimit: Hashable, Sendable {
  /// The film and its rate. What is too much at one rate may be possible at another.
  package struct Playback: Hashable, Sendable {
    package var item: String?
    package var rate: Double

    package init(item: String?, rate: Double) {
      self.item = item
      self.rate = rate
    }
  }

  /// The next step for a player.
  package enum Step: Hashable, Sendable {
    /// Follow the group.
    case follow
    /// Go on apart from the group.
    ///
    /// - Parameter isNews: whether the user hasn't been informed about this film at this rate.
    case separate(isNews: Bool)
  }

  private struct Progress: Hashable, Sendable {
    /// The player's position; nil if it stood.
    var itemTime: MediaTime?
    var hostTime: HostTime
  }

  /// The distance from the group's position within which a player is in step.
  package static let reach = Duration.milliseconds(100)
  /// The accumulated time out of step after which a player goes on at its own pace: that of three recoveries or so.
  static let limit = Duration.seconds(10)
  /// The longest time that counts between two notes: a process that was suspended in between wasn't too slow.
  static let longestStep = Duration.seconds(1)
  /// The times for which a separated player must keep its rate before it rejoins: the first, then twice the one before.
  static let trials = Duration.seconds(10) ... .seconds(600)
  /// The part of its rate that a player reaches that keeps up: its own measurements are less exact than a clock.
  static let share = 0.99
  /// The shortest time after which a player's progress shows whether it keeps up.
  static let shortest = Duration.seconds(2)

  private var playback: Playback?
  private var lost = Duration.zero
  private var last: HostTime?
  private var wasTold = false
  private var trial = Self.trials.lowerBound
  /// The beginning of the time in which a separated player has kept its rate.
  private var begin: Progress?

  package init() {}

  /// Notes whether the player is in step. It is called at regular intervals while the group plays.
  package mutating func note(isInStep: Bool, in playback: Playback, at now: HostTime) -> Step {
    if playback != self.playback {
      self = PaceLimit()
      self.playback = playback
    }
    begin = nil
    let step = last.map { min(max(.zero, now - $0), Self.longestStep) } ?? .zero
    last = now
    lost = isInStep ? max(.zero, lost - step / 4) : lost + step
    guard lost >= Self.limit else { return .follow }
    interrupted()
    defer { wasTold = true }
    return .separate(isNews: !wasTold)
  }

  /// The time until the next note doesn't count, because the player waits for data.
  package mutating func waited() { last = nil }

  /// A command, a pause or a lack of data makes the earlier time out of step meaningless.
  package mutating func interrupted() {
    lost = .zero
    last = nil
  }

  /// Notes the progress of a player that goes on at its own pace.
  ///
  /// - Parameter itemTime: the player's position; nil if it stands, so that nothing shows whether it could keep up.
  /// - Returns: whether it tries to follow the group again.
  package mutating func played(to itemTime: MediaTime?, at now: HostTime) -> Bool {
    guard let begin, (begin.itemTime == nil) == (itemTime == nil) else {
      self.begin = Progress(itemTime: itemTime, hostTime: now)
      return false
    }
    let time = now - begin.hostTime
    if let itemTime, let first = begin.itemTime, let rate = playback?.rate {
      guard time >= Self.shortest else { return false }
      guard itemTime - first >= time * (rate * Self.share) else {
        self.begin = Progress(itemTime: itemTime, hostTime: now)
        return false
      }
    }
    guard time >= trial else { return false }
    self.begin = nil
    trial = min(trial * 2, Self.trials.upperBound)
    return true
  }
}
