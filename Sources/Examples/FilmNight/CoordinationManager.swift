import CoordinatedPlayer
import Foundation
import GroupActivities
import PlaybackCoordination
import Synchronization
import Timekeeping
import WatchTogether

extension CoordinatedPlaybackSuspension.Reason {
  static let whatHappened = Self(rawValue: "org.example.film-night.what-happened")
}

/// Connects the player with the group's session, and the session with the films of this machine.
@MainActor final class CoordinationManager: PlayerPlaybackCoordinatorDelegate {
  private let movies: [String: URL]
  private let player: CoordinatedPlayer
  private(set) var groupSession: GroupSession<FilmActivity>?
  /// The name of the current film for all participants, wherever their copies are.
  private let item = Mutex("")

  init(_ movies: [String: URL], player: CoordinatedPlayer) {
    (self.movies, self.player) = (movies, player)
    player.coordinatorDelegate = self
    Task { for await session in FilmActivity.sessions() { try await follow(session) } }
  }

  private func follow(_ session: GroupSession<FilmActivity>) async throws {
    groupSession = session
    await session.join()
    try await player.playbackCoordinator.coordinateWithSession(session)
    Task { for await activity in session.activities { enqueue(activity) } }
    for await state in session.states {
      guard case .invalidated = state, groupSession?.id == session.id else { continue }
      groupSession = nil
      player.pause()
      say("the session is over")
    }
  }

  func prepareToPlay(_ movie: URL) async throws {
    let activity = try activity(for: movie)
    if let groupSession { return try await groupSession.setActivity(activity) }
    switch await activity.prepareForActivation() {
    case .activationDisabled: enqueue(activity)
    case .activationPreferred: try await activity.activate()
    case .cancelled: say("cancelled")
    }
  }

  private func activity(for movie: URL) throws -> FilmActivity {
    let entry = PlaylistEntry(
      id: .random(in: 1 ... .max), identifier: try FilmIdentifier.ofFile(movie.path),
      title: movie.deletingPathExtension().lastPathComponent, location: nil)
    let now = Party.current?.clock.reading?.groupTime(at: .now())
    var random = SystemRandomNumberGenerator()
    var list = groupSession?.activity.playlist ?? Playlist(entry, at: now, using: &random)
    if groupSession != nil { list.open(entry, at: now, using: &random) }
    return FilmActivity(list, isOwnFilm: true)
  }

  private func enqueue(_ activity: FilmActivity) {
    guard item.withLock({ $0 }) != activity.item else { return }
    item.withLock { $0 = activity.item }
    let movie = movies[activity.identifier]
    say("film \(activity.title)\(movie == nil ? ", which isn't here" : "")")
    player.replaceCurrentItem(with: movie.map { PlayerItem(url: $0) })
  }

  nonisolated func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, identifierFor: PlayerItem
  ) -> String { item.withLock { $0 } }

  /// Plays the last ten seconds again at twice the speed, apart from the group, until the group is reached.
  func whatHappened() async throws {
    let coordinator = player.playbackCoordinator
    guard let here = player.currentTime() else { return }
    let suspension = try await coordinator.beginSuspension(for: .whatHappened)
    player.seek(to: max(.zero, here - .seconds(10)))
    player.playImmediately(atRate: 2)
    while let group = await coordinator.expectedItemTime(atHostTime: .now()),
      player.rate != 2 || player.currentTime() ?? .zero < group
    { try await Task.sleep(for: .milliseconds(100)) }
    await suspension.end()
  }
}
