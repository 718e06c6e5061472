import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

@Suite("Pausing, seeking, changing speed")
struct CoordinatedCommandTests {
  // MARK: - Players elsewhere

  @Test("A line that players elsewhere follow is joined where it is when the players can start")
  func along() throws {
    for kind in [CoordinatedChange.Kind.play, .seek] {
      var desk = kind == .play ? Desk(with: Desk.ana) : Desk.playing(with: Desk.ana)
      desk.forget()
      let line = Timeline(
        itemTime: MediaTime(seconds: 30), groupTime: desk.now - .milliseconds(40), previousRate: 0)
      desk.act { $0.coordinatePlayback(along: line, as: kind, at: $1) }
      let own = try #require(desk.phase.line)
      #expect(own.groupTime > desk.now)
      #expect(own.itemTime == line.itemTime(at: own.groupTime, rate: 1))
      #expect(desk.changes.map(\.kind) == [kind])
      #expect(desk.waits.compactMap { $0 }.isEmpty)
    }
  }

  // MARK: - Pause

  @Test("My pause takes effect at once, and all participants go to the frame on which I stopped")
  func myPause() {
    var desk = Desk.playing(with: Desk.ana)
    desk.pass(.seconds(5))
    desk.pause()
    #expect(desk.issued == .pause)
    #expect(desk.phase == .paused(at: MediaTime(seconds: 5), isExact: false))
    #expect(desk.settled == 0)
    desk.done(at: 5.04)
    #expect(desk.phase == .paused(at: 5.04))
    #expect(desk.settled == 1, "the position is another one now, and nothing else says so")
    #expect(desk.directives.count == 1, "the player is there already")
    #expect(desk.changes.map(\.kind) == [.pause], "a pause is one change")
    #expect(desk.published.last?.state?.phase == .paused(at: 5.04))
  }

  @Test(
    "Another participant's pause stops my player at once, and then moves it to that participant's frame"
  )
  func theirPause() {
    var desk = Desk.playing(with: Desk.ana)
    desk.pass(.seconds(5))
    let asked = desk.state(.pause, .paused(at: MediaTime(seconds: 5), isExact: false), by: Desk.ana)
    desk.hear(Desk.ana, state: asked)
    #expect(desk.issued == .pause)
    #expect(desk.directives.last?.originator == Desk.ana)
    desk.done(at: 5.1)
    #expect(desk.directives.count == 1, "its frame isn't known yet")
    desk.hear(Desk.ana, state: desk.state(.pause, .paused(at: 5.04), by: Desk.ana))
    #expect(desk.issued == .seek(MediaTime(seconds: 5.04)))
    desk.done(at: 5.04)
    #expect(desk.directives.count == 2)
    #expect(desk.changes.map(\.kind) == [.pause])
    #expect(desk.settled == 1)
  }

  @Test("A play counts although the pause's frame was published before it was heard")
  func playedMeanwhile() {
    var desk = Desk.playing(with: Desk.ana)
    desk.pass(.seconds(5))
    desk.pause()
    desk.pass(.milliseconds(20))
    let start = desk.now + .milliseconds(100)
    let line = Timeline(itemTime: MediaTime(seconds: 5), groupTime: start, previousRate: 0)
    let play = desk.state(.play, .playing(line), by: Desk.ana)
    desk.pass(.milliseconds(20))
    desk.done(at: 5.04)
    #expect(desk.phase == .paused(at: 5.04))
    desk.hear(Desk.ana, state: play)
    #expect(desk.phase.line == line)
    #expect(desk.changes.map(\.kind) == [.pause, .play])
  }

  @Test("If the originator's frame never comes, all go to the position that its pause named")
  func missingFrame() {
    var desk = Desk.playing(with: Desk.ana)
    desk.pass(.seconds(5))
    desk.hear(
      Desk.ana,
      state: desk.state(.pause, .paused(at: MediaTime(seconds: 5), isExact: false), by: Desk.ana))
    desk.done(at: 5.1)
    desk.pass(.milliseconds(900))
    #expect(desk.issued == .pause)
    desk.pass(.milliseconds(200))
    #expect(desk.issued == .seek(MediaTime(seconds: 5)))
  }

  @Test("Without snapping, a pause names its final position at once")
  func noSnap() {
    var desk = Desk(with: Desk.ana)
    desk.machine.configuration.pauseSnapsToMediaTimeOfOriginator = false
    desk.playing()
    desk.pass(.seconds(5))
    desk.pause()
    #expect(desk.phase == .paused(at: 5))
  }

  @Test("A pause while a start waits cancels the start")
  func pauseWaiting() {
    var desk = Desk(with: Desk.ana)
    desk.seek(to: 30)
    desk.settlePlayer()
    desk.play()
    desk.pause()
    #expect(desk.phase == .paused(at: 30))
    #expect(desk.waits.last == .some(nil))
    desk.pass(.seconds(30))
    #expect(desk.phase == .paused(at: 30))
  }

  @Test("The end of the film pauses all participants there")
  func ending() {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 100)
    desk.pass(.seconds(20))
    desk.act { $0.playerReachedEnd(at: MediaTime(seconds: 121), now: $1) }
    #expect(desk.phase == .paused(at: 121))
    #expect(desk.changes.map(\.kind) == [.ended])
  }

  // MARK: - Seek

  @Test("While playing, all seek, get ready, and continue together")
  func seekWhilePlaying() {
    var desk = Desk(with: Desk.ana)
    desk.playing(rate: 1.5)
    desk.pass(.seconds(5))
    desk.seek(to: 600)
    let due = desk.phase.due
    #expect(due == desk.now + .seconds(10))
    #expect(desk.issued == .seekAndBuffer(MediaTime(seconds: 600), rate: 1.5, due: due!))
    desk.done()
    #expect(desk.phase.line == nil)
    desk.hear(Desk.ana, readyFor: desk.machine.groupState!.stamp)
    #expect(desk.phase.line?.itemTime == MediaTime(seconds: 600))
    #expect(desk.machine.groupState?.rate == 1.5)
    #expect(desk.changes.map(\.kind) == [.seek])
  }

  @Test("resumeImmediately doesn't wait for other participants")
  func resumeImmediately() {
    var desk = Desk.playing(with: Desk.ana)
    desk.seek(to: 600, resumeImmediately: true)
    #expect(desk.phase.line?.itemTime == MediaTime(seconds: 600))
  }

  @Test("A seek while paused doesn't start playback")
  func seekWhilePaused() {
    var desk = Desk(with: Desk.ana)
    for resumeImmediately in [false, true] {
      desk.seek(to: 600, resumeImmediately: resumeImmediately)
      #expect(desk.phase == .paused(at: 600))
      #expect(desk.issued == .seek(MediaTime(seconds: 600)))
      desk.settlePlayer()
      desk.seek(to: -5)
      #expect(desk.phase == .paused(at: 0), "there is nothing before the start")
      desk.settlePlayer()
    }
    desk.pass(.seconds(30))
    #expect(desk.phase == .paused(at: 0))
  }

  // MARK: - Rate

  @Test("A change of speed takes effect at one instant, and the film doesn't jump")
  func rate() throws {
    var desk = Desk.playing(with: Desk.ana)
    desk.pass(.seconds(10))
    desk.play(rate: 2)
    let line = try #require(desk.phase.line)
    #expect(line.groupTime > desk.now && line.previousRate == 1)
    #expect(desk.issued == .play(rate: 2, itemTime: line.itemTime, groupTime: line.groupTime))
    #expect(desk.position == 10)
    let state = desk.machine.groupState!
    let ahead = line.groupTime - desk.now
    #expect(state.itemTime(at: line.groupTime) == MediaTime(seconds: 10) + ahead)
    #expect(
      state.itemTime(at: line.groupTime + .seconds(1)) == MediaTime(seconds: 12) + ahead)
    #expect(desk.changes.map(\.kind) == [.rate])
  }

  @Test("Setting the current speed again is no change")
  func sameRate() {
    var desk = Desk.playing(with: Desk.ana)
    desk.play(rate: 1)
    #expect(desk.changes.isEmpty && desk.directives.isEmpty && desk.published.isEmpty)
  }

  @Test("While paused, the speed can be set for all without starting")
  func defaultRate() {
    var desk = Desk(with: Desk.ana)
    desk.act { $0.coordinateDefaultRateChange(to: 1.25, at: $1) }
    #expect(desk.machine.groupState?.rate == 1.25)
    #expect(desk.phase == .paused(at: 0))
  }

  // MARK: - Originators

  @Test("A command names the participant who asked for it; my own and repeated commands name none")
  func originators() {
    var desk = Desk(with: Desk.ana)
    desk.hear(Desk.ana, state: desk.state(.seek, .paused(at: 60), by: Desk.ana))
    #expect(desk.directives.last?.originator == Desk.ana)
    desk.settlePlayer()
    desk.act { $0.reapply(at: $1) }
    #expect(desk.issued == .seek(MediaTime(seconds: 60)))
    #expect(desk.directives.last?.originator == nil)
    desk.settlePlayer()
    desk.seek(to: 90)
    #expect(desk.directives.last?.originator == nil)
  }

  // MARK: - Crossing on the wire

  @Test("The newest command wins in whatever order they come", arguments: 0..<6)
  func anyOrder(order: Int) {
    var desk = Desk(with: Desk.ana, Desk.zoe)
    let states = [
      desk.state(.seek, .paused(at: 10), by: Desk.ana),
      desk.state(.seek, .paused(at: 20), by: Desk.zoe),
      desk.state(.seek, .paused(at: 30), by: Desk.ana),
    ]
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    for index in orders[order] {
      desk.hear(states[index].originator, state: states[index])
      desk.hear(states[index].originator, state: states[index])
      desk.settlePlayer()
    }
    #expect(desk.machine.groupState == states[2])
    #expect(desk.issued == .seek(MediaTime(seconds: 30)))
  }

  @Test("My command is newer than all received ones, also if another participant's clock is ahead")
  func aheadOfTime() {
    var desk = Desk(with: Desk.ana)
    let early = desk.now + .seconds(8)
    desk.hear(Desk.ana, state: desk.state(.seek, .paused(at: 10), by: Desk.ana, at: early))
    desk.settlePlayer()
    desk.seek(to: 20)
    #expect(desk.phase == .paused(at: 20))
    #expect(desk.machine.groupState!.stamp.time > early.nanoseconds)
  }

  @Test("A report that a newer one overtook changes nothing")
  func overtaken() {
    var desk = Desk(with: Desk.ana)
    desk.hear(Desk.ana, suspended: [.stallRecovery])
    let old = ParticipantReport(
      revision: 1, item: Desk.film, readyFor: nil, suspensions: [], syncError: nil, state: nil)
    desk.act { $0.received(old, from: Desk.ana, at: $1) }
    #expect(desk.machine.others[Desk.ana]?.suspensions == [.stallRecovery])
  }

  @Test(
    "The loaded percentage is sent with the next beacon, and received from others")
  func loadedPercent() throws {
    var desk = Desk(with: Desk.ana)
    desk.hear(Desk.ana, suspended: [.stallRecovery])
    for (percent, sent) in [(64, 64), (120, 100), (-1, 0)] {
      desk.act { machine, _ in machine.setLoadedPercent(percent) }
      let report = try #require(desk.published.last)
      #expect(report.loadedPercent == Int64(sent) && report.isSensible)
      let digest = try ReportDigest(binary: ReportDigest(report).binary)
      #expect(digest == ReportDigest(report))
      desk.machine.received(digest, from: Desk.ana)
      #expect(desk.machine.others[Desk.ana]?.loadedPercent == Int64(sent))
    }
    desk.act { machine, _ in machine.setLoadedPercent(nil) }
    let report = try #require(desk.published.last)
    #expect(report.loadedPercent == nil)
    #expect(try ReportDigest(binary: ReportDigest(report).binary).loadedPercent == nil)
    // No participant can have more than 100 per cent, even if a peer claims it.
    var lie = ReportDigest(report)
    lie.loadedPercent = 101
    desk.machine.received(lie, from: Desk.ana)
    #expect(desk.machine.others[Desk.ana]?.loadedPercent == 0)
    for bytes in [[], [1], [0, 0], [32], [1, 0x80, 0]] as [[UInt8]] {
      #expect(throws: WireError.malformed) { try ReportDigest(binary: bytes) }
    }
  }

  @Test("The syncing error is sent with its uncertainty, and only with the next beacon")
  func sync() throws {
    var desk = Desk(with: Desk.ana)
    desk.act {
      let actions = $0.setSync(
        SyncMeasurement(error: .microseconds(-1100), uncertainty: .microseconds(300)))
      _ = $1
      #expect(
        actions.allSatisfy { if case .publish(_, .digest) = $0 { true } else { false } })
      return actions
    }
    let report = try #require(desk.published.last)
    #expect(report.syncError == -1100 && report.syncUncertainty == 300)
    #expect(try ParticipantReport(binary: report.binary) == report)

    desk.act { machine, _ in
      machine.setSync(SyncMeasurement(error: .zero, uncertainty: .seconds(1_000_000_000)))
    }
    #expect(desk.published.last?.syncUncertainty == ParticipantReport.uncertaintyLimit)
    #expect(desk.published.last?.isSensible == true)
    desk.act { machine, _ in machine.setSync(nil) }
    #expect(desk.published.last?.syncError == nil && desk.published.last?.syncUncertainty == nil)
  }

  @Test(
    "A state with impossible rates is refused, without a calculation",
    arguments: [1e21, 1e30, -1e30, 1e308, .infinity, .nan])
  func senselessRates(rate: Double) {
    let now = GroupTime(nanoseconds: 100_000_000_000)
    for (before, after) in [(rate, 1), (1, rate), (rate, rate)] {
      for lead in [Duration.milliseconds(200), .seconds(-200)] {
        let state = ItemState(
          item: "film", stamp: Stamp(time: 1, participant: Desk.ben), originator: Desk.ben,
          change: .play, rate: after,
          phase: .playing(
            Timeline(itemTime: .zero, groupTime: now + lead, previousRate: before)))
        #expect(!state.isSensible(at: now))
        _ = state.itemTime(at: now)
      }
    }
  }

  @Test("A report with an impossible uncertainty is refused")
  func senselessUncertainty() {
    for value in [-1, ParticipantReport.uncertaintyLimit + 1, .min, .max] {
      var report = ParticipantReport(
        revision: 1, item: Desk.film, readyFor: nil, suspensions: [], syncError: 5, state: nil)
      #expect(report.isSensible)
      report.syncUncertainty = value
      #expect(!report.isSensible)
    }
  }

  @Test("A state that can't be true of a film has no effect")
  func nonsense() {
    var desk = Desk(with: Desk.ana)
    let (now, far) = (desk.now, MediaTime(nanoseconds: .max))
    let phases: [ItemState.Phase] = [
      .paused(at: far, isExact: true), .paused(at: -3600), .paused(at: -1e30),
      .starting(from: .zero, due: now + .seconds(3600)),
      .starting(from: .zero, due: GroupTime(nanoseconds: .max)),
      .starting(from: far, due: now),
      .playing(Timeline(itemTime: .zero, groupTime: now + .seconds(60), previousRate: 0)),
      .playing(Timeline(itemTime: .zero, groupTime: now, previousRate: .infinity)),
      .playing(Timeline(itemTime: .zero, groupTime: now, previousRate: -1)),
      .playing(Timeline(itemTime: far, groupTime: now, previousRate: 0)),
    ]
    for phase in phases { desk.hear(Desk.ana, state: desk.state(.play, phase, by: Desk.ana)) }
    for rate in [0, -1, 1e9, .infinity, -.infinity, .nan, .leastNonzeroMagnitude] {
      desk.hear(Desk.ana, state: desk.state(.play, .paused(at: 1), by: Desk.ana, rate: rate))
    }
    var future = desk.state(.play, .paused(at: 1), by: Desk.ana)
    future.stamp = Stamp(time: .max, participant: Desk.ana)
    desk.hear(Desk.ana, state: future)
    #expect(desk.directives.isEmpty && desk.changes.isEmpty)
    #expect(desk.phase == .paused(at: 0))

    desk.hear(Desk.ana, suspended: .init(repeating: .stallRecovery, count: 9))
    desk.hear(Desk.ana, suspended: [.init(rawValue: "")])
    desk.hear(Desk.ana, suspended: [.init(rawValue: String(repeating: "x", count: 129))])
    desk.hear(Desk.ana, item: "")
    desk.hear(Desk.ana, item: String(repeating: "x", count: 1025))
    desk.hear(Desk.ana, state: desk.state(.play, .paused(at: 9), by: Desk.ana), item: "another")
    #expect(desk.machine.others[Desk.ana]?.suspensions == [])
    #expect(desk.machine.others[Desk.ana]?.item == Desk.film)
  }

  @Test("A line that began so long ago that any film would be over has no effect")
  func longAgo() {
    var desk = Desk(with: Desk.ana)
    for past in [GroupTime(nanoseconds: .min), desk.now - .seconds(20_000)] {
      let line = Timeline(itemTime: .zero, groupTime: past, previousRate: 100)
      desk.hear(Desk.ana, state: desk.state(.play, .playing(line), by: Desk.ana, rate: 100))
    }
    #expect(desk.directives.isEmpty)
    #expect(desk.phase == .paused(at: 0))
  }

  @Test("A due date long past counts as due")
  func longDue() {
    var desk = Desk(with: Desk.ana)
    let past = GroupTime(nanoseconds: .min)
    desk.hear(Desk.ana, state: desk.state(.play, .starting(from: .zero, due: past), by: Desk.ana))
    #expect(desk.phase.due.map { $0 > desk.now } ?? false, "nobody is ready")
    desk.settlePlayer()
    desk.pass(.seconds(11))
    #expect(desk.phase.line != nil)
  }

  @Test(
    "A change of rate lies as far ahead as the slowest player's buffers, and the old rate holds until then"
  )
  func rateChangeLead() throws {
    var desk = Desk(with: Desk.ana)
    desk.machine.distances.roundTrips = [Desk.me: .zero, Desk.ana: .milliseconds(20)]
    desk.hear(Desk.ana, rateChangeLatency: 400)
    desk.act { machine, _ in machine.setLatencies(start: .zero, rateChange: .milliseconds(250)) }
    desk.playing(from: 10)
    desk.hear(Desk.ana, rateChangeLatency: 400)
    desk.play(rate: 2)
    let line = try #require(desk.phase.line)
    let lead = line.groupTime - desk.now
    #expect(lead >= .milliseconds(410) && lead <= .milliseconds(425))
    #expect(line.previousRate == 1)
    #expect(line.itemTime == MediaTime(seconds: 10) + lead)
  }

  @Test("Without a group, the line follows the player, and the player gets no command for it")
  func alone() {
    var desk = Desk()
    desk.play()
    desk.settlePlayer()
    desk.forget()
    desk.pass(.seconds(100))
    desk.machine.playerPlays(at: MediaTime(seconds: 99.99), now: desk.now)
    #expect(desk.machine.state?.itemTime(at: desk.now) == MediaTime(seconds: 99.99))
    desk.pass(.seconds(10))
    #expect(desk.machine.state?.itemTime(at: desk.now) == MediaTime(seconds: 109.99))
    #expect(desk.directives.isEmpty && desk.published.isEmpty && desk.changes.isEmpty)
    desk.pause()
    #expect(desk.directives.map(\.kind) == [.pause])
  }

  @Test("In a group, a player's report of its position doesn't move the line")
  func notAlone() {
    var desk = Desk(with: Desk.ana)
    desk.playing(from: 10)
    desk.machine.playerPlays(at: MediaTime(seconds: 12), now: desk.now)
    #expect(desk.machine.state?.itemTime(at: desk.now) == MediaTime(seconds: 10))
  }
}
