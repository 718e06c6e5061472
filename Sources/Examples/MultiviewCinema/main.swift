// MultiviewCinema INVITE MAIN SMALL ANGLE...: a party's film with a small picture in it, and an event from several angles.
import CoordinatedPlayer
import Foundation
import GroupActivities
import NATSTransport
import NowPlaying
import PlaybackCoordination
import Timekeeping
import WatchTogether

/// Names the main film as the party does.
final class PartyNames: PlayerPlaybackCoordinatorDelegate {
  let item: String
  init(_ item: String) { self.item = item }
  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, identifierFor: PlayerItem
  ) -> String { item }
}

let files = CommandLine.arguments.dropFirst(2).map(\.self)
let application = NowPlayingApplication(.init(name: "multiview", identity: "Multiview"))
let film = try Screen("The film", file: files[0])
let small = try Screen(
  "The small picture", file: files[1],
  ads: AdTimeRanges([MediaTime(seconds: 20)..<MediaTime(seconds: 30)]))
let angles = try files.dropFirst(2).enumerated().map { try Screen("Angle \($0 + 1)", file: $1) }
let views = [
  "main": View([film], in: application), "small": View([small], in: application),
  "angles": View(angles, in: application),
]
let manual = NowPlayingSession(in: application)
manual.automaticallyPublishesNowPlayingInfo = false
// It plays whenever it is shown.
manual.remoteCommandCenter.playCommand.addTarget { _ in .success }
Task {
  while (try? await Task.sleep(for: .milliseconds(100))) != nil { views["small"]?.followAds() }
}
let party = try await Party.join(invite: try Invite(CommandLine.arguments[1]), name: "Multiview")
await party.becomeCurrent()
let fingerprint = try FilmIdentifier.ofFile(files[0])
Task {
  for await session in FilmActivity.sessions() where session.activity.identifier == fingerprint {
    let names = PartyNames(session.activity.item)
    film.player.coordinatorDelegate = names
    await session.join()
    try await film.player.playbackCoordinator.coordinateWithSession(session)
    film.player.replaceCurrentItem(with: PlayerItem(url: URL(fileURLWithPath: files[0])))
    for await case .invalidated in session.states { film.player.pause() }
    withExtendedLifetime(names) {}
  }
}
await views["main"]?.promote()
let (lines, input) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(64))
Thread.detachNewThread {
  while let line = readLine() { input.yield(line) }
  input.finish()
}
for await line in lines {
  if let view = views[line] {
    await view.promote()
  } else if line == "play" {
    for screen in [small] + angles { screen.player.play() }
  } else {
    // A program that plays without a player says itself what it plays.
    let item = NowPlayingItem(id: "news", nowPlayingInfo: NowPlayingInfo(title: line))
    manual.publish(NowPlayingState(item: item, status: .playing))
    await manual.becomeActiveIfPossible()
  }
}
await application.invalidate()
await party.leave()
for screen in [film, small] + angles { await screen.player.shutDown() }
