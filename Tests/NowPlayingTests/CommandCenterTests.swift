import Synchronization
import Testing
import Timekeeping

@testable import NowPlaying

@Suite("Commands and their handlers")
struct CommandCenterTests {
  private let center = RemoteCommandCenter {}

  @Test("A command without a handler isn't offered, and a disabled one isn't possible")
  func offered() {
    #expect(center.availability.handled.isEmpty)
    let target = center.playCommand.addTarget { _ in .success }
    #expect(center.availability.handled == [.play] && center.availability.enabled == [.play])
    center.playCommand.isEnabled = false
    #expect(center.availability.handled == [.play] && center.availability.enabled.isEmpty)
    center.playCommand.removeTarget(target)
    #expect(center.availability.handled.isEmpty)
  }

  @Test("Every handler is called, in order, and the first failure is reported")
  func handlers() async {
    let log = Mutex<[String]>([])
    for (name, status) in [
      ("a", RemoteCommandStatus.success), ("b", .deviceNotFound), ("c", .commandFailed),
    ] {
      center.changePlaybackRateCommand.addTarget { event in
        log.withLock { $0.append("\(name) \(event.playbackRate)") }
        return status
      }
    }
    #expect(await center.perform(.changeRate(1.5)) == .deviceNotFound)
    #expect(log.withLock { $0 } == ["a 1.5", "b 1.5", "c 1.5"])
    center.changePlaybackRateCommand.isEnabled = false
    #expect(await center.perform(.changeRate(2)) == .commandFailed)
    #expect(log.withLock { $0 }.count == 3)
  }

  @Test("Each request reaches its own command, with its arguments")
  func requests() async {
    let log = Mutex<[String]>([])
    @Sendable func note(_ text: String) -> RemoteCommandStatus {
      log.withLock { $0.append(text) }
      return .success
    }
    center.playCommand.addTarget { _ in note("play") }
    center.pauseCommand.addTarget { _ in note("pause") }
    center.togglePlayPauseCommand.addTarget { _ in note("toggle") }
    center.stopCommand.addTarget { _ in note("stop") }
    center.nextTrackCommand.addTarget { _ in note("next") }
    center.previousTrackCommand.addTarget { _ in note("previous") }
    center.skipForwardCommand.addTarget { note("forward \($0.interval)") }
    center.skipBackwardCommand.addTarget { note("backward \($0.interval)") }
    center.changePlaybackPositionCommand.addTarget { note("to \($0.positionTime.seconds)") }
    center.changeVolumeCommand.addTarget { note("volume \($0.volume)") }
    center.changeRepeatModeCommand.addTarget { note("repeat \($0.repeatMode)") }
    center.changeShuffleModeCommand.addTarget { note("shuffle \($0.isShuffled)") }
    center.changeFullscreenCommand.addTarget { note("fullscreen \($0.isFullscreen)") }
    center.playQueueItemCommand.addTarget { note("go to \($0.id)") }
    center.removeQueueItemCommand.addTarget { note("remove \($0.id)") }
    center.raiseCommand.addTarget { _ in note("raise") }
    center.quitCommand.addTarget { _ in note("quit") }
    let requests: [RemoteCommandRequest] = [
      .play, .pause, .togglePlayPause, .stop, .next, .previous, .skipForward(.seconds(5)),
      .skipBackward(.seconds(7)), .changePosition(MediaTime(seconds: 3)), .changeVolume(0.5),
      .changeRepeatMode(.all), .changeShuffleMode(true), .changeFullscreen(true),
      .playQueueItem("a"), .removeQueueItem("b"), .raise, .quit,
    ]
    for request in requests { #expect(await center.perform(request) == .success) }
    #expect(
      log.withLock { $0 } == [
        "play", "pause", "toggle", "stop", "next", "previous", "forward 5.0 seconds",
        "backward 7.0 seconds", "to 3.0", "volume 0.5", "repeat all", "shuffle true",
        "fullscreen true", "go to a", "remove b", "raise", "quit",
      ])
  }

  @Test("Observers are notified of changes, and only of changes")
  func changes() {
    let count = Mutex(0)
    let center = RemoteCommandCenter { count.withLock { $0 += 1 } }
    center.skipForwardCommand.preferredIntervals = [.seconds(10), .zero]
    center.skipForwardCommand.preferredIntervals = [.seconds(10)]
    center.playCommand.isEnabled = true
    #expect(count.withLock { $0 } == 1)
    #expect(center.skipForwardCommand.preferredIntervals == [.seconds(10)])
    center.playCommand.isEnabled = false
    #expect(count.withLock { $0 } == 2)
  }
}
