// The short examples of pages that have no program of their own. What is between a page's name and `end` is quoted
// there, without the indentation.
import CoordinatedPlayer
import Foundation
import GroupActivities
import GroupJournal
import NATSTransport
import NowPlaying
import PartyTesting
import PlaybackCoordination
import Reachability
import Timekeeping
import WatchTogether

private struct Drawing: GroupActivity {
  static let activityIdentifier = "org.example.drawing"
  var metadata: GroupActivityMetadata { GroupActivityMetadata(title: "Drawing") }
}

private struct Stroke: Codable, Sendable {}

private protocol Board: Sendable {
  func add(_ stroke: Stroke, by participant: Participant) async
}

private func sessions(
  _ invite: Invite, over transport: some GroupTransport, on board: some Board
) async throws {
  // GroupActivities/GroupActivities.docc/GroupActivities
  let party = try await Party.join(invite, name: "Ana", transport: transport)
  for await session in await Drawing.sessions(in: party) {
    let messenger = GroupSessionMessenger(session: session)
    await session.join()
    for await (stroke, context) in messenger.messages(of: Stroke.self) {
      await board.add(stroke, by: context.source)
    }
  }
  // end
}

private func films(of party: Party, on coordinator: DelegatingPlaybackCoordinator) async throws {
  // WatchTogether/WatchTogether.docc/WatchTogether
  for await session in await FilmActivity.sessions(in: party) {
    await session.join()
    try await coordinator.coordinateWithSession(session)
    for await activity in session.activities {
      try await coordinator.transitionToItem(withIdentifier: activity.item)
    }
  }
  // end
}

private func playback(
  of player: some PlaybackControlDelegate, in session: GroupSession<FilmActivity>
) async throws {
  // PlaybackCoordination/PlaybackCoordination.docc/PlaybackCoordination
  let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: player)
  try await coordinator.coordinateWithSession(session)
  try await coordinator.transitionToItem(withIdentifier: "https://films.example.org/orbits.mkv")
  // Starts everywhere at one instant, when all are ready.
  try await coordinator.coordinateRateChange(to: 1)
  // end
}

private func player(of film: URL, in session: GroupSession<FilmActivity>) async throws {
  // CoordinatedPlayer/CoordinatedPlayer.docc/CoordinatedPlayer
  let player = try CoordinatedPlayer(url: film)
  try await player.playbackCoordinator.coordinateWithSession(session)
  player.play()
  // end
}

private protocol MeasuredPlayer: Sendable {
  var rateChangeLatency: Duration { get }
  func measure() async -> (itemTime: MediaTime, hostTime: HostTime, uncertainty: Duration)?
  func setNudge(_ factor: Double) async
}

private func drift(
  of player: some MeasuredPlayer, with coordinator: DelegatingPlaybackCoordinator
) async throws {
  // PlaybackCoordination/PlaybackCoordination.docc/StayingInStep
  var controller = DriftController()
  while !Task.isCancelled {
    try await Task.sleep(for: .milliseconds(250))
    guard let line = await coordinator.expectedLine(), let place = await player.measure() else {
      continue
    }
    let error = (place.itemTime - line.itemTime(atHostTime: place.hostTime)) / line.rate
    switch controller.measured(
      error, uncertainty: place.uncertainty, clockRate: line.clockRate,
      responseTime: player.rateChangeLatency, at: place.hostTime)
    {
    case .nudge(let factor): await player.setNudge(factor)
    case .seek: await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    }
  }
  // end
}

private func attachments(
  of session: GroupSession<Drawing>, to target: (GroupSessionJournal.Attachment.ID) -> URL
) async throws {
  // GroupJournal/GroupJournal.docc/GroupJournal
  let journal = GroupSessionJournal(session: session)
  try await journal.add(URL(fileURLWithPath: "/home/ana/plan.pdf"))
  for await attachments in journal.attachments {
    for attachment in attachments { try await attachment.load(to: target(attachment.id)) }
  }
  // end
}

private func cluster(_ invite: Invite) async throws {
  // NATSTransport/NATSTransport.docc/NATSTransport
  var configuration = NATSConfiguration(servers: [try ServerAddress("tls://party.example.org")])
  configuration.credentials = try BrokerCredentials(contentsOf: "community.creds")
  let party = try await Party.join(invite: invite, name: "Ana", through: configuration)
  // end
  await party.leave()
}

private func room() async throws {
  // PartyTesting/PartyTesting.docc/PartyTesting
  try await PartyRoom.run { room in
    let ana = try await room.enter("Ana")
    let ben = try await room.enter("Ben")
    try await WatchFilm(film: "isan:orbits", title: "Orbits").activate(in: ana)
    let session = try await first(of: WatchFilm.sessions(in: ben)) { _ in true }
    await session?.join()
  }
  // end
}

private protocol Pausing: NowPlayingPlayer {
  func pause() async
}

private func publishing(_ player: some Pausing) {
  // NowPlaying/NowPlaying.docc/NowPlaying
  let application = NowPlayingApplication(.init(name: "example", identity: "Example"))
  let session = NowPlayingSession(players: [player], in: application)
  session.remoteCommandCenter.pauseCommand.addTarget { _ in
    await player.pause()
    return .success
  }
  // end
}

private func reach() async throws {
  // Reachability/Reachability.docc/Reachability
  let addresses = LocalAddresses.usable(among: InterfaceAddress.all())
  let mapper = PortMapper(port: 62846)
  await mapper.start()
  for await case .mapped(let mapping) in mapper.statuses { print(mapping.externalAddress) }
  await mapper.stop()
  let service = LocalService(name: "crisp-otter", type: "_example._tcp", port: 62846)
  let announcement = ServiceAnnouncement(of: service)
  let others = try await ServiceBrowser.services(ofType: "_example._tcp")
  // end
  print(addresses, announcement, others)
}
