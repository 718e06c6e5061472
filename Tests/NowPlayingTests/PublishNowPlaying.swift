import NowPlaying
import Synchronization
import Timekeeping

final class MusicBox: NowPlayingPlayer {
  private struct Turn {
    var isTurning = false
    var position = MediaTime.zero
    var since = HostTime.now()
  }

  private let turn = Mutex(Turn())
  private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  func nowPlayingState() async -> NowPlayingState? {
    var song = NowPlayingItem(id: "lullaby", duration: .seconds(90))
    song.nowPlayingInfo = NowPlayingInfo(title: "Lullaby", artists: ["Johannes Brahms"])
    return turn.withLock { turn in
      NowPlayingState(
        item: song, status: turn.isTurning ? .playing : .paused, elapsedTime: turn.position,
        hostTime: turn.since)
    }
  }

  func nowPlayingChanges() -> AsyncStream<Void> { changes.stream }

  func setTurning(_ isTurning: Bool) {
    turn.withLock { turn in
      let now = HostTime.now()
      if turn.isTurning { turn.position = turn.position + (now - turn.since) }
      turn.since = now
      turn.isTurning = isTurning
    }
    changes.continuation.yield()
  }

  func wind(to position: MediaTime) {
    turn.withLock { turn in
      turn.position = position
      turn.since = .now()
    }
    changes.continuation.yield()
  }
}

func show(
  _ box: MusicBox, busAddress: String? = nil
) -> (NowPlayingApplication, NowPlayingSession) {
  let application = NowPlayingApplication(
    .init(name: "musicbox", identity: "Music Box", desktopEntry: "org.example.MusicBox"),
    busAddress: busAddress)
  let session = NowPlayingSession(players: [box], in: application)
  let commands = session.remoteCommandCenter
  commands.playCommand.addTarget { _ in
    box.setTurning(true)
    return .success
  }
  commands.pauseCommand.addTarget { _ in
    box.setTurning(false)
    return .success
  }
  commands.changePlaybackPositionCommand.addTarget { event in
    box.wind(to: event.positionTime)
    return .success
  }
  commands.skipForwardCommand.preferredIntervals = [.seconds(10)]
  commands.skipForwardCommand.addTarget { event in
    guard let here = await box.nowPlayingState() else { return .noActionableNowPlayingItem }
    box.wind(to: here.elapsedTime + event.interval)
    return .success
  }
  return (application, session)
}
