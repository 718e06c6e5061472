import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

@Suite("The end of a film")
struct EndingTests {
  /// A group that plays from 100 s on; Ana's copy ends at `theirs`, this participant's at `mine`.
  private func group(mine: Double?, theirs: Double?) -> Desk {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 100)
    if let mine { desk.act { $0.setItemEnd(MediaTime(seconds: mine), at: $1) } }
    desk.hear(Desk.ana, itemEnd: theirs)
    desk.forget()
    return desk
  }

  private func end(_ desk: inout Desk, at seconds: Double) {
    desk.act { $0.playerReachedEnd(at: MediaTime(seconds: seconds), now: $1) }
  }

  @Test("The end of a shorter copy moves nobody; its participant waits there")
  func shorter() {
    var desk = group(mine: 110, theirs: 120)
    desk.pass(.seconds(10))
    end(&desk, at: 110)
    #expect(desk.machine.isWaitingAtOwnEnd)
    desk.pass(.seconds(9))
    #expect(desk.ownEnds == 1, "the wait is reported once")
    #expect(desk.phase.line != nil)
    #expect(desk.changes.isEmpty && desk.directives.isEmpty)
    // Ana's copy has ended too.
    desk.hear(Desk.ana, state: desk.state(.ended, .paused(at: 120), by: Desk.ana), itemEnd: 120)
    #expect(desk.phase == .paused(at: 120))
    #expect(!desk.machine.isWaitingAtOwnEnd)
  }

  @Test("The end of the longest copy is the group's")
  func longest() {
    var desk = group(mine: 120, theirs: 110)
    desk.pass(.seconds(20))
    end(&desk, at: 120)
    #expect(desk.phase == .paused(at: 120))
    #expect(desk.changes.map(\.kind) == [.ended])
  }

  @Test("A player's late report ends nothing where the group has gone meanwhile")
  func late() {
    var desk = group(mine: 120, theirs: 120)
    desk.pass(.seconds(20))
    desk.hear(Desk.ana, state: desk.state(.ended, .paused(at: 120), by: Desk.ana), itemEnd: 120)
    #expect(desk.machine.isOver(at: MediaTime(seconds: 120), now: desk.now))
    desk.hear(Desk.ana, state: desk.state(.seek, .paused(at: 30), by: Desk.ana), itemEnd: 120)
    end(&desk, at: 120)
    #expect(!desk.machine.isOver(at: MediaTime(seconds: 120), now: desk.now))
    #expect(desk.phase == .paused(at: 30))
  }

  @Test("A seek in the last moment counts although the end was published before it was heard")
  func soughtMeanwhile() {
    var desk = group(mine: 120, theirs: 120)
    desk.pass(.milliseconds(19_900))
    let sought = desk.state(.seek, .paused(at: 30), by: Desk.ana)
    desk.pass(.milliseconds(100))
    end(&desk, at: 120)
    #expect(desk.phase == .paused(at: 120))
    desk.hear(Desk.ana, state: sought, itemEnd: 120)
    #expect(desk.phase == .paused(at: 30))
    #expect(desk.changes.map(\.kind) == [.ended, .seek])
  }

  @Test("Ends within a second of each other are one end", arguments: [119.2, 120, 120.9])
  func same(theirs: Double) {
    var desk = group(mine: 120, theirs: theirs)
    desk.pass(.seconds(20))
    end(&desk, at: 120)
    #expect(desk.phase == .paused(at: 120))
  }

  @Test("If the participant with the longest copy doesn't report the end, one who waits there does")
  func longestIsApart() {
    var desk = group(mine: 110, theirs: 120)
    desk.hear(Desk.ana, suspended: [.userActionRequired], itemEnd: 120)
    desk.pass(.seconds(10))
    end(&desk, at: 110)
    desk.pass(.milliseconds(10_900))
    #expect(desk.phase.line != nil)
    desk.pass(.milliseconds(200))
    #expect(desk.phase == .paused(at: 120))
    #expect(desk.changes.map(\.kind) == [.ended])
  }

  @Test("If the participant with the longest copy leaves, the film ends for those who wait")
  func longestLeaves() {
    var desk = group(mine: 110, theirs: 120)
    desk.pass(.seconds(10))
    end(&desk, at: 110)
    desk.act { $0.membersChanged([], at: $1) }
    #expect(desk.phase == .paused(at: 110))
  }

  @Test("An estimated length that was too long ends the film once all copies have ended")
  func estimates() {
    var desk = group(mine: 150, theirs: 150)
    desk.pass(.seconds(10))
    end(&desk, at: 110)
    #expect(desk.phase.line != nil)
    #expect(desk.published.last?.itemEnd == 110_000_000)
    desk.hear(Desk.ana, itemEnd: 110)
    #expect(desk.phase == .paused(at: 110))
    desk.pass(.seconds(9))
    #expect(desk.ownEnds == 0, "nobody has a longer copy")
  }

  @Test("A participant whose length nobody knows doesn't delay the end")
  func unknown() {
    var desk = group(mine: nil, theirs: nil)
    desk.pass(.seconds(20))
    end(&desk, at: 120)
    #expect(desk.phase == .paused(at: 120))
  }

  @Test("Without a connection only the own copy counts")
  func withoutLink() {
    var desk = group(mine: 110, theirs: 120)
    desk.act { $0.setLinkUp(false, at: $1) }
    desk.pass(.seconds(10))
    end(&desk, at: 110)
    #expect(desk.phase == .paused(at: 110))
  }

  @Test("A pause by a participant whose copy has ended is where the group is")
  func pauseBeyond() {
    var desk = group(mine: 110, theirs: 200)
    desk.pass(.seconds(10))
    end(&desk, at: 110)
    desk.pass(.seconds(10))
    desk.pause()
    desk.done(at: 110)
    #expect(desk.phase == .paused(at: 120))
  }

  @Test("After a seek back a participant no longer waits at its end")
  func seekBack() {
    var desk = group(mine: 110, theirs: 120)
    desk.pass(.seconds(10))
    end(&desk, at: 110)
    let line = Timeline(itemTime: .zero, groupTime: desk.now, previousRate: 0)
    desk.hear(Desk.ana, state: desk.state(.seek, .playing(line), by: Desk.ana), itemEnd: 120)
    desk.settlePlayer()
    #expect(!desk.machine.isWaitingAtOwnEnd)
    #expect(desk.machine.endDeadline == nil)
  }

  @Test(
    "A player's own steps at the end of the film aren't seeks", arguments: [118.5, 119.96, 120.01])
  func lastSteps(position: Double) {
    func step(_ desk: inout Desk, to seconds: Double) {
      desk.act { $0.playerSought(to: MediaTime(seconds: seconds), at: $1) }
    }
    var desk = group(mine: 120, theirs: 120)
    desk.pass(.milliseconds(19_900))
    step(&desk, to: position)
    #expect(desk.changes.isEmpty, "just before the end")
    desk.pass(.milliseconds(100))
    end(&desk, at: 120)
    desk.settlePlayer()
    desk.forget()
    step(&desk, to: position)
    #expect(desk.changes.isEmpty, "after the end")
    step(&desk, to: 60)
    #expect(desk.changes.map(\.kind) == [.seek])
    #expect(desk.phase == .paused(at: 60))
    step(&desk, to: position)
    #expect(desk.phase == .paused(at: position), "a seek to the end is one")
  }

  @Test("A participant who may not control playback doesn't end the film")
  func guest() {
    var desk = group(mine: 120, theirs: 110)
    desk.act { $0.setControllers([Desk.ana], at: $1) }
    desk.pass(.seconds(20))
    end(&desk, at: 120)
    desk.pass(.seconds(5))
    #expect(desk.phase.line != nil)
  }
}
