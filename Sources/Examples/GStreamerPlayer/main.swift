import Foundation
import GroupActivities
import NATSTransport
import PlaybackCoordination
import Timekeeping
import WatchTogether

let words = CommandLine.arguments
guard let player = GStreamerPlayer(file: words[2], properties: words[3...]) else { exit(1) }
let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
await coordinator.reportLatencies(start: player.latency, rateChange: player.latency)
let fingerprint = try FilmIdentifier.ofFile(words[2])
let party = try await Party.join(invite: try Invite(words[1]), name: "GStreamer")
Task {
  while (try? await Task.sleep(for: .milliseconds(250))) != nil {
    guard let line = await coordinator.expectedLine() else { continue }
    let (itemTime, hostTime) = await player.run { $0.place }
    let error = itemTime - line.itemTime(atHostTime: hostTime)
    await coordinator.reportSync(SyncMeasurement(error: error, uncertainty: line.uncertainty))
    print("position \(hostTime.nanoseconds) \(itemTime.nanoseconds) \(line.rate)")
    fflush(nil)
  }
}
for await session in await FilmActivity.sessions(in: party) {
  await session.join()
  try await coordinator.coordinateWithSession(session)
  for await activity in session.activities {
    let item = activity.identifier == fingerprint ? activity.item : nil
    await player.run { $0.item = item }
    try await coordinator.transitionToItem(withIdentifier: item)
  }
}
