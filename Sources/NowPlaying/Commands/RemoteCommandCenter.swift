import Foundation
import Timekeeping

/// The commands that other programs may request from a session. Mirrors `MPRemoteCommandCenter`.
///
/// Commands are carried out one after another, in the order of the requests.
public final class RemoteCommandCenter: Sendable {
  public let playCommand: RemoteCommand<PlainEvent>
  public let pauseCommand: RemoteCommand<PlainEvent>
  public let togglePlayPauseCommand: RemoteCommand<PlainEvent>
  public let stopCommand: RemoteCommand<PlainEvent>
  public let skipForwardCommand: RemoteCommand<SkipIntervalEvent>
  public let skipBackwardCommand: RemoteCommand<SkipIntervalEvent>
  public let changePlaybackPositionCommand: RemoteCommand<ChangePlaybackPositionEvent>
  public let nextTrackCommand: RemoteCommand<PlainEvent>
  public let previousTrackCommand: RemoteCommand<PlainEvent>
  public let changePlaybackRateCommand: RemoteCommand<ChangePlaybackRateEvent>
  public let changeVolumeCommand: RemoteCommand<ChangeVolumeEvent>
  public let changeRepeatModeCommand: RemoteCommand<ChangeRepeatModeEvent>
  public let changeShuffleModeCommand: RemoteCommand<ChangeShuffleModeEvent>
  public let changeFullscreenCommand: RemoteCommand<ChangeFullscreenEvent>
  public let playQueueItemCommand: RemoteCommand<QueueItemEvent>
  public let removeQueueItemCommand: RemoteCommand<QueueItemEvent>
  public let addToQueueCommand: RemoteCommand<AddToQueueEvent>
  public let openURLCommand: RemoteCommand<OpenURLEvent>
  public let raiseCommand: RemoteCommand<PlainEvent>
  public let quitCommand: RemoteCommand<PlainEvent>

  init(changed: @escaping @Sendable () -> Void) {
    playCommand = RemoteCommand(changed: changed)
    pauseCommand = RemoteCommand(changed: changed)
    togglePlayPauseCommand = RemoteCommand(changed: changed)
    stopCommand = RemoteCommand(changed: changed)
    skipForwardCommand = RemoteCommand(changed: changed)
    skipBackwardCommand = RemoteCommand(changed: changed)
    changePlaybackPositionCommand = RemoteCommand(changed: changed)
    nextTrackCommand = RemoteCommand(changed: changed)
    previousTrackCommand = RemoteCommand(changed: changed)
    changePlaybackRateCommand = RemoteCommand(changed: changed)
    changeVolumeCommand = RemoteCommand(changed: changed)
    changeRepeatModeCommand = RemoteCommand(changed: changed)
    changeShuffleModeCommand = RemoteCommand(changed: changed)
    changeFullscreenCommand = RemoteCommand(changed: changed)
    playQueueItemCommand = RemoteCommand(changed: changed)
    removeQueueItemCommand = RemoteCommand(changed: changed)
    addToQueueCommand = RemoteCommand(changed: changed)
    openURLCommand = RemoteCommand(changed: changed)
    raiseCommand = RemoteCommand(changed: changed)
    quitCommand = RemoteCommand(changed: changed)
  }

  /// The commands' availability, as a value.
  var availability: CommandAvailability {
    var availability = CommandAvailability()
    func add<Event>(_ kind: CommandAvailability.Kind, _ command: RemoteCommand<Event>) {
      guard command.hasTargets else { return }
      availability.handled.insert(kind)
      if command.isAvailable { availability.enabled.insert(kind) }
    }
    add(.play, playCommand)
    add(.pause, pauseCommand)
    add(.togglePlayPause, togglePlayPauseCommand)
    add(.stop, stopCommand)
    add(.skipForward, skipForwardCommand)
    add(.skipBackward, skipBackwardCommand)
    add(.changePosition, changePlaybackPositionCommand)
    add(.next, nextTrackCommand)
    add(.previous, previousTrackCommand)
    add(.changeRate, changePlaybackRateCommand)
    add(.changeVolume, changeVolumeCommand)
    add(.changeRepeatMode, changeRepeatModeCommand)
    add(.changeShuffleMode, changeShuffleModeCommand)
    add(.changeFullscreen, changeFullscreenCommand)
    add(.playQueueItem, playQueueItemCommand)
    add(.removeQueueItem, removeQueueItemCommand)
    add(.addToQueue, addToQueueCommand)
    add(.openURL, openURLCommand)
    add(.raise, raiseCommand)
    add(.quit, quitCommand)
    availability.forwardInterval = skipForwardCommand.preferredIntervals.first
    availability.backwardInterval = skipBackwardCommand.preferredIntervals.first
    availability.rates = changePlaybackRateCommand.supportedPlaybackRates
    return availability
  }

  func perform(_ request: RemoteCommandRequest) async -> RemoteCommandStatus {
    switch request {
    case .play: await playCommand.perform(PlainEvent())
    case .pause: await pauseCommand.perform(PlainEvent())
    case .togglePlayPause: await togglePlayPauseCommand.perform(PlainEvent())
    case .stop: await stopCommand.perform(PlainEvent())
    case .skipForward(let interval):
      await skipForwardCommand.perform(SkipIntervalEvent(interval: interval))
    case .skipBackward(let interval):
      await skipBackwardCommand.perform(SkipIntervalEvent(interval: interval))
    case .changePosition(let place):
      await changePlaybackPositionCommand.perform(ChangePlaybackPositionEvent(positionTime: place))
    case .next: await nextTrackCommand.perform(PlainEvent())
    case .previous: await previousTrackCommand.perform(PlainEvent())
    case .changeRate(let rate):
      await changePlaybackRateCommand.perform(ChangePlaybackRateEvent(playbackRate: rate))
    case .changeVolume(let volume):
      await changeVolumeCommand.perform(ChangeVolumeEvent(volume: volume))
    case .changeRepeatMode(let mode):
      await changeRepeatModeCommand.perform(ChangeRepeatModeEvent(repeatMode: mode))
    case .changeShuffleMode(let isOn):
      await changeShuffleModeCommand.perform(ChangeShuffleModeEvent(isShuffled: isOn))
    case .changeFullscreen(let isOn):
      await changeFullscreenCommand.perform(ChangeFullscreenEvent(isFullscreen: isOn))
    case .playQueueItem(let id): await playQueueItemCommand.perform(QueueItemEvent(id: id))
    case .removeQueueItem(let id): await removeQueueItemCommand.perform(QueueItemEvent(id: id))
    case .addToQueue(let event): await addToQueueCommand.perform(event)
    case .openURL(let url): await openURLCommand.perform(OpenURLEvent(url: url))
    case .raise: await raiseCommand.perform(PlainEvent())
    case .quit: await quitCommand.perform(PlainEvent())
    }
  }
}

/// The offered commands, and the ones that are possible now.
struct CommandAvailability: Hashable, Sendable {
  enum Kind: Hashable, Sendable, CaseIterable {
    case play, pause, togglePlayPause, stop, skipForward, skipBackward, changePosition, next,
      previous, changeRate, changeVolume, changeRepeatMode, changeShuffleMode, changeFullscreen,
      playQueueItem, removeQueueItem, addToQueue, openURL, raise, quit
  }

  /// The commands with a handler.
  var handled: Set<Kind> = []
  /// The commands with a handler that are possible now.
  var enabled: Set<Kind> = []
  var forwardInterval: Duration?
  var backwardInterval: Duration?
  var rates: ClosedRange<Double> = 1...1
}

/// A request from another program, after all rules were applied.
enum RemoteCommandRequest: Hashable, Sendable {
  case play, pause, togglePlayPause, stop, next, previous, raise, quit
  case skipForward(Duration)
  case skipBackward(Duration)
  /// A position in item time.
  case changePosition(MediaTime)
  case changeRate(Double)
  case changeVolume(Double)
  case changeRepeatMode(NowPlayingState.RepeatMode)
  case changeShuffleMode(Bool)
  case changeFullscreen(Bool)
  case playQueueItem(NowPlayingItem.ID)
  case removeQueueItem(NowPlayingItem.ID)
  case addToQueue(AddToQueueEvent)
  case openURL(URL)
}
