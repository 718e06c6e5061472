import Foundation
import Timekeeping

/// The commands that other programs may request from a session. Mirrors `MPRemoteCommandCenter`.
///
/// Commands are carried out one after another, in the order of the requests.
public final class RemoteCommandCenter: Sendable {
  /// Starts or resumes playback (MPRIS `Play`).
  public let playCommand: RemoteCommand<PlainEvent>
  /// Pauses playback (`Pause`).
  public let pauseCommand: RemoteCommand<PlainEvent>
  /// Pauses if playing, otherwise plays (`PlayPause`). Without handlers for ``playCommand`` and ``pauseCommand``,
  /// this one answers those too.
  public let togglePlayPauseCommand: RemoteCommand<PlainEvent>
  /// Stops playback (`Stop`).
  public let stopCommand: RemoteCommand<PlainEvent>
  /// Skips forward by an interval (`Seek` with an offset above zero).
  public let skipForwardCommand: RemoteCommand<SkipIntervalEvent>
  /// Skips backward by an interval (`Seek` with an offset below zero).
  public let skipBackwardCommand: RemoteCommand<SkipIntervalEvent>
  /// Goes to a position in the current item (`SetPosition`; `Seek` if the skip commands have no handler).
  public let changePlaybackPositionCommand: RemoteCommand<ChangePlaybackPositionEvent>
  /// Goes to the next entry of the queue (`Next`).
  public let nextTrackCommand: RemoteCommand<PlainEvent>
  /// Goes to the previous entry of the queue (`Previous`).
  public let previousTrackCommand: RemoteCommand<PlainEvent>
  /// Changes the rate (`Rate`). A request for rate 0 is a pause.
  public let changePlaybackRateCommand: RemoteCommand<ChangePlaybackRateEvent>
  /// Changes the volume (`Volume`).
  public let changeVolumeCommand: RemoteCommand<ChangeVolumeEvent>
  /// Changes the repetition of the queue (`LoopStatus`).
  public let changeRepeatModeCommand: RemoteCommand<ChangeRepeatModeEvent>
  /// Turns shuffling of the queue on or off (`Shuffle`).
  public let changeShuffleModeCommand: RemoteCommand<ChangeShuffleModeEvent>
  /// Enters or leaves the full screen (`Fullscreen`).
  public let changeFullscreenCommand: RemoteCommand<ChangeFullscreenEvent>
  /// Plays an entry of the queue (`GoTo`).
  public let playQueueItemCommand: RemoteCommand<QueueItemEvent>
  /// Removes an entry from the queue (`RemoveTrack`). Offered only together with ``addToQueueCommand``.
  public let removeQueueItemCommand: RemoteCommand<QueueItemEvent>
  /// Adds a URL to the queue (`AddTrack`). Offered only together with ``removeQueueItemCommand``.
  public let addToQueueCommand: RemoteCommand<AddToQueueEvent>
  /// Opens a URL whose scheme is one of the application's (`OpenUri`).
  public let openURLCommand: RemoteCommand<OpenURLEvent>
  /// Brings the program's window to the front (`Raise`).
  public let raiseCommand: RemoteCommand<PlainEvent>
  /// Ends the program (`Quit`). The requester gets its answer before the handler is called.
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
    case .changePosition(let position):
      await changePlaybackPositionCommand.perform(
        ChangePlaybackPositionEvent(positionTime: position))
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
