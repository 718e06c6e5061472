import GroupActivities
import Testing
import Timekeeping

@testable import PlaybackCoordination

@Suite("The limits of the group's patience")
struct PatienceTests {
  /// Returns how long the start waits for Ana, who is never ready, while all others are.
  private func wait(_ desk: inout Desk) -> Duration {
    desk.pause()
    desk.settlePlayer()
    desk.play()
    desk.settlePlayer()
    let begin = desk.now
    while desk.phase.line == nil { desk.pass(.milliseconds(100)) }
    return desk.now - begin
  }

  @Test("A participant that is never ready makes the group wait twice in ten minutes, not more")
  func flapping() {
    var desk = Desk(with: Desk.ana)
    #expect(wait(&desk) >= .seconds(9))
    #expect(wait(&desk) >= .seconds(9))
    for _ in 0..<5 { #expect(wait(&desk) == .zero) }
    desk.pass(.seconds(601))
    #expect(wait(&desk) >= .seconds(9))
  }

  @Test("A participant that needs only a moment may need it every time")
  func moment() {
    var desk = Desk(with: Desk.ana)
    for _ in 0..<5 {
      desk.pause()
      desk.settlePlayer()
      desk.play()
      desk.settlePlayer()
      desk.pass(.milliseconds(800))
      #expect(desk.phase.line == nil)
      desk.hear(Desk.ana, readyFor: desk.machine.groupState!.stamp)
      #expect(desk.phase.line != nil)
    }
  }

  @Test("The wait for a participant that joins during a start counts only from then on")
  func lateness() {
    var desk = Desk(with: Desk.ana)
    desk.play()
    desk.settlePlayer()
    desk.pass(.milliseconds(1500))
    desk.hear(Desk.ben)
    let start = desk.machine.groupState!.stamp
    let another = Stamp(time: start.time + 1, participant: start.participant)
    desk.pass(.milliseconds(800))
    #expect(desk.machine.waitLog.count(of: Desk.ana, besides: another) == 1)
    #expect(desk.machine.waitLog.count(of: Desk.ben, besides: another) == 0)
    desk.pass(.milliseconds(300))
    #expect(desk.machine.waitLog.count(of: Desk.ben, besides: another) == 1)
  }

  @Test("A start waits for a reason only up to its limit of participants")
  func limit() {
    let reason = CoordinatedPlaybackSuspension.Reason(rawValue: "readyCheck")
    for (limit, isWaiting) in [(nil, true), (3, true), (2, false)] {
      var desk = Desk(with: Desk.ana, Desk.ben)
      desk.machine.configuration.suspensionReasonsThatTriggerWaiting = [reason]
      desk.machine.configuration.participantLimits[reason] = limit
      desk.hear(Desk.ana, suspended: [reason])
      desk.play()
      desk.settlePlayer()
      desk.hear(Desk.ben, readyFor: desk.machine.groupState!.stamp)
      #expect((desk.phase.line == nil) == isWaiting, "limit \(String(describing: limit))")
    }
  }

  @Test("If only some may control, a start that none of them publishes begins on its own")
  func overdue() throws {
    var desk = Desk(with: Desk.ana, Desk.ben)
    desk.act { $0.setControllers([Desk.ana], at: $1) }
    let due = desk.now + .seconds(10)
    let start = desk.state(.play, .starting(from: .zero, due: due), by: Desk.ana)
    desk.hear(Desk.ana, state: start)
    desk.settlePlayer()
    // Ana is gone. No other participant may start playback.
    desk.act { $0.membersChanged([Desk.ben], at: $1) }
    desk.pass(.seconds(13))
    #expect(desk.issued.map { if case .play = $0 { true } else { false } } == false)
    desk.pass(.seconds(2))
    #expect(
      desk.issued
        == .play(rate: 1, itemTime: .zero, groupTime: due + CoordinatorMachine.overdueWait))
    #expect(desk.machine.groupState?.stamp == start.stamp, "nobody's word but Ana's is passed on")
  }

  @Test("The state of a participant that lost control yields to a controller's state")
  func withdrawn() {
    var desk = Desk(with: Desk.ana, Desk.ben)
    let later = desk.now + .seconds(5)
    let bens = desk.state(.seek, .paused(at: MediaTime(seconds: 60), isExact: true), by: Desk.ben)
    desk.hear(Desk.ben, state: bens)
    var anas = desk.state(
      .seek, .paused(at: MediaTime(seconds: 30), isExact: true), by: Desk.ana, at: later)
    // Older than Ben's stamp: only the rules decide.
    anas.stamp = Stamp(time: bens.stamp.time - 1, participant: Desk.ana)
    desk.hear(Desk.ana, state: anas)
    #expect(desk.machine.groupState?.itemTime(at: desk.now) == MediaTime(seconds: 60))
    desk.act { $0.setControllers([Desk.ana], at: $1) }
    desk.hear(Desk.ana, state: anas)
    #expect(desk.machine.groupState?.itemTime(at: desk.now) == MediaTime(seconds: 30))
  }
}
