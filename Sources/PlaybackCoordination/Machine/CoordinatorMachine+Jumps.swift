import Timekeeping

/// Jumps of the film: its time stamps have a gap, or begin again. All copies have the same ones, and their players cross
/// such a place by themselves, at the same moment.
extension CoordinatorMachine {
  /// More than any error of a measurement, and than the time by which players cross a place one after another.
  private static let leastJump = Duration.milliseconds(500)

  /// The player is suddenly elsewhere, without a command and without pausing. The group's line follows it, unless another
  /// participant has published the jump already.
  ///
  /// - Parameters:
  ///   - itemTime: the player's position after the jump.
  ///   - time: the time of that position. It says nothing about a line that begins later.
  mutating func playerJumped(
    to itemTime: MediaTime, at time: GroupTime, now: GroupTime
  ) -> [CoordinatorAction] {
    guard inFlight == nil, isApart || mayControl(me),
      let state, case .playing(let line) = state.phase, line.groupTime <= time,
      (itemTime - state.itemTime(at: time)).magnitude >= Self.leastJump,
      commanded == .playing(line, rate: state.rate)
    else { return [] }
    let jumped = Timeline(
      itemTime: max(.zero, itemTime), groupTime: time, previousRate: state.rate)
    commanded = .playing(jumped, rate: state.rate)
    return continueChange(at: now) { $0.phase = .playing(jumped) }
  }

  /// Leaves the player alone if the line that it follows jumps, because the player jumps by itself. If it doesn't, its
  /// drift is corrected.
  mutating func passJump(to new: ItemState, at now: GroupTime) {
    guard inFlight == nil, case .playing(let line) = new.phase, line.previousRate == new.rate,
      line.groupTime <= now, case .playing(let old, rate: new.rate) = commanded,
      (new.itemTime(at: now) - old.itemTime(at: now, rate: new.rate)).magnitude >= Self.leastJump
    else { return }
    commanded = .playing(line, rate: new.rate)
  }
}
