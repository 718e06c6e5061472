import Timekeeping

@testable import PlaybackCoordination

/// A player with the habits of a real one: seeks take a while, and starts are a little late.
struct SimulatedPlayer {
  private(set) var rate = 0.0
  private var place = MediaTime.zero
  private var since = HostTime(nanoseconds: 0)
  /// What is still to be done, and the command that it completes.
  private var pending: [Step] = []
  /// From now on every seek takes this long, and no start succeeds before: a stalled player.
  var seekCost = Duration.milliseconds(40)

  private struct Step {
    var at: HostTime
    var rate: Double
    var place: MediaTime?
    var completes: UInt64?
  }

  enum Command {
    case play(rate: Double, itemTime: MediaTime, hostTime: HostTime)
    case pause
    case buffer
    case seek(MediaTime)
  }

  var nextStep: HostTime? { pending.map(\.at).min() }

  func itemTime(at now: HostTime) -> MediaTime { place + (now - since) * rate }

  mutating func carryOut(_ command: Command, id: UInt64, at now: HostTime, delay: Duration) {
    pending = []
    switch command {
    case .pause:
      settle(at: now)
      rate = 0
      pending = [Step(at: now + delay, rate: 0, place: nil, completes: id)]
    case .buffer:
      settle(at: now)
      rate = 0
      pending = [Step(at: now + delay + seekCost / 2, rate: 0, place: nil, completes: id)]
    case .seek(let target):
      settle(at: now)
      rate = 0
      pending = [Step(at: now + delay + seekCost, rate: 0, place: target, completes: id)]
    case .play(let newRate, let itemTime, let hostTime):
      if hostTime > now {
        pending = [Step(at: hostTime + delay, rate: newRate, place: nil, completes: id)]
        let error = (self.itemTime(at: hostTime) - itemTime).inSeconds
        if abs(error) > 0.001 { pending[0].place = itemTime + delay * newRate }
      } else {
        // Where the line will be once the seek is done.
        let landing = now + delay + seekCost
        pending = [
          Step(
            at: landing, rate: newRate, place: itemTime + (landing - hostTime) * newRate,
            completes: id)
        ]
      }
    }
  }

  /// - Returns: the commands that completed by now, each with where the player then stood.
  mutating func advance(to now: HostTime) -> [(id: UInt64, itemTime: MediaTime)] {
    var completed: [(UInt64, MediaTime)] = []
    for step in pending.filter({ $0.at <= now }).sorted(by: { $0.at < $1.at }) {
      settle(at: step.at)
      if let target = step.place { place = target }
      rate = step.rate
      if let id = step.completes { completed.append((id, itemTime(at: step.at))) }
    }
    pending.removeAll { $0.at <= now }
    return completed
  }

  private mutating func settle(at now: HostTime) {
    place = itemTime(at: now)
    since = now
  }
}
