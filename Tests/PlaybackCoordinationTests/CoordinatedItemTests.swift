import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

@Suite("One state per film")
struct CoordinatedItemTests {
  /// Returns a state of another film than the open one.
  func next(_ desk: inout Desk, _ phase: ItemState.Phase) -> ItemState {
    var state = desk.state(.play, phase, by: Desk.ana)
    state.item = "next"
    return state
  }

  @Test("Changes of another film than the open one cause no command")
  func otherItem() {
    var desk = Desk.playing(with: Desk.ana)
    let state = next(&desk, .paused(at: 50))
    desk.hear(Desk.ana, state: state, item: "next")
    #expect(desk.directives.isEmpty && desk.changes.isEmpty)
    #expect(desk.phase.line != nil)
  }

  @Test("In the next film, the group's state wins over my player's state")
  func groupWins() {
    var desk = Desk(with: Desk.ana)
    let state = next(&desk, .paused(at: 50))
    desk.hear(Desk.ana, state: state, item: "next")
    desk.act {
      $0.transition(
        to: "next", proposing: PlaybackTiming(rate: 1, itemTime: .zero), isPlayerReady: true,
        at: $1)
    }
    #expect(desk.machine.groupState == state)
    #expect(desk.issued == .seek(MediaTime(seconds: 50)))
  }

  @Test("If the group has no state for a film, my player's state becomes the group's")
  func proposal() {
    var desk = Desk(with: Desk.ana)
    let timing = PlaybackTiming(rate: 0, itemTime: MediaTime(seconds: 7))
    desk.act { $0.transition(to: "next", proposing: timing, isPlayerReady: true, at: $1) }
    #expect(desk.published.last?.state?.phase == .paused(at: 7))
    #expect(desk.published.last?.state?.change == .proposed)
  }

  @Test("Another copy of a film is reported until the next film")
  func otherCopy() {
    var desk = Desk(with: Desk.ana)
    desk.act {
      $0.transition(to: "cut", proposing: nil, isPlayerReady: true, isOtherCopy: true, at: $1)
    }
    #expect(desk.published.last?.hasOtherCopy == true)
    desk.act { $0.transition(to: "next", proposing: nil, isPlayerReady: true, at: $1) }
    #expect(desk.published.last?.item == "next" && desk.published.last?.otherCopy == nil)
  }

  @Test("The mark of another copy counts for its film only, in whatever order it comes")
  func othersOtherCopy() throws {
    var desk = Desk(with: Desk.ana)
    desk.hear(Desk.ana)
    let digest = ReportDigest(try #require(desk.machine.others[Desk.ana]))
    let mark = Desk.film.fnv1a
    func isMarked() -> Bool? { desk.machine.others[Desk.ana]?.hasOtherCopy }
    let marked = desk.machine.received(digest, otherCopy: mark, from: Desk.ana)
    #expect(marked == [.report(.participantsChanged)] && isMarked() == true)
    #expect(desk.machine.received(digest, otherCopy: mark, from: Desk.ana) == [])
    desk.hear(Desk.ana, suspended: [.stallRecovery])
    #expect(isMarked() == true)
    // The report of the next film overtakes a beacon about this one.
    desk.hear(Desk.ana, item: "next")
    #expect(isMarked() == false)
    #expect(desk.machine.received(digest, otherCopy: mark, from: Desk.ana) == [])
    #expect(isMarked() == false)
    // Back in this film, with the party's copy.
    desk.hear(Desk.ana)
    #expect(
      desk.machine.received(digest, from: Desk.ana) == [.report(.participantsChanged)])
    #expect(isMarked() == false)
  }

  @Test("Reaching the next film early has no effect on the others in this one")
  func early() {
    var desk = Desk.playing(with: Desk.ana)
    desk.hear(Desk.zoe, item: "next")
    desk.hear(Desk.zoe, state: next(&desk, .paused(at: 0)), item: "next")
    #expect(desk.directives.isEmpty)
    #expect(desk.phase.line != nil)
  }

  @Test("Any command is newer than any proposal, and the older of two proposals wins")
  func proposalsYield() {
    var desk = Desk(with: Desk.ana)
    let own = desk.machine.groupState!
    #expect(own.change == .proposed)
    desk.hear(Desk.ana, state: desk.state(.pause, .paused(at: 3), by: Desk.ana))
    #expect(desk.phase == .paused(at: 3))

    var (earlier, later) = (own, own)
    earlier.stamp = Stamp(time: own.stamp.time + 1_000_000, participant: Desk.zoe)
    earlier.phase = .paused(at: 11)
    later.stamp = Stamp(time: own.stamp.time - 1_000_000, participant: Desk.zoe)
    later.phase = .paused(at: 12)
    var fresh = Desk(with: Desk.zoe)
    fresh.hear(Desk.zoe, state: later)
    #expect(fresh.phase == .paused(at: 0))
    fresh.hear(Desk.zoe, state: earlier)
    #expect(fresh.phase == .paused(at: 11))
  }

  @Test("The answer to a command for a film that is gone is ignored")
  func staleAnswer() {
    var desk = Desk.playing(with: Desk.ana)
    desk.pass(.seconds(3))
    desk.pause()
    let old = desk.directives.last!.id
    desk.act { $0.transition(to: "next", proposing: nil, isPlayerReady: true, at: $1) }
    let before = desk.machine.states
    desk.act { $0.commandEnded(old, .completed(itemTime: MediaTime(seconds: 9)), at: $1) }
    #expect(desk.machine.states == before)
  }

  @Test("Without a film there is no command")
  func nothingOpen() {
    var desk = Desk(with: Desk.ana, item: nil)
    desk.play()
    desk.seek(to: 5)
    desk.pause()
    desk.act { $0.whatHappened(at: $1) }
    desk.act { $0.reapply(at: $1) }
    desk.pass(.seconds(20))
    #expect(desk.directives.isEmpty && desk.changes.isEmpty && desk.published.isEmpty)
  }

  @Test("The number of kept states is limited, and the open film's is always kept")
  func bounded() {
    var desk = Desk(with: Desk.ana)
    for number in 0..<500 {
      var state = desk.state(.play, .paused(at: 1), by: Desk.ana)
      state.item = "film \(number)"
      desk.hear(Desk.ana, state: state, item: state.item)
    }
    #expect(desk.machine.states.count <= CoordinatorMachine.stateLimit)
    #expect(desk.machine.groupState != nil)
  }

  // MARK: - Coming and going

  @Test("A late joiner has no effect on the others, and goes to the group's position")
  func lateJoiner() throws {
    var desk = Desk()
    desk.seek(to: 600)
    desk.settlePlayer()
    desk.play()
    desk.settlePlayer()
    desk.pass(.seconds(20))
    desk.forget()

    let shift = Duration.seconds(4000)
    desk.now = desk.now + shift
    let line = Timeline(itemTime: MediaTime(seconds: 50), groupTime: desk.now, previousRate: 0)
    let groups = desk.state(.play, .playing(line), by: Desk.ana)
    let report = ParticipantReport(
      revision: 1, item: Desk.film, readyFor: nil, suspensions: [], syncError: nil, state: groups)
    desk.act { $0.join(as: Desk.me, shift: shift, reports: [Desk.ana: report], at: $1) }
    #expect(desk.machine.groupState == groups)
    #expect(
      desk.issued == .play(rate: 1, itemTime: line.itemTime, groupTime: line.groupTime))
    #expect(desk.published.allSatisfy { $0.state == groups })
  }

  @Test("The first joiner's playing film becomes the group's")
  func firstJoiner() throws {
    var desk = Desk()
    desk.play()
    desk.settlePlayer()
    desk.pass(.seconds(20))
    desk.forget()
    let shift = Duration.seconds(-50)
    desk.now = desk.now + shift
    desk.act { $0.join(as: Desk.me, shift: shift, reports: [:], at: $1) }
    #expect(desk.position == 20)
    #expect(desk.directives.isEmpty, "it plays on undisturbed")
    #expect(desk.published.last?.state?.change == .proposed)
  }

  @Test("A participant that leaves the group continues alone from its position")
  func leaving() {
    var desk = Desk.playing(with: Desk.ana)
    desk.pass(.seconds(20))
    let shift = Duration.seconds(-30)
    desk.now = desk.now + shift
    desk.act { $0.leaveGroup(shift: shift, at: $1) }
    #expect(desk.position == 20)
    #expect(desk.machine.others.isEmpty)
    #expect(desk.directives.isEmpty)
    desk.pause()
    #expect(desk.issued == .pause)
  }

  @Test("All participants keep the same one of two states that an author signed with one stamp")
  func equivocation() {
    var desk = Desk(with: Desk.ana, Desk.ben)
    let one = desk.state(.seek, .paused(at: 10), by: Desk.ana)
    var other = one
    other.phase = .paused(at: 20)
    var (first, second) = (desk, desk)
    first.hear(Desk.ana, state: one)
    second.hear(Desk.ana, state: other)
    #expect(first.machine.groupState != second.machine.groupState)
    // Each participant sends the other one its own state.
    first.hear(Desk.ben, state: other)
    second.hear(Desk.ben, state: one)
    #expect(first.machine.groupState == second.machine.groupState)
    #expect(first.machine.groupState?.stamp == one.stamp)
  }
}
