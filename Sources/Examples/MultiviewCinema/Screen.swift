import CoordinatedPlayer
import Foundation
import NowPlaying
import Timekeeping

/// One picture: a player, and what the desktop shows of it.
final class Screen: NowPlayingPlayer {
  let player: CoordinatedPlayer
  let title: String
  private let ads: AdTimeRanges
  private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(_ title: String, file: String, ads: AdTimeRanges = .none) throws {
    (self.title, self.ads) = (title, ads)
    player = try CoordinatedPlayer(url: URL(fileURLWithPath: file))
    let (events, changed) = (player.events, changes.continuation)
    Task { for await _ in events { changed.yield() } }
  }

  /// A Boolean value that indicates whether an advertisement is on the screen.
  var isInAd: Bool { player.currentTime().map(ads.contains) ?? false }

  func nowPlayingState() async -> NowPlayingState? {
    guard let item = player.currentItem else { return nil }
    var shown = NowPlayingItem(
      id: item.url.path, nowPlayingInfo: NowPlayingInfo(title: title, artists: ["Multiview"]),
      duration: player.duration.map { $0 - .zero }, adTimeRanges: ads)
    shown.nowPlayingInfo.albumTitle = item.url.lastPathComponent
    let status: NowPlayingState.Status =
      switch player.timeControlStatus {
      case .paused: .paused
      case .waitingToPlayAtSpecifiedRate: .waiting
      case .playing: .playing
      }
    return NowPlayingState(
      item: shown, status: status, elapsedTime: player.currentTime() ?? .zero,
      rate: player.defaultRate)
  }

  func nowPlayingChanges() -> AsyncStream<Void> { changes.stream }
}

/// A part of the program that the desktop can show and command: one picture, or several that belong together.
struct View {
  let session: NowPlayingSession
  let screens: [Screen]

  init(_ screens: [Screen], in application: NowPlayingApplication) {
    self.screens = screens
    session = NowPlayingSession(players: screens, in: application)
    let commands = session.remoteCommandCenter
    commands.playCommand.addTarget { _ in
      for screen in screens { screen.player.play() }
      return .success
    }
    commands.pauseCommand.addTarget { _ in
      for screen in screens { screen.player.pause() }
      return .success
    }
    commands.skipForwardCommand.preferredIntervals = [.seconds(15)]
    commands.skipForwardCommand.addTarget { Self.skip(screens, by: $0.interval) }
    commands.skipBackwardCommand.preferredIntervals = [.seconds(15)]
    commands.skipBackwardCommand.addTarget { Self.skip(screens, by: .zero - $0.interval) }
  }

  private static func skip(_ screens: [Screen], by distance: Duration) -> RemoteCommandStatus {
    for screen in screens {
      guard let here = screen.player.currentTime() else { return .noActionableNowPlayingItem }
      screen.player.seek(to: max(.zero, here + distance))
    }
    return .success
  }

  /// Makes this the view that the desktop shows.
  func promote() async { await session.becomeActiveIfPossible() }

  /// Doesn't let the viewer skip an advertisement.
  func followAds() {
    let mayFollow = !screens.contains(where: \.isInAd)
    session.remoteCommandCenter.skipForwardCommand.isEnabled = mayFollow
  }
}
