import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

@Suite("When nobody plays, nothing passes")
struct HoldingTests {
  /// A group that has played from 100 s on for ten seconds.
  private func group(with others: Participant.ID...) -> Desk {
    var desk = Desk()
    for other in others { desk.hear(other) }
    if others.isEmpty {
      desk.seek(to: 100)
      desk.settlePlayer()
      desk.play()
      desk.settlePlayer()
      desk.settlePlayer()
    } else {
      desk.playing(from: 100)
    }
    desk.pass(.seconds(10))
    desk.forget()
    return desk
  }

  @Test("Alone, the film waits for data, and nothing of it is lost")
  func alone() throws {
    var desk = group()
    let stall = desk.suspend(.stallRecovery)
    #expect(desk.position == 110)
    #expect(desk.waits.last??.participants == [Desk.me])
    desk.pass(.seconds(35))
    #expect(desk.position == 110)
    let due = try #require(desk.phase.due)
    #expect(due > desk.now, "no wait is without a due date")
    desk.end(stall)
    desk.settlePlayer()
    #expect(desk.phase.line?.itemTime.seconds == 110)
    #expect(desk.changes.isEmpty, "nobody did anything")
  }

  @Test("The group waits from the moment at which the last one stalled, and shows for whom")
  func last() {
    var desk = group(with: Desk.ana)
    desk.hear(Desk.ana, suspended: [.stallRecovery])
    desk.pass(.seconds(5))
    #expect(desk.position == 115, "I play")
    _ = desk.suspend(.stallRecovery)
    // Ana, who comes first, is gone.
    desk.pass(.milliseconds(400))
    #expect(desk.position == 115)
    #expect(desk.waits.last??.participants == [Desk.me, Desk.ana])
  }

  @Test("As long as somebody plays, the group does")
  func somebody() {
    var desk = group(with: Desk.ana, Desk.zoe)
    desk.hear(Desk.zoe, suspended: [.stallRecovery])
    _ = desk.suspend(.stallRecovery)
    desk.pass(.seconds(5))
    #expect(desk.position == 115)
  }

  @Test("A participant who is away, has another film or is gone doesn't count")
  func absent() {
    var desk = group(with: Desk.ana, Desk.ben, Desk.zoe)
    desk.hear(Desk.ana, suspended: [.userActionRequired])
    desk.hear(Desk.ben, item: "another")
    _ = desk.suspend(.stallRecovery)
    desk.pass(.seconds(5))
    #expect(desk.phase.line != nil, "Zoe plays")
    desk.act { $0.membersChanged([Desk.ana, Desk.ben], at: $1) }
    #expect(desk.phase.due != nil)
  }

  @Test("Without a connection only I count")
  func withoutLink() {
    var desk = group(with: Desk.ana)
    desk.act { $0.setLinkUp(false, at: $1) }
    _ = desk.suspend(.stallRecovery)
    #expect(desk.position == 110)
    #expect(desk.phase.due != nil)
  }

  @Test("Meanwhile my commands are the group's")
  func commands() {
    var desk = group(with: Desk.ana)
    desk.hear(Desk.ana, suspended: [.stallRecovery])
    let stall = desk.suspend(.stallRecovery)
    desk.pass(.milliseconds(400))
    desk.pause()
    #expect(desk.phase == .paused(at: 110))
    #expect(desk.changes.map(\.kind) == [.pause])
    desk.end(stall)
    desk.settlePlayer()
    #expect(desk.phase == .paused(at: 110), "data doesn't undo the pause")
  }

  @Test("A guest without permission doesn't command the group by waiting for data")
  func guest() {
    var desk = group(with: Desk.ana)
    desk.act { $0.setControllers([Desk.ana], at: $1) }
    desk.hear(Desk.ana, suspended: [.stallRecovery])
    _ = desk.suspend(.stallRecovery)
    desk.pass(.seconds(5))
    #expect(desk.phase.line != nil, "only Ana may hold the group")
    var held = desk.machine.groupState!
    held.stamp = Stamp(time: held.stamp.time + 1, participant: Desk.ana)
    held.phase = .starting(from: MediaTime(seconds: 110), due: desk.now + .seconds(10))
    desk.hear(Desk.ana, state: held, suspended: [.stallRecovery])
    #expect(!desk.machine.isApart)
    #expect(desk.waits.last??.participants == [Desk.me, Desk.ana])
  }

  @Test("A stalled host starts the guest who has data first")
  func host() {
    var desk = group(with: Desk.ana)
    desk.act { $0.setControllers([Desk.me], at: $1) }
    desk.hear(Desk.ana, suspended: [.stallRecovery])
    _ = desk.suspend(.stallRecovery)
    desk.pass(.milliseconds(400))
    let stamp = desk.machine.groupState!.stamp
    desk.hear(Desk.ana, readyFor: stamp)
    #expect(desk.phase.line?.itemTime.seconds == 110)
    #expect(desk.machine.isApart)
  }

  @Test("Whoever plays isn't taken back by somebody who was separated, and answers with its line")
  func answer() {
    var desk = group(with: Desk.ana)
    let playing = desk.machine.groupState!
    var held = playing
    held.stamp = Stamp(time: playing.stamp.time + 1, participant: Desk.ana)
    held.phase = .starting(from: MediaTime(seconds: 105), due: desk.now + .seconds(10))
    desk.hear(Desk.ana, state: held, suspended: [.stallRecovery])
    #expect(desk.machine.groupState?.phase == playing.phase)
    #expect(desk.machine.groupState.map { $0.stamp > held.stamp } ?? false)
    #expect(desk.published.last?.state == desk.machine.groupState)
    #expect(desk.directives.isEmpty && desk.changes.isEmpty)
  }

  @Test("A start for which nobody is ready gets another due date, and its players go on loading")
  func nobodyReady() {
    var desk = Desk(with: Desk.ana)
    desk.seek(to: 50)
    desk.settlePlayer()
    desk.play()
    desk.forget()
    let first = desk.phase.due!
    // Ana would publish the start, but nobody is ready.
    desk.pass(.seconds(11))
    #expect(desk.phase.due! > first)
    #expect(desk.directives.isEmpty)
    desk.done()
    #expect(desk.machine.readyFor == desk.machine.groupState?.stamp)
    desk.pass(.seconds(11))
    #expect(desk.phase.line?.itemTime.seconds == 50)
  }

  // MARK: - Jumps

  @Test(
    "A jump of the film's time stamps takes the group along, and moves no player",
    arguments: [9.0, -80])
  func jump(seconds: Double) {
    var desk = group(with: Desk.ana)
    desk.jump(to: 110 + seconds)
    #expect(desk.position == 110 + seconds)
    #expect(desk.published.last?.state?.isPlaying == true)
    #expect(desk.directives.isEmpty && desk.changes.isEmpty)
    desk.pass(.seconds(1))
    #expect(desk.position == 111 + seconds)
  }

  @Test("A player that jumps a moment after another one is left alone, and moves nobody again")
  func jumps() {
    var desk = group(with: Desk.ana)
    var jumped = desk.machine.groupState!
    jumped.stamp = Stamp(time: jumped.stamp.time + 1, participant: Desk.ana)
    jumped.phase = .playing(
      Timeline(itemTime: MediaTime(seconds: 119), groupTime: desk.now, previousRate: 1))
    desk.hear(Desk.ana, state: jumped)
    #expect(desk.position == 119)
    #expect(desk.directives.isEmpty)
    desk.pass(.milliseconds(200))
    desk.jump(to: 119.21)
    #expect(desk.machine.groupState == jumped)
    // Also where this one was measured before the other one was heard of.
    desk.jump(to: 118.91, ago: .milliseconds(300))
    #expect(desk.machine.groupState == jumped)
    // The next gap is another one.
    desk.jump(to: 128.21)
    #expect(abs(desk.position - 128.21) < 1e-6)
  }

  @Test("A player that doesn't jump is brought to the group's position")
  func otherCopy() {
    var desk = group(with: Desk.ana)
    var jumped = desk.machine.groupState!
    jumped.stamp = Stamp(time: jumped.stamp.time + 1, participant: Desk.ana)
    let line = Timeline(itemTime: MediaTime(seconds: 119), groupTime: desk.now, previousRate: 1)
    jumped.phase = .playing(line)
    desk.hear(Desk.ana, state: jumped)
    desk.act { $0.reapply(at: $1) }
    #expect(desk.issued == .play(rate: 1, itemTime: line.itemTime, groupTime: line.groupTime))
  }
}

extension Desk {
  /// The player was found elsewhere, without a command.
  fileprivate mutating func jump(to seconds: Double, ago age: Duration = .zero) {
    act { $0.playerJumped(to: MediaTime(seconds: seconds), at: $1 - age, now: $1) }
  }
}
