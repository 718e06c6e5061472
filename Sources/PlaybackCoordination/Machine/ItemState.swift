import Crypto
import GroupActivities
import Timekeeping

/// The group's agreed state of one item: the newest stamp wins.
struct ItemState: Hashable, Sendable {
  var item: String
  var stamp: Stamp
  /// The participant who asked for the state; stays the same when another participant publishes the start.
  var originator: Participant.ID
  /// The change that led to this state, for notes about participants' actions.
  var change: CoordinatedChange.Kind
  /// The rate at which the item plays, or will play again. Never zero.
  var rate: Double
  var phase: Phase

  /// `paused` → `starting` when a participant plays, `starting` → `playing` when all are ready or the due date passes,
  /// `playing` → `starting` on a seek, and any → `paused`.
  enum Phase: Hashable, Sendable {
    /// Paused at a position. A pause is published first with the time at which it was asked for, then with the frame
    /// that the originator's player stopped on.
    ///
    /// - Parameter isExact: whether `itemTime` is the frame at which all participants are to be paused.
    case paused(at: MediaTime, isExact: Bool)
    /// All participants get ready at `itemTime`. The start never waits beyond `due`.
    case starting(from: MediaTime, due: GroupTime)
    case playing(Timeline)
  }

  /// Returns the item's position at `time`.
  func itemTime(at time: GroupTime) -> MediaTime {
    switch phase {
    case .paused(let at, _): at
    case .starting(let from, _): from
    case .playing(let timeline): timeline.itemTime(at: time, rate: rate)
    }
  }

  var isPlaying: Bool { if case .playing = phase { true } else { false } }
  var isPaused: Bool { if case .paused = phase { true } else { false } }
}

/// A line through group time: at `groupTime` the item is at `itemTime`, and moves at the item's rate.
struct Timeline: Hashable, Sendable {
  var itemTime: MediaTime
  /// The time of ``itemTime``. It may lie in the future: a scheduled start, or a scheduled change of rate.
  var groupTime: GroupTime
  /// The rate until `groupTime`: zero for a start, the old rate for a change of rate.
  var previousRate: Double

  func itemTime(at time: GroupTime, rate: Double) -> MediaTime {
    itemTime + (time - groupTime) * (time < groupTime ? previousRate : rate)
  }
}

extension ItemState {
  /// Returns whether the state is plausible. An implausible one comes from a broken or hostile peer.
  func isSensible(at now: GroupTime) -> Bool {
    guard (1...ItemState.identifierLimit).contains(item.utf8.count),
      CoordinatorMachine.rates.contains(rate)
    else { return false }
    // A live stream's positions are dates, in time since 1970: up to the year 2128.
    let positions = MediaTime(seconds: -60)...MediaTime(seconds: 5e9)
    switch phase {
    case .paused(let at, _): return positions.contains(at)
    case .starting(let from, let due):
      return positions.contains(from) && due - now <= CoordinatorMachine.longestWait
    case .playing(let timeline):
      // The rate is checked first: the rest is calculated with it.
      guard
        timeline.previousRate == 0 || CoordinatorMachine.rates.contains(timeline.previousRate)
      else { return false }
      let here = timeline.itemTime(at: now, rate: rate)
      // No film is longer than eleven days.
      return positions.contains(timeline.itemTime) && positions.contains(here)
        && (here - timeline.itemTime).inSeconds.magnitude <= 1_000_000
        && timeline.groupTime - now <= CoordinatorMachine.longestLead
    }
  }

  static let identifierLimit = 1024
}

/// A participant's change of the group's playback.
public struct CoordinatedChange: Hashable, Sendable {
  /// The kind of a change.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Playback starts.
    case play
    /// Playback pauses.
    case pause
    /// The position changes.
    case seek
    /// The rate changes.
    case rate
    /// The item came to its end.
    case ended
    /// A state that a participant brought along, for an item without one.
    case proposed
  }

  /// The kind of the change.
  public var kind: Kind
  /// The participant that made the change.
  public var originator: Participant.ID
  /// The position of the item at the change, in item time of this machine.
  public var itemTime: MediaTime
  /// The rate at which the item plays from now on, or will play again; never zero.
  public var rate: Double

  package init(kind: Kind, originator: Participant.ID, itemTime: MediaTime, rate: Double) {
    self.kind = kind
    self.originator = originator
    self.itemTime = itemTime
    self.rate = rate
  }
}

extension ItemState {
  /// Returns whether this state gives way to another state of the item. All participants prefer the same one, even of
  /// two states that an author signed under one stamp for different participants.
  ///
  /// The one of those with the greater digest prevails. If the greater bytes did, a dishonest author could add to a
  /// number again and again, and each of its states would prevail over the one before; it soon finds no greater digest.
  func isOlder(than other: ItemState) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    guard self != other else { return false }
    return SHA256.hash(data: provenBytes).lexicographicallyPrecedes(
      SHA256.hash(data: other.provenBytes))
  }
}
