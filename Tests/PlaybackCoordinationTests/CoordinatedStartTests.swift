import Testing
import Timekeeping

@testable import PlaybackCoordination

@Suite("Starting together")
struct CoordinatedStartTests {
  @Test("Without a group, a start waits only for the player")
  func alone() throws {
    var desk = Desk()
    desk.play()
    guard case .buffer(rate: 1, _) = desk.issued else {
      Issue.record("issued \(String(describing: desk.issued))")
      return
    }
    desk.done()
    let line = try #require(desk.phase.line)
    #expect(line.groupTime == desk.now)
    #expect(desk.issued == .play(rate: 1, itemTime: .zero, groupTime: desk.now))
  }

  @Test("A start waits until all counted participants are ready, and names the awaited ones")
  func waitsForAll() throws {
    var desk = Desk(with: Desk.ana, Desk.zoe)
    desk.play()
    let stamp = desk.machine.groupState!.stamp
    #expect(desk.waits.last??.participants == [Desk.me, Desk.ana, Desk.zoe])
    desk.done()
    #expect(desk.published.last?.readyFor == stamp)
    desk.hear(Desk.zoe, readyFor: stamp)
    #expect(desk.waits.last??.participants == [Desk.ana])
    #expect(desk.phase.line == nil)
    desk.pass(.seconds(3))
    desk.hear(Desk.ana, readyFor: stamp)
    let line = try #require(desk.phase.line)
    #expect(line.itemTime == .zero)
    #expect(line.groupTime > desk.now, "far enough ahead for everybody to hear of it")
    #expect(line.groupTime - desk.now < .seconds(1))
    #expect(desk.waits.last == .some(nil))
    #expect(desk.published.last?.state?.phase == desk.phase)
    #expect(desk.changes.map(\.kind) == [.play], "a start is one change")
  }

  @Test("A start doesn't wait beyond its due date for a participant that isn't ready")
  func dueDate() throws {
    var desk = Desk(with: Desk.ana)
    desk.play()
    let due = try #require(desk.phase.due)
    #expect(due == desk.now + .seconds(10))
    desk.done()
    desk.pass(.milliseconds(9_990))
    #expect(desk.phase.line == nil)
    desk.pass(.milliseconds(20))
    #expect(desk.phase.line != nil)
    #expect(desk.machine.visibleReasons.isEmpty)
  }

  @Test("A pause counts although the start was published before it was heard")
  func pausedMeanwhile() throws {
    var desk = Desk(with: Desk.ana)
    desk.play()
    let stamp = desk.machine.groupState!.stamp
    desk.done()
    desk.pass(.milliseconds(500))
    let pause = desk.state(.pause, .paused(at: 0), by: Desk.ana)
    desk.pass(.milliseconds(200))
    desk.hear(Desk.ana, readyFor: stamp)
    #expect(desk.phase.line != nil)
    desk.hear(Desk.ana, state: pause)
    #expect(desk.phase == .paused(at: 0))
    #expect(desk.changes.map(\.kind) == [.play, .pause])
  }

  @Test("A start of a participant that was away doesn't undo what the others did meanwhile")
  func startsLate() throws {
    var desk = Desk(with: Desk.ana)
    let asked = desk.state(
      .play, .starting(from: .zero, due: desk.now + .seconds(10)), by: Desk.ana)
    desk.hear(Desk.ana, state: asked)
    desk.settlePlayer()
    let sought = desk.state(.seek, .paused(at: 60), by: Desk.ana, at: desk.now + .seconds(1))
    desk.pass(.seconds(12))
    #expect(desk.phase.line != nil)
    desk.hear(Desk.ana, state: sought)
    #expect(desk.phase == .paused(at: 60))
  }

  @Test("A participant that isn't ready at the due date recovers, and has caught up when it plays")
  func lateMyself() {
    var desk = Desk(with: Desk.ana)
    desk.play()
    desk.hear(Desk.ana, readyFor: desk.machine.groupState?.stamp)
    desk.pass(.seconds(11))
    #expect(desk.phase.line != nil)
    #expect(desk.published.last?.suspensions == [.stallRecovery])
    desk.done()
    #expect(desk.published.last?.suspensions == [])
  }

  @Test("playImmediately starts the participants that are ready")
  func immediately() throws {
    var desk = Desk(with: Desk.ana, Desk.zoe)
    desk.play(immediately: true)
    let line = try #require(desk.phase.line)
    #expect(line.groupTime - desk.now < .seconds(1))
    #expect(desk.waits.compactMap { $0 }.isEmpty)
  }

  @Test("playImmediately cuts a waiting start short")
  func startAnyway() {
    var desk = Desk(with: Desk.ana)
    desk.play()
    desk.done()
    desk.play()
    #expect(desk.phase.line == nil, "the same wish again changes nothing")
    desk.play(immediately: true)
    #expect(desk.phase.line != nil)
  }

  @Test("A start doesn't wait for suspended participants, or for those with another film open")
  func whoCounts() {
    var desk = Desk(with: Desk.ana, Desk.ben, Desk.zoe)
    desk.hear(Desk.ana, suspended: [.userActionRequired])
    desk.hear(Desk.ben, item: "another")
    desk.hear(Desk.zoe, item: nil)
    desk.play()
    desk.done()
    #expect(desk.phase.line != nil)
  }

  @Test(
    "Without a connection only this participant counts: it starts as soon as its player is ready")
  func withoutLink() {
    var desk = Desk(with: Desk.ana, Desk.ben)
    desk.act { $0.setLinkUp(false, at: $1) }
    desk.play()
    #expect(desk.waits.last??.participants == [Desk.me])
    desk.settlePlayer()
    #expect(desk.phase.line?.groupTime == desk.now)
    desk.pass(.seconds(5))
    desk.seek(to: 300)
    desk.settlePlayer()
    #expect(desk.phase.line?.itemTime == MediaTime(seconds: 300))
  }

  @Test("A start that waits for others begins when the connection is lost")
  func losesLink() {
    var desk = Desk(with: Desk.ana)
    desk.play()
    desk.settlePlayer()
    desk.pass(.seconds(1))
    #expect(desk.phase.line == nil)
    desk.act { $0.setLinkUp(false, at: $1) }
    desk.settlePlayer()
    #expect(desk.phase.line != nil)
  }

  @Test("After the return of the connection the others count again, and the newest change wins")
  func linkIsBack() {
    var desk = Desk(with: Desk.ana)
    desk.act { $0.setLinkUp(false, at: $1) }
    desk.play()
    desk.settlePlayer()
    desk.pass(.seconds(5))
    desk.act { $0.setLinkUp(true, at: $1) }
    #expect(desk.phase.line != nil)
    desk.hear(Desk.ana, state: desk.state(.pause, .paused(at: 3), by: Desk.ana))
    desk.settlePlayer()
    #expect(desk.phase == .paused(at: 3))
    desk.play()
    desk.settlePlayer()
    #expect(desk.phase.line == nil)
    #expect(desk.machine.unready(for: desk.machine.groupState!) == [Desk.ana])
  }

  @Test("A suspension reason that triggers waiting makes a start wait, a minute at most")
  func waitingReasons() {
    var desk = Desk(with: Desk.ana)
    desk.machine.configuration.suspensionReasonsThatTriggerWaiting = [.playingInterstitial]
    desk.hear(Desk.ana, suspended: [.playingInterstitial])
    desk.play()
    desk.done()
    desk.pass(.seconds(59))
    #expect(desk.phase.line == nil)
    desk.pass(.seconds(1))
    #expect(desk.phase.line != nil)
  }

  @Test(
    "The participant who starts decides whom its start waits for, whichever participant publishes it"
  )
  func startersReasons() {
    // This participant publishes the start: it is the clock's reference.
    for (theirs, mine, waits) in [
      ([WaitedOutReason(reason: .playingInterstitial)], [], true),
      ([WaitedOutReason(reason: .playingInterstitial, limit: 2)], [], false),
      ([], [.playingInterstitial], false),
    ] as [([WaitedOutReason], Set<CoordinatedPlaybackSuspension.Reason>, Bool)] {
      var desk = Desk(with: Desk.ana, Desk.ben)
      desk.machine.distances.reference = Desk.me
      desk.machine.configuration.suspensionReasonsThatTriggerWaiting = mine
      desk.hear(Desk.ben, suspended: [.playingInterstitial])
      let start = desk.state(
        .play, .starting(from: .zero, due: desk.now + .seconds(60)), by: Desk.ana)
      desk.hear(Desk.ana, state: start, readyFor: start.stamp, waitsOut: theirs)
      desk.settlePlayer()
      #expect((desk.phase.line == nil) == waits, "theirs \(theirs), mine \(mine)")
      // The starter no longer waits, or learns that the other one is back.
      desk.hear(Desk.ana, state: start, readyFor: start.stamp, waitsOut: [])
      #expect(desk.phase.line != nil)
    }
  }

  @Test("A participant's own starts wait by its own reasons")
  func ownReasons() {
    var desk = Desk(with: Desk.ana, Desk.ben)
    desk.machine.configuration.suspensionReasonsThatTriggerWaiting = [.playingInterstitial]
    desk.hear(Desk.ben, suspended: [.playingInterstitial])
    desk.hear(Desk.ana, waitsOut: [])
    desk.play()
    #expect(desk.machine.unready(for: desk.machine.groupState!).contains(Desk.ben))
    #expect(
      desk.published.last?.waitedOut == [WaitedOutReason(reason: .playingInterstitial)])
  }

  @Test("A start that waits for a reason begins when the reason no longer triggers waiting")
  func waitingNoMore() {
    var desk = Desk(with: Desk.ana)
    desk.machine.configuration.suspensionReasonsThatTriggerWaiting = [.playingInterstitial]
    desk.hear(Desk.ana, suspended: [.playingInterstitial])
    desk.play()
    desk.done()
    desk.pass(.seconds(5))
    #expect(desk.phase.line == nil)
    desk.machine.configuration.suspensionReasonsThatTriggerWaiting = []
    desk.act { $0.settle(at: $1) }
    #expect(desk.phase.line != nil)
  }

  @Test("Readiness for an earlier start doesn't count for a later one")
  func oldReadiness() {
    var desk = Desk(with: Desk.ana)
    desk.play()
    let first = desk.machine.groupState!.stamp
    desk.pause()
    desk.settlePlayer()
    desk.play()
    desk.hear(Desk.ana, readyFor: first)
    desk.settlePlayer()
    #expect(desk.phase.line == nil)
    desk.hear(Desk.ana, readyFor: desk.machine.groupState!.stamp)
    #expect(desk.phase.line != nil)
  }

  @Test("Only the originator publishes its start; the next participant does so if it has left")
  func leadership() {
    var desk = Desk(with: Desk.ana, Desk.zoe)
    let due = desk.now + .seconds(10)
    let start = desk.state(.play, .starting(from: .zero, due: due), by: Desk.ana)
    desk.hear(Desk.ana, state: start, readyFor: start.stamp)
    desk.hear(Desk.zoe, readyFor: start.stamp)
    desk.done()
    #expect(desk.machine.readyFor == start.stamp)
    #expect(desk.phase.line == nil, "it is Ana's to publish")
    desk.act { $0.membersChanged([Desk.zoe], at: $1) }
    #expect(desk.phase.line != nil)
    #expect(desk.machine.groupState?.originator == Desk.ana)
  }

  @Test(
    "If the originator is silent at the due date, the next participant publishes the start a moment later"
  )
  func takeover() {
    var desk = Desk(with: Desk.ana, Desk.zoe)
    let due = desk.now + .seconds(10)
    desk.hear(Desk.ana, state: desk.state(.play, .starting(from: .zero, due: due), by: Desk.ana))
    desk.done()
    desk.pass(.milliseconds(10_300))
    #expect(desk.phase.line == nil)
    desk.pass(.milliseconds(200))
    #expect(desk.phase.line != nil)
  }

  @Test("A start no longer waits for a member that leaves")
  func leaver() {
    var desk = Desk(with: Desk.ana, Desk.zoe)
    desk.play()
    desk.done()
    desk.hear(Desk.ana, readyFor: desk.machine.groupState!.stamp)
    desk.act { $0.membersChanged([Desk.ana], at: $1) }
    #expect(desk.phase.line != nil)
  }

  @Test("A player that is still loading gets no commands, and its start waits for it")
  func loading() {
    var desk = Desk(with: Desk.ana, item: nil)
    desk.act { $0.transition(to: Desk.film, proposing: nil, isPlayerReady: false, at: $1) }
    desk.play()
    desk.hear(Desk.ana, readyFor: desk.machine.groupState!.stamp)
    #expect(desk.directives.isEmpty)
    #expect(desk.waits.last??.participants == [Desk.me])
    desk.act { $0.playerBecameReady(at: $1) }
    #expect(desk.directives.count == 1)
    desk.done()
    #expect(desk.phase.line != nil)
  }

  @Test("A slower path to a participant gives a start more lead, within bounds")
  func lead() throws {
    func lead(_ roundTrip: Duration) throws -> Duration {
      var desk = Desk(with: Desk.ana)
      desk.machine.distances.roundTrips = [Desk.ana: roundTrip]
      desk.play(immediately: true)
      return try #require(desk.phase.line).groupTime - desk.now
    }
    #expect(try lead(.milliseconds(400)) > lead(.milliseconds(10)))
    #expect(try lead(.milliseconds(400)) >= .milliseconds(200))
    #expect(try lead(.seconds(1_000_000)) == CoordinatorMachine.longestLead)
    #expect(try lead(.seconds(-1_000_000)) == CoordinatorMachine.shortestLead)
  }

  @Test("The lead is the path to the slowest participant and its player's time, and hardly more")
  func leastLead() throws {
    func lead(_ prepare: (inout Desk) -> Void) throws -> Duration {
      var desk = Desk(with: Desk.ana, Desk.ben)
      desk.machine.distances.roundTrips = [
        Desk.me: .zero, Desk.ana: .milliseconds(80), Desk.ben: .milliseconds(10),
      ]
      prepare(&desk)
      desk.play(immediately: true)
      return try #require(desk.phase.line).groupTime - desk.now
    }
    let margin = Duration.milliseconds(10)
    let plain = try lead { _ in }
    #expect(plain >= .milliseconds(40) && plain <= .milliseconds(40) + margin)
    let late = try lead { $0.hear(Desk.ben, startLatency: 180) }
    #expect(late >= .milliseconds(185) && late <= .milliseconds(185) + margin)
    let own = try lead {
      $0.act { machine, _ in machine.setLatencies(start: .milliseconds(300), rateChange: .zero) }
    }
    #expect(own >= .milliseconds(300) && own <= .milliseconds(300) + margin)
    // One participant can't delay the others without limit.
    #expect(try lead { $0.hear(Desk.ben, startLatency: .max) } < .seconds(2.1))
    #expect(try lead { $0.hear(Desk.ben, startLatency: .min) } == plain)
  }

  @Test(
    "The reference publishes the start, whichever participant asked for it, as soon as all are ready"
  )
  func nearest() {
    for reference in [Desk.me, Desk.ana] {
      var desk = Desk(with: Desk.ana, Desk.ben)
      desk.machine.distances.reference = reference
      let due = desk.now + .seconds(10)
      desk.hear(
        Desk.ben, state: desk.state(.play, .starting(from: .zero, due: due), by: Desk.ben))
      let proposal = desk.machine.groupState!.stamp
      desk.done()
      desk.hear(Desk.ana, readyFor: proposal)
      #expect(desk.phase.line == nil)
      desk.hear(Desk.ben, readyFor: proposal)
      #expect((desk.phase.line != nil) == (reference == Desk.me))
    }
  }
}
