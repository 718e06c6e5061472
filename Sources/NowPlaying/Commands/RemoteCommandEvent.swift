import Foundation
import Timekeeping

/// What a handler says of a command. Mirrors `MPRemoteCommandHandlerStatus`.
public enum RemoteCommandStatus: Hashable, Sendable {
  case success
  /// What was asked for isn't there (any more).
  case noSuchContent
  /// There is nothing to which the command could apply.
  case noActionableNowPlayingItem
  /// What it would need isn't there: an output, say.
  case deviceNotFound
  case commandFailed
}

/// What comes with a command. Mirrors `MPRemoteCommandEvent` and its subclasses.
public protocol RemoteCommandEvent: Sendable {
  /// What a program may say of the command beforehand.
  associatedtype Settings: Sendable, Hashable
  static var initialSettings: Settings { get }
}

/// Nothing.
public struct NoSettings: Hashable, Sendable {}

extension RemoteCommandEvent where Settings == NoSettings {
  public static var initialSettings: NoSettings { NoSettings() }
}

/// Play, pause, stop, next: nothing comes with it.
public struct PlainEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings
}

/// Mirrors `MPSkipIntervalCommandEvent`.
public struct SkipIntervalEvent: RemoteCommandEvent, Hashable {
  public struct Settings: Hashable, Sendable { var preferredIntervals: [Duration] = [] }

  public static var initialSettings: Settings { Settings() }

  /// By how much, above zero, in content time.
  public var interval: Duration
}

/// Mirrors `MPChangePlaybackPositionCommandEvent`.
public struct ChangePlaybackPositionEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings

  /// Where to go, in item time: advertisements before it count.
  public var positionTime: MediaTime
}

/// Mirrors `MPChangePlaybackRateCommandEvent`.
public struct ChangePlaybackRateEvent: RemoteCommandEvent, Hashable {
  public struct Settings: Hashable, Sendable {
    var supportedPlaybackRates: ClosedRange<Double> = 1...1
  }

  public static var initialSettings: Settings { Settings() }

  /// Within the supported ones.
  public var playbackRate: Double
}

/// Apple leaves the volume to the system.
public struct ChangeVolumeEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings

  /// Zero or more; 1 is full.
  public var volume: Double
}

/// Mirrors `MPChangeRepeatModeCommandEvent`.
public struct ChangeRepeatModeEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings

  public var repeatMode: NowPlayingState.RepeatMode
}

/// Mirrors `MPChangeShuffleModeCommandEvent`.
public struct ChangeShuffleModeEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings

  public var isShuffled: Bool
}

/// The whole screen, or not. Apple has no such command.
public struct ChangeFullscreenEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings

  public var isFullscreen: Bool
}

/// An entry of the queue. Apple has no such command.
public struct QueueItemEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings

  /// ``NowPlayingItem/id`` of an entry of ``NowPlayingState/queue``.
  public var id: NowPlayingItem.ID
}

/// Something for the queue. Apple has no such command.
public struct AddToQueueEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings

  /// Of a scheme that the application names.
  public var url: URL
  /// The entry after which it is wanted; nil for the beginning.
  public var after: NowPlayingItem.ID?
  /// Whether it is to be played at once.
  public var becomesCurrent: Bool
}

/// Something to open. Apple has no such command.
public struct OpenURLEvent: RemoteCommandEvent, Hashable {
  public typealias Settings = NoSettings

  /// Of a scheme that the application names.
  public var url: URL
}
