import Timekeeping

/// Where playback is, and what it is doing.
public struct TransportModel: Hashable, Sendable {
  /// What the player is doing.
  public enum Status: Hashable, Sendable {
    /// Nothing is open.
    case empty
    /// The player is opening something.
    case opening
    case playing
    case paused
    /// Stands still until the group starts together.
    case waiting
    /// Stands still because data is missing.
    case buffering
    case seeking
    /// The item has been played to its end.
    case ended
    /// Oneself is separated from the group; the reason is for people: "stepped away", "catching up".
    case suspended(TerminalText)
    case failed(TerminalText)

    /// Whether the picture stays the one that it is.
    var isStanding: Bool {
      switch self {
      case .paused, .waiting, .ended: true
      case .empty, .opening, .playing, .buffering, .seeking, .suspended, .failed: false
      }
    }
  }

  /// What the player is doing.
  public var status: Status
  /// The place in the item; beyond its ends the playhead stays at the end.
  public var itemTime: MediaTime
  /// Nil while unknown, and for live streams.
  public var duration: MediaTime?
  /// What the player holds in memory, ascending. Parts outside the item are ignored.
  public var buffered: [Range<MediaTime>]
  /// 1 is normal speed.
  public var rate: Double
  /// Per cent of full volume; nil if the player has no sound.
  public var volume: Double?
  /// No sound is heard, whatever the volume.
  public var isMuted: Bool
  /// Where chapters begin, ascending; empty if the item has none.
  public var chapters: [MediaTime]

  public init(
    status: Status = .empty, itemTime: MediaTime = .zero, duration: MediaTime? = nil,
    buffered: [Range<MediaTime>] = [], rate: Double = 1, volume: Double? = nil,
    isMuted: Bool = false,
    chapters: [MediaTime] = []
  ) {
    self.status = status
    self.itemTime = itemTime
    self.duration = duration
    self.buffered = buffered
    self.rate = rate
    self.volume = volume
    self.isMuted = isMuted
    self.chapters = chapters
  }
}
