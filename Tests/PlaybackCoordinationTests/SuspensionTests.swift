import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

@Suite("Apart from the group")
struct SuspensionTests {
  @Test("While suspended, my player doesn't follow the group")
  func deaf() {
    var desk = Desk.playing(with: Desk.ana)
    _ = desk.suspend(.userActionRequired)
    desk.forget()
    desk.hear(Desk.ana, state: desk.state(.seek, .paused(at: 500), by: Desk.ana))
    desk.pass(.seconds(5))
    #expect(desk.directives.isEmpty)
    #expect(desk.phase == .paused(at: 500), "but it is known")
  }

  @Test("While suspended, my actions don't move the group")
  func mute() {
    var desk = Desk.playing(with: Desk.ana)
    _ = desk.suspend(.userActionRequired)
    let group = desk.machine.groupState
    desk.forget()
    desk.seek(to: 77)
    desk.settlePlayer()
    desk.pause()
    desk.settlePlayer()
    #expect(!desk.directives.isEmpty, "my own player obeys me")
    #expect(desk.machine.groupState == group)
    #expect(desk.published.allSatisfy { $0.state == group })
    #expect(desk.changes.isEmpty)
  }

  @Test("The reasons are visible to the others")
  func visible() {
    var desk = Desk(with: Desk.ana)
    let first = desk.suspend(.playingInterstitial)
    let second = desk.suspend(.init(rawValue: "making tea"))
    #expect(
      desk.published.last?.suspensions == [
        .playingInterstitial, .init(rawValue: "making tea"),
      ])
    desk.end(first)
    #expect(desk.published.last?.suspensions == [.init(rawValue: "making tea")])
    desk.end(second)
    #expect(desk.published.last?.suspensions == [])
  }

  @Test(
    "A participant who is apart isn't ready for the group's start", arguments: [false, true])
  func notReady(comesApart: Bool) {
    var desk = Desk(with: Desk.ana, item: comesApart ? nil : Desk.film)
    let start = desk.state(
      .play, .starting(from: .zero, due: desk.now + .seconds(10)), by: Desk.ana)
    desk.hear(Desk.ana, state: start)
    if !comesApart { desk.done() }
    #expect(desk.machine.readyFor == (comesApart ? nil : start.stamp))
    let away = desk.suspend(.playingInterstitial)
    if comesApart {
      desk.act { $0.transition(to: Desk.film, proposing: nil, isPlayerReady: true, at: $1) }
    }
    desk.settlePlayer()
    #expect(desk.published.last?.suspensions == [.playingInterstitial])
    #expect(desk.published.last?.readyFor == nil)
    desk.end(away)
    desk.settlePlayer()
    #expect(desk.published.last?.readyFor == start.stamp)
  }

  /// The reason of Apple's sample "Supporting coordinated media playback".
  private static let samples = CoordinatedPlaybackSuspension.Reason(
    rawValue: "com.example.groupwatching.suspension.what-happened")

  @Test("A reason of up to 128 bytes stays itself; another one is refused")
  func reasons() async throws {
    let coordinator = DelegatingPlaybackCoordinator(playbackControlDelegate: IdlePlayer())
    try await coordinator.transitionToItem(withIdentifier: "film")
    let longest = CoordinatedPlaybackSuspension.Reason(rawValue: String(repeating: "ä", count: 64))
    for reason in [Self.samples, longest] {
      let suspension = try await coordinator.beginSuspension(for: reason)
      #expect(await coordinator.suspensionReasons == [reason])
      await suspension.end()
    }
    for text in [
      "", String(repeating: "a", count: 129), longest.rawValue + "a", "two\nlines", "\u{1B}[2J",
    ] {
      await #expect(throws: CoordinationError.unusableReason) {
        try await coordinator.beginSuspension(for: .init(rawValue: text))
      }
    }
    #expect(await coordinator.suspensionReasons.isEmpty)
  }

  @Test("A report with a reason of more than 128 bytes is malformed, and changes nothing")
  func overlong() {
    var desk = Desk(with: Desk.ana)
    desk.hear(Desk.ana, suspended: [.init(rawValue: String(repeating: "a", count: 128))])
    #expect(desk.machine.others[Desk.ana]?.suspensions.count == 1)
    desk.hear(Desk.ana, suspended: [.init(rawValue: String(repeating: "a", count: 129))])
    #expect(desk.machine.others[Desk.ana]?.suspensions.first?.rawValue.utf8.count == 128)
  }

  @Test("A report with all reasons at their limits fits into a message of the party")
  func widest() throws {
    func reason(_ number: Int) -> CoordinatedPlaybackSuspension.Reason {
      .init(rawValue: "\(number)" + String(repeating: "\"", count: 127))
    }
    var desk = Desk(with: Desk.ana)
    for number in 0..<20 { _ = desk.suspend(reason(number)) }
    var report = try #require(desk.published.last)
    #expect(report.suspensions.count == ParticipantReport.suspensionLimit)
    #expect(report.isSensible)
    let item = String(repeating: "/", count: ItemState.identifierLimit)
    report.item = item
    report.state?.item = item
    report.waitedOut = (0..<4).map { WaitedOutReason(reason: reason($0), limit: 1_000_000) }
    report.syncError = .min
    report.syncUncertainty = ParticipantReport.uncertaintyLimit
    report.itemEnd = .max
    let signed = SignedReport(report: report, proof: .empty)
    let data = signed.binary
    #expect(data.count <= PartyMachine.coordinationLimit, "\(data.count) bytes")
    #expect(try SignedReport(binary: data) == signed)
  }

  @Test("Suspensions nest; after the last one the player rejoins at the group's time and rate")
  func nest() throws {
    var desk = Desk(with: Desk.ana)
    desk.playing(rate: 1.5)
    let outer = desk.suspend(.userActionRequired)
    let inner = desk.suspend(.playingInterstitial)
    desk.pause()
    desk.settlePlayer()
    desk.pass(.seconds(10))
    desk.forget()
    desk.end(outer)
    #expect(desk.directives.isEmpty)
    desk.end(inner)
    let line = try #require(desk.phase.line)
    #expect(desk.issued == .play(rate: 1.5, itemTime: line.itemTime, groupTime: line.groupTime))
    desk.end(inner)
    desk.end(99)
    #expect(desk.directives.count == 1, "what ended before, or never was, ends nothing")
  }

  @Test("Ending with a new time moves the group there, at the group's rate")
  func newTime() {
    var desk = Desk(with: Desk.ana)
    desk.playing(rate: 1.5)
    let scrubbing = desk.suspend(.userIsChangingCurrentTime)
    desk.play(rate: 3)
    desk.settlePlayer()
    desk.end(scrubbing, proposing: 300)
    #expect(desk.phase.due != nil)
    #expect(desk.position == 300)
    #expect(desk.machine.groupState?.rate == 1.5)
    #expect(desk.published.last?.state?.originator == Desk.me)
  }

  @Test("A new time counts only with the last suspension")
  func newTimeNested() {
    var desk = Desk.playing(with: Desk.ana)
    let stall = desk.suspend(.stallRecovery)
    let scrubbing = desk.suspend(.userIsChangingCurrentTime)
    let group = desk.machine.groupState
    desk.end(scrubbing, proposing: 300)
    #expect(desk.machine.groupState == group)
    desk.end(stall)
    #expect(desk.machine.groupState == group)
  }

  @Test("Scrubbing in a paused group ends with all paused at the new position")
  func scrubPaused() {
    var desk = Desk(with: Desk.ana)
    let scrubbing = desk.suspend(.userIsChangingCurrentTime)
    desk.seek(to: 100)
    desk.seek(to: 200)
    desk.settlePlayer()
    desk.end(scrubbing, proposing: 200)
    #expect(desk.phase == .paused(at: 200))
  }

  @Test(
    "A participant that steps out of a start doesn't start alone, and the group doesn't wait for it"
  )
  func stepsOut() {
    var desk = Desk(with: Desk.ana)
    desk.play()
    let group = desk.machine.groupState!
    _ = desk.suspend(.userActionRequired)
    desk.settlePlayer()
    #expect(desk.machine.state?.isPaused == true)
    #expect(desk.machine.unready(for: group) == [Desk.ana])
  }

  @Test("A participant who is apart, and opens the film that the group starts, doesn't start alone")
  func opensDuringStart() {
    var desk = Desk(with: Desk.ana, item: nil)
    let start = ItemState.Phase.starting(from: MediaTime(seconds: 10), due: desk.now + .seconds(10))
    desk.hear(Desk.ana, state: desk.state(.play, start, by: Desk.ana))
    _ = desk.suspend(.userActionRequired)
    desk.act { $0.transition(to: Desk.film, proposing: nil, isPlayerReady: true, at: $1) }
    #expect(desk.machine.state?.phase == .paused(at: MediaTime(seconds: 10), isExact: true))
    #expect(desk.machine.groupState?.phase == start)
  }

  @Test("A start that all have left waits without announcements, and happens when one returns")
  func quietly() {
    var desk = Desk()
    desk.play()
    let away = desk.suspend(.userActionRequired)
    desk.settlePlayer()
    desk.pass(.seconds(60))
    #expect(desk.machine.nextDeadline == nil, "nothing is left to be done until then")
    desk.end(away)
    desk.settlePlayer()
    desk.pass(.milliseconds(10))
    desk.settlePlayer()
    #expect(desk.phase.line != nil)
  }

  // MARK: - Stalls and failures

  @Test("A slow play command shows as a stall, and has no effect on the others")
  func stall() {
    var desk = Desk(with: Desk.ana)
    let line = Timeline(itemTime: .zero, groupTime: desk.now, previousRate: 0)
    desk.hear(Desk.ana, state: desk.state(.play, .playing(line), by: Desk.ana))
    let group = desk.machine.groupState
    desk.pass(.milliseconds(200))
    #expect(desk.machine.visibleReasons.isEmpty)
    desk.pass(.seconds(5))
    #expect(desk.published.last?.suspensions == [.stallRecovery])
    #expect(desk.machine.groupState == group)
    #expect(desk.machine.suspensions.isEmpty, "the group's commands still reach the player")
    desk.done()
    #expect(desk.published.last?.suspensions == [])
  }

  @Test("The others' stalls never pause my player")
  func othersStall() {
    var desk = Desk.playing(with: Desk.ana)
    desk.hear(Desk.ana, suspended: [.stallRecovery])
    desk.pass(.seconds(20))
    #expect(desk.directives.isEmpty)
    #expect(desk.phase.line != nil)
  }

  @Test("A failing player is apart until it works again, and then catches up")
  func failure() {
    var desk = Desk(with: Desk.ana)
    let line = Timeline(itemTime: .zero, groupTime: desk.now, previousRate: 0)
    desk.hear(Desk.ana, state: desk.state(.play, .playing(line), by: Desk.ana))
    desk.fail(.coordinatedPlaybackNotPossible)
    #expect(desk.published.last?.suspensions == [.coordinatedPlaybackNotPossible])
    desk.forget()
    desk.hear(Desk.ana, state: desk.state(.seek, .paused(at: 60), by: Desk.ana))
    desk.pass(.seconds(5))
    #expect(desk.directives.isEmpty)
    desk.act { $0.playerBecameReady(at: $1) }
    #expect(desk.published.last?.suspensions == [])
    #expect(desk.issued == .seek(MediaTime(seconds: 60)))
  }

  @Test("An answer to a command that was superseded changes nothing")
  func superseded() {
    var desk = Desk.playing(with: Desk.ana)
    desk.pass(.seconds(2))
    desk.pause()
    let first = desk.directives.last!.id
    desk.seek(to: 40)
    let state = desk.machine.groupState
    desk.act { $0.commandEnded(first, .completed(itemTime: MediaTime(seconds: 2)), at: $1) }
    #expect(desk.machine.groupState == state)
  }
}
