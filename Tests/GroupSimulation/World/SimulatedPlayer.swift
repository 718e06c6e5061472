import Timekeeping

@testable import PlaybackCoordination

/// A player with the behaviour of a real one: it pauses on frames, seeks take a while, starts are a
/// little late, and a command answers when it is done.
struct SimulatedPlayer {
  /// The loaded item; commands for any other item are stale.
  private(set) var item: String?
  private(set) var rate = 0.0
  /// The audible position.
  private var place = MediaTime.zero
  private var since = HostTime(nanoseconds: 0)
  private var end = MediaTime.zero
  /// The gap in the item's time stamps, over which playback jumps; nil for none.
  private var gap: Range<MediaTime>?
  let frame: Nanoseconds
  /// The duration of a seek.
  var seekCost: Nanoseconds
  /// A Boolean value that indicates whether no data comes in, so that playback stops.
  var isStalled = false
  /// A Boolean value that indicates whether every command fails.
  var isFailing = false
  private(set) var pending: Step?

  /// The next pending action, and the command that it completes.
  struct Step {
    var at: HostTime
    var rate: Double
    /// The position to go to; nil for staying.
    var place: MediaTime?
    var directive: PlayerDirective
    var result: CommandResult
    /// The distance from the line at which playback begins, because there is nothing to show on the line.
    var jump = Nanoseconds.zero

    /// A Boolean value that indicates whether it needs data.
    var isBuffering: Bool {
      switch directive.kind {
      case .buffer, .seekAndBuffer: true
      case .play, .pause, .seek: false
      }
    }
  }

  /// A start that is late by less than this is made at once rather than with a seek.
  private static let stillInTime = Nanoseconds.milliseconds(2)

  struct Answer {
    var directive: PlayerDirective
    var result: CommandResult
  }

  init(frame: Nanoseconds, seekCost: Nanoseconds) {
    self.frame = frame
    self.seekCost = seekCost
  }

  func itemTime(at now: HostTime) -> MediaTime {
    guard rate != 0, !isStalled else { return place }
    var moved = place.nanoseconds + Int64(Double(now.nanoseconds - since.nanoseconds) * rate)
    if let gap, place < gap.lowerBound, moved >= gap.lowerBound.nanoseconds {
      moved += (gap.upperBound - gap.lowerBound).inNanoseconds
    }
    return MediaTime(nanoseconds: min(moved, max(end.nanoseconds, place.nanoseconds)))
  }

  /// Returns the position that a seek reaches: the item has nothing to show in its gap.
  func reachable(_ target: MediaTime) -> MediaTime {
    let target = min(max(target, .zero), end)
    return gap.map { $0.contains(target) ? $0.upperBound : target } ?? target
  }

  /// The jumps that playback made by itself since the last call.
  private(set) var jump = Nanoseconds.zero

  mutating func takeJump(at now: HostTime) -> Nanoseconds {
    settle(at: now)
    defer { jump = 0 }
    return jump
  }

  var isMoving: Bool { rate != 0 && !isStalled }

  func isAtEnd(at now: HostTime) -> Bool { rate != 0 && itemTime(at: now) >= end }

  /// Returns the beginning of the frame that shows at a position, with a tolerance for rounding.
  func shownFrame(at place: MediaTime) -> MediaTime {
    MediaTime(nanoseconds: (place.nanoseconds + 500_000) / frame * frame)
  }

  /// - Returns: the command that this ends, if one was pending.
  mutating func load(
    _ item: String?, duration: Nanoseconds, gap: Range<MediaTime>? = nil
  ) -> PlayerDirective? {
    defer { pending = nil }
    self.item = item
    self.gap = gap
    jump = 0
    end = MediaTime(nanoseconds: duration)
    rate = 0
    place = .zero
    return pending?.directive
  }

  mutating func setStalled(_ value: Bool, at now: HostTime) {
    settle(at: now)
    isStalled = value
  }

  /// Something in the player moves it back, without a command.
  mutating func stray(by distance: Nanoseconds, at now: HostTime) {
    settle(at: now)
    place = MediaTime(nanoseconds: max(0, place.nanoseconds - distance))
  }

  /// Shifts the schedule after the process got no time: the content is still to be played.
  mutating func slept(from start: HostTime, until end: HostTime) {
    since = HostTime(nanoseconds: since.nanoseconds + end.nanoseconds - start.nanoseconds)
  }

  /// - Parameters:
  ///   - hostTime: the time when a play command's line passes its item time.
  ///   - delay: the time that the command takes, apart from a seek.
  /// - Returns: the command that this one supersedes, if one was pending.
  mutating func perform(
    _ directive: PlayerDirective, hostTime: HostTime?, at now: HostTime, delay: Nanoseconds
  ) -> PlayerDirective? {
    let superseded = pending?.directive
    func step(
      after wait: Nanoseconds, rate: Double = 0, to place: MediaTime? = nil, frame: MediaTime? = nil
    ) -> Step {
      Step(
        at: HostTime(nanoseconds: now.nanoseconds + wait), rate: rate, place: place,
        directive: directive,
        result: isFailing ? .failed(.coordinatedPlaybackNotPossible) : .completed(itemTime: frame))
    }
    if isFailing {
      hold(at: now)
      pending = step(after: delay)
      return superseded
    }
    switch directive.kind {
    case .pause:
      hold(at: now)
      place = shownFrame(at: place)
      pending = step(after: delay, frame: place)
    case .buffer:
      hold(at: now)
      pending = step(after: delay + seekCost / 2, frame: shownFrame(at: place))
    case .seek(let asked), .seekAndBuffer(let asked, _, _):
      hold(at: now)
      let target = reachable(asked)
      pending = step(after: delay + seekCost, to: target, frame: shownFrame(at: target))
    case .play(let newRate, let asked, _):
      let line = Line(itemTime: asked, hostTime: hostTime!, rate: newRate)
      let ahead = line.hostTime.nanoseconds - now.nanoseconds
      let standing = itemTime(at: line.hostTime).nanoseconds - reachable(asked).nanoseconds
      if ahead > -Self.stillInTime, standing.magnitude < 1_000_000 {
        let wait = max(ahead, 0) + delay
        pending = step(after: wait, rate: newRate, to: rate == 0 ? nil : line.place(wait - ahead))
        let jump = (reachable(asked) - min(asked, end)).inNanoseconds
        pending?.jump = jump
      } else {
        // Joins the line at its position when the seek is done, or waits for its beginning at that
        // position.
        if ahead > 0 { hold(at: now) }
        let landing = max(ahead, seekCost) + delay
        let target = ahead > seekCost ? asked : line.place(landing - ahead)
        pending = step(after: landing, rate: newRate, to: reachable(target))
        let jump = (reachable(target) - min(max(target, .zero), end)).inNanoseconds
        pending?.jump = jump
      }
    }
    return superseded
  }

  private struct Line {
    var itemTime: MediaTime
    var hostTime: HostTime
    var rate: Double

    /// Returns the line's position a duration after its host time.
    func place(_ later: Nanoseconds) -> MediaTime {
      MediaTime(nanoseconds: itemTime.nanoseconds + Int64(Double(later) * rate))
    }
  }

  /// - Returns: the command that has completed by now.
  mutating func advance(to now: HostTime) -> Answer? {
    guard let step = pending, step.at <= now, !(isStalled && step.isBuffering) else { return nil }
    pending = nil
    settle(at: now)
    if let target = step.place {
      // The position continues from the step's due time, however late this call is.
      let late = Int64(Double(now.nanoseconds - step.at.nanoseconds) * step.rate)
      place = min(MediaTime(nanoseconds: target.nanoseconds + late), max(end, .zero))
    }
    rate = step.rate
    jump += step.jump
    return Answer(directive: step.directive, result: step.result)
  }

  private mutating func hold(at now: HostTime) {
    settle(at: now)
    rate = 0
  }

  private mutating func settle(at now: HostTime) {
    let before = place
    place = itemTime(at: now)
    if let gap, before < gap.lowerBound, place >= gap.upperBound {
      jump += (gap.upperBound - gap.lowerBound).inNanoseconds
    }
    since = now
  }
}
