import Foundation
import Timekeeping

/// The result of a handler. Mirrors `MPRemoteCommandHandlerStatus`.
public enum RemoteCommandStatus: Hashable, Sendable {
  /// The command was carried out.
  case success
  /// The requested content doesn't exist, or no longer.
  case noSuchContent
  /// There is no item to which the command could apply.
  case noActionableNowPlayingItem
  /// A necessary device is missing, for example an output.
  case deviceNotFound
  /// The command failed for another reason, or it has no handler.
  case commandFailed
}

/// The parameters of a command. Mirrors `MPRemoteCommandEvent` and its subclasses.
public protocol RemoteCommandEvent: Sendable {
  /// The settings of a command that a program may make beforehand.
  associatedtype Settings: Sendable, Hashable = NoSettings
  /// The settings of a command that the program hasn't configured.
  static var initialSettings: Settings { get }
}

/// The settings of a command that has none.
public struct NoSettings: Hashable, Sendable {}

extension RemoteCommandEvent where Settings == NoSettings {
  /// The settings of a command that has none.
  public static var initialSettings: NoSettings { NoSettings() }
}

/// An event without parameters: play, pause, stop, next.
public struct PlainEvent: RemoteCommandEvent, Hashable {}

/// Mirrors `MPSkipIntervalCommandEvent`.
public struct SkipIntervalEvent: RemoteCommandEvent, Hashable {
  /// The settings of a skip command: see ``RemoteCommand/preferredIntervals``.
  public struct Settings: Hashable, Sendable { var preferredIntervals: [Duration] = [] }

  /// No preferred interval.
  public static var initialSettings: Settings { Settings() }

  /// The distance, above zero, in content time.
  public var interval: Duration
}

/// Mirrors `MPChangePlaybackPositionCommandEvent`.
public struct ChangePlaybackPositionEvent: RemoteCommandEvent, Hashable {
  /// The target, in item time: advertisements before it count.
  public var positionTime: MediaTime
}

/// Mirrors `MPChangePlaybackRateCommandEvent`.
public struct ChangePlaybackRateEvent: RemoteCommandEvent, Hashable {
  /// The settings of the rate command: see ``RemoteCommand/supportedPlaybackRates``.
  public struct Settings: Hashable, Sendable {
    var supportedPlaybackRates: ClosedRange<Double> = 1...1
  }

  /// No other rate than 1.
  public static var initialSettings: Settings { Settings() }

  /// The rate, within the supported range.
  public var playbackRate: Double
}

/// A change of the volume. Apple leaves the volume to the system.
public struct ChangeVolumeEvent: RemoteCommandEvent, Hashable {
  /// The volume, zero or more; 1 is full.
  public var volume: Double
}

/// Mirrors `MPChangeRepeatModeCommandEvent`.
public struct ChangeRepeatModeEvent: RemoteCommandEvent, Hashable {
  /// The requested repetition.
  public var repeatMode: NowPlayingState.RepeatMode
}

/// Mirrors `MPChangeShuffleModeCommandEvent`.
public struct ChangeShuffleModeEvent: RemoteCommandEvent, Hashable {
  /// A Boolean value that indicates whether to shuffle.
  public var isShuffled: Bool
}

/// A change to or from the full screen. Apple has no such command.
public struct ChangeFullscreenEvent: RemoteCommandEvent, Hashable {
  /// A Boolean value that indicates whether to cover the whole screen.
  public var isFullscreen: Bool
}

/// An entry of the queue. Apple has no such command.
public struct QueueItemEvent: RemoteCommandEvent, Hashable {
  /// ``NowPlayingItem/id`` of an entry of ``NowPlayingState/queue``.
  public var id: NowPlayingItem.ID
}

/// An addition to the queue. Apple has no such command.
public struct AddToQueueEvent: RemoteCommandEvent, Hashable {
  /// A URL with a scheme that the application supports.
  public var url: URL
  /// The entry before the new one; nil for the beginning.
  public var after: NowPlayingItem.ID?
  /// A Boolean value that indicates whether to play the new entry at once.
  public var becomesCurrent: Bool
}

/// A request to open a URL. Apple has no such command.
public struct OpenURLEvent: RemoteCommandEvent, Hashable {
  /// A URL with a scheme that the application supports.
  public var url: URL
}
