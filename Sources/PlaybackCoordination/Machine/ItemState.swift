import Foundation
import GroupActivities
import Timekeeping

/// What the group has agreed on for one item: the newest stamp wins.
struct ItemState: Hashable, Sendable, Codable {
  var item: String
  var stamp: Stamp
  /// Who asked for it; stays when somebody else publishes the start that was asked for.
  var originator: Participant.ID
  /// What was done, for the notes of who did what.
  var change: CoordinatedChange.Kind
  /// The rate at which it plays, or will when it plays again. Never zero.
  var rate: Double
  var phase: Phase

  /// `paused` → `starting` when somebody plays, `starting` → `playing` when all are ready or the due
  /// date passes, `playing` → `starting` on a seek, and any → `paused`.
  enum Phase: Hashable, Sendable {
    /// - Parameter isExact: whether `itemTime` is the frame on which everybody is to stand. A pause
    ///   is published first with the time at which it was asked for, then with the frame that the
    ///   originator's player stopped on.
    case paused(at: MediaTime, isExact: Bool)
    /// All get ready at `itemTime`; never waits beyond `due`.
    case starting(from: MediaTime, due: GroupTime)
    case playing(Timeline)
  }

  /// Where the item is at `time`.
  func itemTime(at time: GroupTime) -> MediaTime {
    switch phase {
    case .paused(let at, _): at
    case .starting(let from, _): from
    case .playing(let timeline): timeline.itemTime(at: time, rate: rate)
    }
  }

  /// Short keys: a state travels in every beacon.
  private enum CodingKeys: String, CodingKey {
    case item = "i"
    case stamp = "s"
    case originator = "o"
    case change = "c"
    case rate = "r"
    case phase = "p"
  }

  var isPlaying: Bool { if case .playing = phase { true } else { false } }
  var isPaused: Bool { if case .paused = phase { true } else { false } }
}

/// A line through group time: at `groupTime` the item is at `itemTime`, and moves at the item's rate.
struct Timeline: Hashable, Sendable, Codable {
  var itemTime: MediaTime
  /// May lie ahead: a scheduled start, or a scheduled change of rate.
  var groupTime: GroupTime
  /// The rate until `groupTime`: zero for a start, the old rate for a change of rate.
  var previousRate: Double

  private enum CodingKeys: String, CodingKey {
    case itemTime = "t"
    case groupTime = "g"
    case previousRate = "b"
  }

  func itemTime(at time: GroupTime, rate: Double) -> MediaTime {
    itemTime + (time - groupTime) * (time < groupTime ? previousRate : rate)
  }
}

extension ItemState {
  /// What can be true of a state at all; anything else comes from a broken or hostile peer.
  func isSensible(at now: GroupTime) -> Bool {
    guard (1...ItemState.identifierLimit).contains(item.utf8.count),
      CoordinatorMachine.rates.contains(rate)
    else { return false }
    // A live stream's places are dates, in time since 1970: up to the year 2128.
    let places = MediaTime(seconds: -60)...MediaTime(seconds: 5e9)
    switch phase {
    case .paused(let at, _): return places.contains(at)
    case .starting(let from, let due):
      return places.contains(from) && due - now <= CoordinatorMachine.longestWait
    case .playing(let timeline):
      // The rate first: the rest is calculated with it.
      guard
        timeline.previousRate == 0 || CoordinatorMachine.rates.contains(timeline.previousRate)
      else { return false }
      let here = timeline.itemTime(at: now, rate: rate)
      // No film is longer than eleven days.
      return places.contains(timeline.itemTime) && places.contains(here)
        && (here - timeline.itemTime).inSeconds.magnitude <= 1_000_000
        && timeline.groupTime - now <= CoordinatorMachine.longestLead
    }
  }

  static let identifierLimit = 1024
}

/// Something that somebody did to everybody's playback.
public struct CoordinatedChange: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, Codable {
    case play, pause, seek, rate
    /// The item came to its end.
    case ended
    /// A state that a participant brought along, for an item that had none.
    case proposed
  }

  public var kind: Kind
  public var originator: Participant.ID
  public var itemTime: MediaTime
  public var rate: Double
}

extension ItemState {
  /// Returns whether this gives way to another state of the item. All prefer the same one, also of two that an author
  /// signed under one stamp for different participants.
  func isOlder(than other: ItemState) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    return self != other && provenBytes.lexicographicallyPrecedes(other.provenBytes)
  }

  /// The part of the signed bytes that the state gives: all of it, with the item. The party adds itself, the session and
  /// the purpose.
  var provenBytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      return Array(try encoder.encode(self))
    } catch {
      preconditionFailure("a state can't be encoded: \(error)")
    }
  }
}
