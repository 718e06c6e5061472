import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

@Suite("What happened?")
struct ReplayTests {
  @Test("whatHappened plays ten seconds again at twice the rate, and the others aren't affected")
  func whatHappened() throws {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 100)
    let group = desk.machine.groupState!
    desk.act { $0.whatHappened(at: $1) }
    guard case .seekAndBuffer(let from, rate: 2, _) = desk.issued else {
      Issue.record("issued \(String(describing: desk.issued))")
      return
    }
    #expect(from == MediaTime(seconds: 90))
    desk.pass(.milliseconds(300))
    desk.done()
    guard case .play(rate: 2, itemTime: from, _) = desk.issued else {
      Issue.record("issued \(String(describing: desk.issued))")
      return
    }
    desk.done()
    // 10.3 s behind, and one second nearer each second.
    desk.pass(.seconds(10))
    #expect(!desk.machine.suspensions.isEmpty)
    desk.pass(.milliseconds(400))
    #expect(desk.machine.suspensions.isEmpty)
    #expect(desk.replayEnds == [.caughtUp])
    let line = try #require(group.phase.line)
    #expect(desk.issued == .play(rate: 1, itemTime: line.itemTime, groupTime: line.groupTime))
    #expect(desk.machine.groupState == group)
    #expect(desk.published.allSatisfy { $0.state == group })
    #expect(desk.changes.isEmpty)
  }

  @Test("whatHappened near the beginning goes back to the beginning")
  func whatHappenedEarly() {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 4)
    desk.act { $0.whatHappened(at: $1) }
    guard case .seekAndBuffer(.zero, rate: 2, _) = desk.issued else {
      Issue.record("issued \(String(describing: desk.issued))")
      return
    }
  }

  @Test("whatHappened has no effect when it is repeated, or during a suspension")
  func whatHappenedTwice() {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 100)
    desk.act { $0.whatHappened(at: $1) }
    let count = desk.directives.count
    desk.act { $0.whatHappened(at: $1) }
    #expect(desk.directives.count == count)
    #expect(desk.machine.suspensions.count == 1)
  }

  @Test("When the group pauses meanwhile, the replay ends at the group's position")
  func whatHappenedPause() {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 100)
    desk.act { $0.whatHappened(at: $1) }
    desk.settlePlayer()
    desk.pass(.seconds(2))
    desk.hear(Desk.ana, state: desk.state(.pause, .paused(at: 102), by: Desk.ana))
    desk.pass(.seconds(10))
    #expect(desk.machine.suspensions.isEmpty)
    #expect(desk.issued == .pause)
    desk.done(at: 102.02)
    #expect(desk.issued == .seek(MediaTime(seconds: 102)))
  }

  /// A replay that plays since a moment, of a group that plays from 100 s on.
  private func replaying(rate: Double = 1) -> Desk {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 100, rate: rate)
    desk.act { $0.whatHappened(at: $1) }
    desk.settlePlayer()
    desk.pass(.seconds(2))
    desk.forget()
    return desk
  }

  private func isFollowing(_ desk: Desk) -> Bool {
    desk.machine.suspensions.isEmpty && desk.machine.catchingUp == nil
      && desk.published.last?.suspensions == []
  }

  @Test(
    "Another film, the same one again, or none ends the replay", arguments: ["next", "film", nil])
  func filmChanges(item: String?) {
    var desk = replaying()
    desk.act { $0.transition(to: item, proposing: nil, isPlayerReady: true, at: $1) }
    #expect(desk.replayEnds == [.filmChanged])
    #expect(isFollowing(desk))
    #expect(desk.machine.ownState == nil)
    desk.settlePlayer()
    desk.pass(.seconds(30))
    #expect(desk.replayEnds == [.filmChanged])
  }

  @Test("The replay's player follows the group in the next film")
  func nextFilm() {
    var desk = replaying()
    var next = desk.state(.seek, .paused(at: 30), by: Desk.ana)
    next.item = "next"
    desk.act { $0.transition(to: "next", proposing: nil, isPlayerReady: true, at: $1) }
    desk.hear(Desk.ana, state: next, item: "next")
    desk.settlePlayer()
    #expect(desk.issued == .seek(MediaTime(seconds: 30)))
  }

  @Test("The end of the group's film ends the replay")
  func groupEnds() {
    var desk = replaying()
    desk.hear(Desk.ana, state: desk.state(.ended, .paused(at: 102), by: Desk.ana))
    #expect(desk.replayEnds == [.filmEnded])
    #expect(isFollowing(desk))
  }

  @Test("A replay that reaches the film's end ends there")
  func ownEnd() {
    var desk = replaying()
    desk.pass(.seconds(7))
    let end = desk.machine.state!.itemTime(at: desk.now)
    desk.act { $0.playerReachedEnd(at: end, now: $1) }
    #expect(desk.replayEnds == [.filmEnded])
    #expect(isFollowing(desk))
  }

  @Test("A seek of the group ends the replay, in either direction", arguments: [20.0, 101, 500])
  func groupSeeks(position: Double) {
    var desk = replaying()
    let due = desk.now + .seconds(10)
    desk.hear(
      Desk.ana,
      state: desk.state(
        .seek, .starting(from: MediaTime(seconds: position), due: due), by: Desk.ana))
    #expect(desk.replayEnds == [.groupMoved])
    #expect(isFollowing(desk))
  }

  @Test("A replay that began during a seek isn't ended by that seek's start")
  func startOfSeek() {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 100)
    let phase = ItemState.Phase.starting(
      from: MediaTime(seconds: 50), due: desk.now + .seconds(10))
    desk.hear(Desk.ana, state: desk.state(.seek, phase, by: Desk.ana))
    desk.settlePlayer()
    desk.act { $0.whatHappened(at: $1) }
    desk.settlePlayer()
    let line = Timeline(
      itemTime: MediaTime(seconds: 50), groupTime: desk.now + .seconds(1), previousRate: 0)
    desk.hear(Desk.ana, state: desk.state(.seek, .playing(line), by: Desk.ana))
    #expect(desk.replayEnds.isEmpty)
  }

  @Test("A group that becomes about as fast as the replay ends it; a small change doesn't")
  func groupFaster() {
    for (rate, ends) in [(1.25, false), (1.9, true), (3, true)] {
      var desk = replaying()
      let line = Timeline(itemTime: MediaTime(seconds: 102), groupTime: desk.now, previousRate: 1)
      desk.hear(Desk.ana, state: desk.state(.rate, .playing(line), by: Desk.ana, rate: rate))
      #expect(desk.replayEnds == (ends ? [.groupMoved] : []), "rate \(rate)")
      desk.pass(.seconds(20))
      desk.settlePlayer()
      #expect(isFollowing(desk))
    }
  }

  @Test("A group that starts during the replay is caught up with where it is then")
  func groupStartsLater() {
    var desk = Desk(with: Desk.ana)
    desk.hear(Desk.ana, state: desk.state(.pause, .paused(at: 100), by: Desk.ana))
    desk.settlePlayer()
    desk.act { $0.whatHappened(at: $1) }
    desk.settlePlayer()
    desk.pass(.seconds(3))
    let line = Timeline(itemTime: MediaTime(seconds: 100), groupTime: desk.now, previousRate: 0)
    desk.hear(Desk.ana, state: desk.state(.play, .playing(line), by: Desk.ana))
    // It has replayed six seconds, and the group moves on from the tenth.
    desk.pass(.milliseconds(3900))
    #expect(desk.replayEnds.isEmpty)
    desk.pass(.milliseconds(200))
    #expect(desk.replayEnds == [.caughtUp])
  }

  @Test("A user who goes ahead of the group, at any rate, ends the replay")
  func ahead() {
    var desk = replaying()
    desk.play(rate: 0.5)
    desk.settlePlayer()
    desk.seek(to: 300)
    desk.settlePlayer()
    desk.pass(.seconds(1))
    #expect(desk.replayEnds == [.caughtUp])
  }

  @Test("The user ends the replay, also one that he paused")
  func stopped() {
    var desk = replaying()
    desk.pause()
    desk.settlePlayer()
    desk.act { $0.endReplay(.stopped, at: $1) }
    #expect(desk.replayEnds == [.stopped])
    #expect(isFollowing(desk))
    desk.act { $0.endReplay(.stopped, at: $1) }
    #expect(desk.replayEnds.count == 1)
  }

  @Test("Entering or leaving a session ends the replay, and the player follows the group's line")
  func sessionChanges() throws {
    var desk = replaying()
    desk.act { $0.leaveGroup(shift: .zero, at: $1) }
    #expect(desk.replayEnds == [.sessionChanged])
    #expect(isFollowing(desk))
    let line = try #require(desk.phase.line)
    #expect(desk.issued == .play(rate: 1, itemTime: line.itemTime, groupTime: line.groupTime))
  }

  @Test("A replay is refused while its participant is apart for another reason, or has no film")
  func refused() async throws {
    let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: IdlePlayer())
    await #expect(throws: CoordinationError.noCurrentItem) { try await coordinator.whatHappened() }
    try await coordinator.transitionToItem(withIdentifier: "film")
    let away = try await coordinator.beginSuspension(for: .userActionRequired)
    await #expect(throws: CoordinationError.suspended) { try await coordinator.whatHappened() }
    await away.end()
    try await coordinator.whatHappened()
    #expect(await coordinator.suspensionReasons.map(\.rawValue) == ["whatHappened"])
    try await coordinator.whatHappened()
    #expect(await coordinator.suspensionReasons.isEmpty)
    var events = coordinator.events.makeAsyncIterator()
    while let event = await events.next() {
      if case .replayEnded(let end) = event {
        #expect(end == .stopped)
        break
      }
    }
  }
}

/// A player that completes every command at once.
final class IdlePlayer: PlaybackControlDelegate {
  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PlayCommand
  ) async -> CommandResult { .completed(itemTime: nil) }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: PauseCommand
  ) async -> CommandResult { .completed(itemTime: nil) }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: SeekCommand
  ) async -> CommandResult { .completed(itemTime: nil) }

  func playbackCoordinator(
    _ coordinator: DelegatingPlaybackCoordinator, didIssue command: BufferingCommand
  ) async -> CommandResult { .completed(itemTime: nil) }
}
