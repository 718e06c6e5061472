// PartyBot INVITE: joins a party of Matinee's, and writes what happens.
import Foundation
import GroupActivities
import NATSTransport
import PlaybackCoordination
import WatchTogether

/// A player without pictures or sound: it writes the group's commands.
actor Writer: PlaybackControlDelegate {
  typealias Coordinator = DelegatingPlaybackCoordinator
  func playbackCoordinator(_: Coordinator, didIssue play: PlayCommand) -> CommandResult {
    write("play at \(play.rate) from \(play.itemTime.seconds)")
  }
  func playbackCoordinator(_: Coordinator, didIssue: PauseCommand) -> CommandResult {
    write("pause")
  }
  func playbackCoordinator(_: Coordinator, didIssue seek: SeekCommand) -> CommandResult {
    write("seek to \(seek.itemTime.seconds)")
  }
  func playbackCoordinator(_: Coordinator, didIssue: BufferingCommand) -> CommandResult {
    write("get ready")
  }
  @discardableResult func write(_ line: String) -> CommandResult {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
    return .completed(itemTime: nil)
  }
}

let writer = Writer()
let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: writer)
let party = try await Party.join(invite: try Invite(CommandLine.arguments[1]), name: "Bot")
Task { for await event in party.events { await writer.write("\(event)") } }
for await session in await FilmActivity.sessions(in: party) {
  await session.join()
  try await coordinator.coordinateWithSession(session)
  for await activity in session.activities {
    await writer.write("film \(activity.title)")
    try await coordinator.transitionToItem(withIdentifier: activity.item)
  }
}
