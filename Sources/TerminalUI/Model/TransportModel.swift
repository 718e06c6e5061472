import Screening
import Timekeeping

/// The player's position and activity.
package struct TransportModel: Hashable, Sendable {
  /// The player's activity.
  package enum Status: Hashable, Sendable {
    /// No item is open.
    case empty
    /// The player is opening an item.
    case opening
    /// The item plays.
    case playing
    /// The group is paused.
    case paused
    /// Playback pauses until the group starts together.
    case waiting
    /// Playback pauses because data is missing.
    case buffering
    /// The item has been played to its end.
    case ended
    /// This participant is separated from the group, for the given reason: "stepped away", "catching up".
    case suspended(TerminalText)

    /// A Boolean value that indicates whether the picture doesn't change.
    var isStill: Bool {
      switch self {
      case .paused, .waiting, .ended: true
      case .empty, .opening, .playing, .buffering, .suspended: false
      }
    }
  }

  /// The player's activity.
  package var status: Status
  /// The position in the item; beyond its ends the playhead stays at the end.
  package var itemTime: MediaTime
  /// The item's duration; nil while unknown, and for live streams.
  package var duration: MediaTime?
  /// The parts that the player holds in memory, ascending. Parts outside the item are ignored.
  package var buffered: [Range<MediaTime>]
  /// The speed; 1 is normal.
  package var rate: Double
  /// The volume in per cent of full volume; nil if the player has no sound.
  package var volume: Double?
  /// A Boolean value that indicates whether the sound is off, whatever the volume.
  package var isMuted: Bool
  package var ducking: Ducking
  /// The beginnings of the chapters, ascending; empty if the item has none.
  package var chapters: [MediaTime]

  package init(
    status: Status = .empty, itemTime: MediaTime = .zero, duration: MediaTime? = nil,
    buffered: [Range<MediaTime>] = [], rate: Double = 1, volume: Double? = nil,
    isMuted: Bool = false, ducking: Ducking = Ducking(),
    chapters: [MediaTime] = []
  ) {
    self.status = status
    self.itemTime = itemTime
    self.duration = duration
    self.buffered = buffered
    self.rate = rate
    self.volume = volume
    self.isMuted = isMuted
    self.ducking = ducking
    self.chapters = chapters
  }
}
