import GroupActivities
import PartyTesting
import PlaybackCoordination
import Synchronization
import Testing
import Timekeeping

/// A player that carries out its commands at once, and records them.
private final class Recorder: PlaybackControlDelegate {
  private let state = Mutex<(log: [String], position: MediaTime)>(([], .zero))
  private let received: AsyncStream<String>.Continuation
  let commands: AsyncStream<String>

  init() { (commands, received) = AsyncStream.makeStream() }

  var position: MediaTime { state.withLock { $0.position } }

  private func note(_ text: String, at position: MediaTime? = nil) -> CommandResult {
    state.withLock { if let position { $0.position = position } }
    received.yield(text)
    return .completed(itemTime: state.withLock { $0.position })
  }

  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
  ) async -> CommandResult {
    note("play \(command.rate) from \(command.itemTime.seconds)", at: command.itemTime)
  }

  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
  ) async -> CommandResult { note("pause") }

  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult { note("seek \(command.itemTime.seconds)", at: command.itemTime) }

  func playbackCoordinator(
    _: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult { note("buffer") }

  func waitFor(_ wanted: String) async throws {
    let isReceived = try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask { [commands] in
        for await command in commands where command == wanted { return true }
        return false
      }
      group.addTask {
        try await Task.sleep(for: .seconds(20))
        return false
      }
      defer { group.cancelAll() }
      return try await group.next()!
    }
    #expect(isReceived, "received “\(wanted)”")
  }
}

@Suite("A coordinator with a player", .timeLimit(.minutes(1)))
struct CoordinatorTests {
  private struct Film: GroupActivity {
    static let activityIdentifier = "film"
    var metadata: GroupActivityMetadata { GroupActivityMetadata(title: "Film") }
  }

  @Test("Each player's own advertisements move only that player")
  func interstitials() async throws {
    try await PartyRoom.run { room in
      let parties = [try await room.enter("Ana"), try await room.enter("Ben")]
      try await Film().activate(in: parties[0])
      let (plain, stitched) = (Recorder(), Recorder())
      let one = DelegatingPlaybackCoordinator(playbackControlDelegate: plain)
      let other = DelegatingPlaybackCoordinator(playbackControlDelegate: stitched)
      for (coordinator, party) in zip([one, other], parties) {
        let sessions = await Film.sessions(in: party)
        let session = try #require(try await first(of: sessions) { _ in true })
        await session.join()
        try await coordinator.coordinateWithSession(session)
      }
      try await one.transitionToItem(withIdentifier: "film")
      try await other.transitionToItem(
        withIdentifier: "film",
        interstitials: InterstitialTimeRanges([MediaTime.zero..<MediaTime(seconds: 30)]))
      try await one.coordinateSeek(to: MediaTime(seconds: 10))
      try await plain.waitFor("seek 10.0")
      try await stitched.waitFor("seek 40.0")
      try await other.coordinateSeek(to: MediaTime(seconds: 50))
      try await stitched.waitFor("seek 50.0")
      try await plain.waitFor("seek 20.0")
      #expect(await other.expectedItemTime(atHostTime: .now()) == MediaTime(seconds: 50))
    }
  }

  @Test("A play command after an advertisement leads along the line that continues there")
  func steps() async throws {
    let recorder = Recorder()
    let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: recorder)
    let ad = MediaTime(seconds: 0.001)..<MediaTime(seconds: 30.001)
    try await coordinator.transitionToItem(
      withIdentifier: "film", interstitials: InterstitialTimeRanges([ad]))
    try await coordinator.coordinateRateChange(to: 1, options: .playImmediately)
    _ = try await first(of: recorder.commands) { $0.hasPrefix("play") }
    while await coordinator.ownItemTime(atHostTime: .now())! <= ad.upperBound {
      await Task.yield()
    }
    await coordinator.reapplyCurrentItemStateToPlaybackControlDelegate()
    _ = try await first(of: recorder.commands) { $0.hasPrefix("play") }
    #expect(recorder.position > ad.upperBound)
  }

  @Test("Another copy is marked for the others, and the next film isn't")
  func otherCopy() async throws {
    try await PartyRoom.run { room in
      let parties = [try await room.enter("Ana"), try await room.enter("Ben")]
      try await Film().activate(in: parties[0])
      let coordinators = parties.map { _ in
        DelegatingPlaybackCoordinator(playbackControlDelegate: IdlePlayer())
      }
      for (coordinator, party) in zip(coordinators, parties) {
        let sessions = await Film.sessions(in: party)
        let session = try #require(try await first(of: sessions) { _ in true })
        await session.join()
        try await coordinator.coordinateWithSession(session)
      }
      let (ana, ben) = (coordinators[0], coordinators[1])
      func waitForBen(_ isOtherCopy: Bool, in item: String) async {
        for await _ in ana.events {
          let seen = await ana.otherParticipants.first
          if seen?.currentItemIdentifier == item, seen?.hasOtherCopy == isOtherCopy { return }
        }
      }
      try await ben.transitionToItem(withIdentifier: "film", isOtherCopy: true)
      await waitForBen(true, in: "film")
      try await ben.transitionToItem(withIdentifier: "next")
      await waitForBen(false, in: "next")
    }
  }

  @Test("While apart, the group's position and one's own are two answers")
  func twoPositions() async throws {
    let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: IdlePlayer())
    #expect(await coordinator.expectedItemTime(atHostTime: .now()) == nil)
    #expect(await coordinator.ownItemTime(atHostTime: .now()) == nil)
    try await coordinator.transitionToItem(
      withIdentifier: "film",
      interstitials: InterstitialTimeRanges([MediaTime.zero..<MediaTime(seconds: 30)]))
    try await coordinator.coordinateSeek(to: MediaTime(seconds: 50))
    #expect(await coordinator.ownItemTime(atHostTime: .now()) == MediaTime(seconds: 50))
    let away = try await coordinator.beginSuspension(for: .userActionRequired)
    try await coordinator.coordinateSeek(to: MediaTime(seconds: 90))
    #expect(await coordinator.expectedItemTime(atHostTime: .now()) == MediaTime(seconds: 50))
    #expect(await coordinator.ownItemTime(atHostTime: .now()) == MediaTime(seconds: 90))
    let snapshot = await coordinator.snapshot()
    #expect(snapshot.groupItemTime == MediaTime(seconds: 50))
    #expect(snapshot.itemTime == MediaTime(seconds: 90))
    await away.end()
    #expect(await coordinator.ownItemTime(atHostTime: .now()) == MediaTime(seconds: 50))
  }

  @Test("A suspension is ended once, by itself or by its coordinator")
  func suspension() async throws {
    let recorder = Recorder()
    let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: recorder)
    try await coordinator.transitionToItem(withIdentifier: "film")
    let outer = try await coordinator.beginSuspension(for: .userActionRequired)
    let inner = try await coordinator.beginSuspension(for: .userIsChangingCurrentTime)
    #expect(
      await coordinator.suspensionReasons == [.userActionRequired, .userIsChangingCurrentTime])
    // Not the last suspension: the proposal doesn't count.
    await inner.end(proposingNewTime: MediaTime(seconds: 9))
    #expect(await coordinator.suspensionReasons == [.userActionRequired])
    await outer.end(proposingNewTime: MediaTime(seconds: 5))
    try await recorder.waitFor("seek 5.0")
    await outer.end(proposingNewTime: MediaTime(seconds: 7))
    #expect(await coordinator.expectedItemTime(atHostTime: .now()) == MediaTime(seconds: 5))
  }
}
