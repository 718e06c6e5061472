import GroupActivities
import Timekeeping

/// The end of the item.
extension DelegatingPlaybackCoordinator {
  /// Reports that the player reached the end of the current item by playing.
  ///
  /// The item ends for the group when the group's position reaches the end that the participants who know it agree on,
  /// within a second. A participant whose copy is shorter waits at its own end.
  ///
  /// - Returns: false if the item continues for the group beyond this end, or the group has gone elsewhere meanwhile.
  @discardableResult
  public func playerDidReachEnd(at itemTime: MediaTime) -> Bool {
    let (end, now) = (interstitials.contentTime(ofItemTime: itemTime), now)
    perform(machine.playerReachedEnd(at: end, now: now))
    return machine.isOver(at: end, now: now)
  }

  /// Reports that the player is at another position without a command of the coordinator, because its user moved it.
  ///
  /// The group follows, unless it is one of a player's last steps at the end of the item.
  ///
  /// - Throws: ``CoordinationError/noCurrentItem``, ``CoordinationError/notPermitted``.
  public func playerDidSeek(to itemTime: MediaTime) throws(CoordinationError) {
    guard machine.state != nil else { throw .noCurrentItem }
    try requirePermission()
    perform(machine.playerSought(to: interstitials.contentTime(ofItemTime: itemTime), at: now))
  }

  /// Reports that playback jumped by itself while the player followed its line: at a gap in the item's time stamps, or
  /// where they begin again.
  ///
  /// The group's position jumps too. The other players are left alone, because they jump at the same moment.
  ///
  /// - Parameters:
  ///   - itemTime: the moving player's position after the jump.
  ///   - hostTime: the time at which the player was there.
  public func playerDidJump(to itemTime: MediaTime, hostTime: HostTime) {
    perform(
      machine.playerJumped(
        to: interstitials.contentTime(ofItemTime: itemTime), at: reading.groupTime(at: hostTime),
        now: now))
  }

  /// Reports the end of the current item in this player's copy.
  ///
  /// - Parameter end: nil while it isn't known, and for an item without an end, such as a live stream.
  public func reportItemEnd(_ end: MediaTime?) {
    let end = end.map(interstitials.contentTime)
    guard end != machine.copyEnd.named else { return }
    perform(machine.setItemEnd(end, at: now))
  }

  /// Returns the end of an item in the others' copies, for a participant who has none; nil while it isn't known.
  package func end(ofItem identifier: String) -> MediaTime? {
    machine.othersEnd(of: identifier).map(interstitials.itemTime)
  }

  /// The item's end for the group: the latest of the participants' copies; nil while none is known.
  public var groupItemEnd: MediaTime? { machine.groupEnd.map(interstitials.itemTime) }
}
