import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("A plan to get onto a line") struct PlayPlanTests {
  private let now = HostTime(nanoseconds: 1_000_000_000_000)

  private func paused(at itemTime: MediaTime, bufferedSpeed: Double? = 1) -> PlayPlan.Situation {
    PlayPlan.Situation(
      itemTime: itemTime, hostTime: now, speed: 0, bufferedSpeed: bufferedSpeed,
      frameDuration: .milliseconds(40), duration: 100.0, isSeekable: true,
      startLatency: .milliseconds(2), speedChangeLatency: .milliseconds(400),
      seekCost: .milliseconds(50))
  }

  private func playing(at itemTime: MediaTime, speed: Double = 1) -> PlayPlan.Situation {
    var situation = paused(at: itemTime)
    situation.speed = speed
    return situation
  }

  private func plan(
    _ itemTime: MediaTime, in lead: Duration, rate: Double = 1
  ) -> PlayPlan {
    PlayPlan(line: PlaybackLine(rate: rate, itemTime: itemTime, hostTime: now + lead))
  }

  // MARK: Paused

  @Test(
    "A player that is ready at the start position starts earlier by the time that starting takes")
  func scheduledStart() {
    var plan = plan(10.0, in: .milliseconds(300))
    #expect(
      plan.nextStep(from: paused(at: 10.0), now: now) == .start(at: now + .milliseconds(298)))
  }

  @Test("A player that is paused at the next frame starts when the line gets there")
  func nextFrame() {
    var plan = plan(10.0, in: .milliseconds(300), rate: 2)
    var situation = paused(at: 10.02, bufferedSpeed: 2)
    situation.startLatency = .zero
    #expect(plan.nextStep(from: situation, now: now) == .start(at: now + .milliseconds(310)))
  }

  @Test("Beyond a gap in the time stamps, a player doesn't wait for the line")
  func gap() {
    var situation = paused(at: 19.0)
    situation.gap = .seconds(9)
    var start = plan(10.0, in: .milliseconds(300))
    #expect(start.nextStep(from: situation, now: now) == .start(at: now + .milliseconds(298)))
    var late = plan(12.0, in: .milliseconds(-500))
    #expect(late.nextStep(from: situation, now: now) == .start(at: now))
    // The others have played there for a while: it is no gap, but a picture that lasts.
    var joining = plan(8.0, in: .seconds(-5))
    #expect(joining.nextStep(from: situation, now: now) != .start(at: now))
    var elsewhere = plan(30.0, in: .milliseconds(300))
    #expect(elsewhere.nextStep(from: situation, now: now) == .seek(to: 30.0))
  }

  @Test(
    "A player that is paused elsewhere first seeks to the line's beginning",
    arguments: [2.0, 9.9, 50])
  func goesToStart(seconds: Double) {
    var plan = plan(10.0, in: .seconds(5))
    #expect(
      plan.nextStep(from: paused(at: MediaTime(seconds: seconds)), now: now) == .seek(to: 10.0))
  }

  @Test("Sound for another speed, or that doesn't begin with the frame, is made again")
  func primes() {
    for buffered in [1.5, nil] {
      var plan = plan(10.0, in: .milliseconds(300))
      #expect(
        plan.nextStep(from: paused(at: 10.0, bufferedSpeed: buffered), now: now) == .seek(to: 10.0))
    }
  }

  @Test(
    "Joining late aims at the line's position after the seek, so the seek's duration is no error")
  func lateJoin() {
    var plan = plan(10.0, in: .seconds(-4), rate: 1)
    guard case .seek(let position) = plan.nextStep(from: paused(at: 0.0), now: now) else {
      Issue.record("no seek")
      return
    }
    #expect(position == 14.052)
    // The seek ended at the frame after the target, 45 ms later: in time.
    var landed = paused(at: 14.08)
    landed.hostTime = now + .milliseconds(45)
    #expect(
      plan.nextStep(from: landed, now: landed.hostTime) == .start(at: now + .milliseconds(78)))
    #expect(!plan.lastSeekWasTooShort)
  }

  @Test(
    "A start that is late is made up for if that takes less time than another seek",
    arguments: [
      (5, 50, true), (10, 50, false), (10, 2000, true), (20, 2000, false), (30, 9000, false),
    ])
  func lateStart(lateness: Int, seekCost: Int, startsLate: Bool) {
    var plan = plan(10.0, in: .seconds(-4))
    var situation = paused(at: MediaTime(seconds: 14.002) - .milliseconds(lateness))
    situation.seekCost = .milliseconds(seekCost)
    let step = plan.nextStep(from: situation, now: now)
    if startsLate {
      #expect(step == .start(at: now))
    } else {
      #expect(step == .seek(to: MediaTime(seconds: 14.002) + .milliseconds(seekCost)))
    }
  }

  @Test(
    "At a slow rate a frame just before the target is near enough, and one after it is waited for",
    arguments: [0.01, 0.05, 0.1, 0.3])
  func slowRate(rate: Double) {
    var plan = plan(10.0, in: .seconds(-1), rate: rate)
    let situation = paused(at: 9.0, bufferedSpeed: rate)
    guard case .seek(let target) = plan.nextStep(from: situation, now: now) else {
      Issue.record("no seek")
      return
    }
    for (offset, isLate) in [(Duration.milliseconds(-5), true), (.milliseconds(35), false)] {
      var plan = plan
      var landed = paused(at: target + offset, bufferedSpeed: rate)
      landed.hostTime = now + .milliseconds(45)
      let due = plan.line.hostTime(atItemTime: landed.itemTime) - landed.startLatency
      #expect(
        plan.nextStep(from: landed, now: landed.hostTime)
          == .start(at: isLate ? landed.hostTime : due))
      #expect(!plan.lastSeekWasTooShort)
    }
  }

  @Test("At a slow rate a player within 20 ms of the film stays, and changes to it without a seek")
  func slowTolerance() {
    let line = plan(10.0, in: .seconds(-10), rate: 0.1)
    var situation = playing(at: 11.015, speed: 0.1)
    situation.tolerance = PlayPlan.tolerance(rate: 0.1, hasAudio: true, isInGroup: true)
    var plan = line
    #expect(plan.nextStep(from: situation, now: now) == .stay)
    situation.itemTime = 11.03
    guard case .seek = plan.nextStep(from: situation, now: now) else {
      Issue.record("no seek")
      return
    }
    var slowest = self.plan(10.015, in: .milliseconds(400), rate: 0.01)
    guard
      case .changeSpeed = slowest.nextStep(from: playing(at: 9.6), now: now)
    else {
      Issue.record("no change")
      return
    }
  }

  @Test("A seek that took too long is repeated, but not for ever")
  func tooLong() {
    var plan = plan(10.0, in: .seconds(-4))
    var time = now
    var seeks = 0
    while true {
      switch plan.nextStep(from: paused(at: 0.0), now: time) {
      case .seek:
        seeks += 1
        time = time + .milliseconds(500)
      case .fail(.stallRecovery):
        #expect(seeks == PlayPlan.maximumSeeks)
        #expect(plan.lastSeekWasTooShort)
        return
      case let other:
        Issue.record("\(other)")
        return
      }
    }
  }

  @Test("After the last attempt a player that is a little late starts at its position")
  func startsLate() {
    var plan = plan(10.0, in: .seconds(-4))
    for _ in 0..<PlayPlan.maximumSeeks {
      guard case .seek = plan.nextStep(from: paused(at: 13.5), now: now) else {
        Issue.record("no seek")
        return
      }
    }
    #expect(plan.nextStep(from: paused(at: 13.5), now: now) == .start(at: now))
  }

  @Test("A stream that can't seek starts if it isn't too late, and fails if it is")
  func live() {
    var situation = paused(at: 13.5)
    situation.isSeekable = false
    situation.duration = nil
    var near = plan(10.0, in: .seconds(-4))
    #expect(near.nextStep(from: situation, now: now) == .start(at: now))
    var far = plan(10.0, in: .seconds(-40))
    #expect(
      far.nextStep(from: situation, now: now) == .fail(.coordinatedPlaybackNotPossible))
  }

  @Test("At an end that a seek found before the promised one there is nothing more to do")
  func foundEnd() {
    for end in [nil, 8.781] as [MediaTime?] {
      var plan = plan(16.0, in: .zero)
      guard case .seek = plan.nextStep(from: paused(at: 0.0), now: now) else {
        Issue.record("no seek")
        return
      }
      var situation = paused(at: 8.781)
      situation.foundEnd = end
      #expect((plan.nextStep(from: situation, now: now) == .stayAtEnd) == (end != nil))
    }
  }

  @Test("Beyond the end the player is paused at the end", arguments: [false, true])
  func end(isPlaying: Bool) {
    var plan = plan(90.0, in: .seconds(-11))
    let situation = isPlaying ? playing(at: 50.0) : paused(at: 50.0)
    #expect(plan.nextStep(from: situation, now: now) == .stayAtEnd)
  }

  @Test("A rate beyond mpv's range fails", arguments: [0.009, 101])
  func badRate(rate: Double) {
    var plan = plan(10.0, in: .zero, rate: rate)
    #expect(
      plan.nextStep(from: paused(at: 10.0), now: now) == .fail(.coordinatedPlaybackNotPossible))
  }

  // MARK: Playing

  @Test("A player on the line continues unchanged", arguments: [-1.9, 0, 1.9])
  func stays(milliseconds: Double) {
    var plan = plan(10.0, in: .seconds(-4))
    let situation = playing(at: MediaTime(seconds: 14 + milliseconds / 1000))
    #expect(plan.nextStep(from: situation, now: now) == .stay)
  }

  @Test("A future rate change is made early, so that it is heard in time")
  func rateChange() {
    // The line will be at 15 at the time of 5 s.
    var plan = plan(15.0, in: .seconds(5), rate: 1.5)
    #expect(
      plan.nextStep(from: playing(at: 10.0), now: now)
        == .changeSpeed(through: 1.5, for: .zero, at: now + .milliseconds(4600)))
  }

  @Test("A rate change that is heard too late is compensated")
  func lateRateChange() {
    var plan = plan(10.1, in: .milliseconds(100), rate: 1.5)
    // The change is audible after 400 ms, when the line is at 10.55 and the player at 10.4.
    guard
      case .changeSpeed(let through, let period, let at) = plan.nextStep(
        from: playing(at: 10.0), now: now)
    else {
      Issue.record("no change")
      return
    }
    #expect(at == now)
    #expect(abs((through - 1.5) * period.inSeconds - 0.15) < 1e-9)
    #expect(through <= 1.5 * (1 + PlayPlan.changingShare) + 1e-9)
  }

  @Test("A small lag is corrected so slowly that it is inaudible", arguments: [-20.0, -3, 5, 21])
  func catchesUp(aheadMilliseconds: Double) {
    var plan = plan(10.0, in: .seconds(-4))
    let situation = playing(at: MediaTime(seconds: 14 + aheadMilliseconds / 1000))
    expectCatchUp(plan.nextStep(from: situation, now: now), from: aheadMilliseconds, rate: 1)
  }

  @Test("At another rate, where the pitch is kept, a larger lag is", arguments: [-60.0, 100])
  func catchesUpFaster(aheadMilliseconds: Double) {
    var plan = plan(10.0, in: .seconds(-4), rate: 2)
    let situation = playing(at: MediaTime(seconds: 18 + aheadMilliseconds / 1000), speed: 2)
    expectCatchUp(plan.nextStep(from: situation, now: now), from: aheadMilliseconds, rate: 2)
  }

  private func expectCatchUp(
    _ step: PlayPlan.Step, from aheadMilliseconds: Double, rate: Double,
    _ location: SourceLocation = #_sourceLocation
  ) {
    guard case .changeSpeed(let through, let period, _) = step else {
      Issue.record("no change", sourceLocation: location)
      return
    }
    let share = rate == 1 ? PlayPlan.resampledShare : PlayPlan.catchUpShare
    #expect(abs(through / rate - 1) <= share + 1e-9, sourceLocation: location)
    #expect(
      abs((through - rate) * period.inSeconds + aheadMilliseconds / 1000) < 1e-6,
      sourceLocation: location)
  }

  @Test("A nudge isn't another rate, and sound at speed 1 is corrected more exactly")
  func nudged() {
    var situation = playing(at: 14.0, speed: 1.003)
    situation.factor = 1.003
    var plan = plan(10.0, in: .seconds(-4))
    #expect(plan.nextStep(from: situation, now: now) == .stay)
    situation = playing(at: 14.001)
    situation.tolerance = PlayPlan.tolerance(rate: 1, hasAudio: true, isInGroup: true)
    guard case .changeSpeed = plan.nextStep(from: situation, now: now) else {
      Issue.record("no change")
      return
    }
    for (hasAudio, isInGroup) in [(false, true), (true, false)] {
      let tolerance = PlayPlan.tolerance(rate: 1, hasAudio: hasAudio, isInGroup: isInGroup)
      #expect(tolerance == PlayPlan.tolerance)
    }
  }
  @Test(
    "While a picture lasts, a lag isn't corrected by a seek, which would go to the next picture")
  func slides() {
    for (missing, seeks) in [(0.08, false), (0.4, false), (2.0, true)] {
      var plan = plan(10.0, in: .seconds(-4))
      var situation = playing(at: MediaTime(seconds: 14.0 - missing))
      situation.frameDuration = .seconds(5)
      let step = plan.nextStep(from: situation, now: now)
      if case .seek = step { #expect(seeks, "\(missing)") } else { #expect(!seeks, "\(missing)") }
    }
  }

  @Test("A player far from the line seeks", arguments: [2.0, 13.8, 14.2, 60])
  func seeks(seconds: Double) {
    var plan = plan(10.0, in: .seconds(-4))
    #expect(
      plan.nextStep(from: playing(at: MediaTime(seconds: seconds)), now: now) == .seek(to: 14.052))
  }

  @Test("A player that plays before a future start is paused for it")
  func stopsForStart() {
    var plan = plan(10.0, in: .seconds(3))
    #expect(plan.nextStep(from: playing(at: 40.0), now: now) == .seek(to: 10.0))
  }
}
