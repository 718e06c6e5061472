import Testing
import Timekeeping

@testable import GroupActivities

@Suite("Presence")
struct PresenceTests {
  @Test("A participant that falls silent is noticed within five seconds")
  func silence() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    gathering.vanish(1)
    gathering.run(for: .seconds(3))
    #expect(gathering.others(0) == ["Ben", "Chi"], "a second or two of silence mean nothing")
    gathering.run(for: .seconds(2))
    for index in [0, 2] {
      #expect(!gathering.knows(index, 1))
      #expect(gathering.departures(index).map(\.name) == ["Ben"])
      #expect(gathering.departures(index).map(\.announced) == [false])
    }
  }

  @Test(
    "A participant that promises its next beacon for the distant future, and falls silent, is soon gone",
    arguments: [10_000, 3_600_000, UInt64.max])
  func ghost(interval: UInt64) {
    var gathering = Gathering("Ana", "Ben", "Mallory")
    gathering.forge = { packet in
      guard packet.from == Gathering.id(2) else { return packet }
      var packet = packet
      switch packet.message {
      case .beacon(var beacon):
        beacon.interval = interval
        packet.message = .beacon(beacon)
      case .direct(.probeReply(var reply)):
        reply.introduction?.beacon.interval = interval
        packet.message = .probeReply(reply)
      case .event, .direct, .loose, .lane: break
      }
      return packet
    }
    gathering.gather()
    gathering.vanish(2)
    gathering.run(for: .seconds(6))
    #expect(gathering.others(0) == ["Ben", "Mallory"], "twice the interval is believed")
    gathering.run(for: .seconds(5))
    for index in 0..<2 {
      #expect(!gathering.knows(index, 2))
      #expect(gathering.departures(index).map(\.name) == ["Mallory"])
    }
  }

  @Test("Replayed old messages don't make an absent participant look present")
  func replayedLife() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.chat("hello", by: 1)
    gathering.run(for: .seconds(2))
    let recorded = gathering.said.filter { packet in
      packet.from == Gathering.id(1) && packet.to == Gathering.id(0)
    }
    gathering.vanish(1)
    let stale = gathering.members[0].machine.misconduct.rejections.stale
    for step in 0..<50 {
      gathering.hand(recorded[recorded.count - 1 - step % 10], to: 0)
      gathering.run(for: .milliseconds(100))
    }
    #expect(gathering.others(0) == [])
    #expect(gathering.departures(0).map(\.name) == ["Ben"])
    #expect(gathering.members[0].machine.misconduct.rejections.stale > stale)
  }

  @Test("A participant that leaves announces it, and the others don't wait for silence")
  func leave() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    gathering.leave(1)
    gathering.run(for: .milliseconds(50))
    for index in [0, 2] {
      #expect(gathering.departures(index).map(\.announced) == [true])
    }
    gathering.run(for: .seconds(10))
    #expect(gathering.departures(0).count == 1, "and it is said once")
  }

  @Test("A participant that was cut off returns under the same name, and is in the session again")
  func comesBack() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.activate("film", by: 0)
    gathering.run(for: .seconds(1))
    let session = gathering.members[0].machine.session!.id
    for index in 0..<2 { gathering.act(index) { $0.joinSession(session, at: $1) } }
    gathering.run(for: .seconds(2))
    #expect(gathering.members[0].machine.members(of: session).map(\.name) == ["Ana", "Ben"])

    gathering.isLost = { _ in true }
    gathering.run(for: .seconds(6))
    #expect(gathering.others(0) == [] && gathering.others(1) == [])
    #expect(gathering.members[0].machine.members(of: session).map(\.name) == ["Ana"])

    gathering.isLost = { _ in false }
    gathering.members[0].events = []
    gathering.run(for: .seconds(3))
    #expect(gathering.others(0) == ["Ben"] && gathering.others(1) == ["Ana"])
    #expect(gathering.members[0].machine.members(of: session).map(\.name) == ["Ana", "Ben"])
    #expect(gathering.members[0].events.contains(.sessionMembersChanged))
  }

  @Test("Silence while a participant's own link was down doesn't count against the others")
  func ownSilence() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.act(0) { machine, _ in machine.disconnected() }
    gathering.isLost = { _ in true }
    gathering.run(for: .seconds(20))
    #expect(gathering.others(0) == ["Ben"])
    gathering.isLost = { _ in false }
    gathering.act(0) { $0.connected(at: $1) }
    gathering.run(for: .seconds(4))
    #expect(gathering.others(0) == ["Ben"])
    #expect(gathering.departures(0).isEmpty)
  }

  @Test("A beacon that withdraws or backdates its sender's arrival changes nothing")
  func rewrittenArrival() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    let known = gathering.others(0)
    let invalid = gathering.members[0].machine.misconduct.rejections.invalid
    for joinedAt in [nil, Int64.min, 0, .max] {
      gathering.hand(.fromBen(.beacon(.of("Ben", joinedAt: joinedAt)), 1 << 40), to: 0)
    }
    #expect(gathering.others(0) == known)
    #expect(gathering.members[0].machine.misconduct.rejections.invalid == invalid + 4)
    #expect(gathering.members[0].machine.reference == Gathering.id(0))
  }

  // MARK: - The clock

  @Test(
    "When the creator leaves, the participant present longest takes over the clock, and time doesn't jump"
  )
  func handOver() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    #expect((0..<3).allSatisfy { gathering.members[$0].machine.reference == Gathering.id(0) })
    let (ben, chi) = (gathering.groupTime(1)!, gathering.groupTime(2)!)
    gathering.leave(0)
    var last = (ben, chi)
    for _ in 0..<100 {
      gathering.run(for: .milliseconds(1))
      let now = (gathering.groupTime(1)!, gathering.groupTime(2)!)
      #expect(abs((now.0 - last.0).inMilliseconds - 1) <= 0.011)
      #expect(abs((now.1 - last.1).inMilliseconds - 1) <= 0.011)
      last = now
    }
    #expect([1, 2].allSatisfy { gathering.members[$0].machine.reference == Gathering.id(1) })
    gathering.run(for: .seconds(60))
    let apart = gathering.groupTime(1)! - gathering.groupTime(2)!
    #expect(abs(apart.inMilliseconds) < 1)
    #expect(abs((gathering.groupTime(1)! - ben - .milliseconds(60_100)).inMilliseconds) < 1)
  }

  @Test("A participant that was cut off and was its own reference adopts the creator's time again")
  func reunion() {
    var gathering = Gathering.gathered("Ana", "Ben")
    gathering.isLost = { _ in true }
    gathering.run(for: .seconds(6))
    #expect(gathering.members[1].machine.isReference)
    // Its crystal has run ten milliseconds ahead meanwhile, which it can't know.
    gathering.members[1].clockOffset += .milliseconds(10)
    gathering.isLost = { _ in false }
    gathering.run(for: .seconds(240))
    #expect(gathering.members[1].machine.reference == Gathering.id(0))
    let apart = gathering.groupTime(0)! - gathering.groupTime(1)!
    #expect(abs(apart.inMilliseconds) < 1)
  }

  @Test("A machine that sleeps is back in the party's time at once, also if it is the reference")
  func sleep() {
    for sleeper in [0, 1] {
      var gathering = Gathering.gathered("Ana", "Ben", "Chi")
      gathering.run(for: .seconds(20))
      let before = gathering.groupTime(2)!
      gathering.sleep(sleeper, for: .seconds(100))
      gathering.run(for: .seconds(5))
      for index in 0..<3 {
        let drift = gathering.groupTime(index)! - before - .seconds(105)
        #expect(abs(drift.inMilliseconds) < 1, "\(sleeper) slept, \(index)")
        #expect(gathering.members[index].machine.reference == Gathering.id(0))
      }
    }
  }

  @Test("A reference that slept, with a clock that counts seconds, asks the others for the time")
  func coarseSleep() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    gathering.run(for: .seconds(20))
    let before = gathering.groupTime(2)!
    gathering.sleep(0, for: .seconds(100))
    // The reported sleep was 0.7 s too long.
    gathering.act(0) { $0.slept(for: .milliseconds(700), at: $1) }
    gathering.run(for: .seconds(8))
    for index in 0..<3 {
      let drift = gathering.groupTime(index)! - before - .seconds(108)
      #expect(abs(drift.inMilliseconds) < 12, "\(index)")
    }
  }

  @Test("Participants believe only the reference about the time")
  func liar() {
    var gathering = Gathering.gathered("Ana", "Ben", "Chi")
    let before = gathering.members[1].machine.clock
    let now = gathering.host(1)
    gathering.act(1) { $0.probe(Gathering.id(2), introduction: true, at: $1) }
    let nonce = gathering.members[1].machine.asked.probes.pending.keys.last!
    let wrong = GroupTime(nanoseconds: .max / 2)
    gathering.act(1) { machine, _ in
      machine.received(
        InboundMessage(
          sender: Gathering.id(2), epoch: 3000, sequence: 0,
          message: .probeReply(
            ProbeReply(
              nonce: nonce, times: .init(received: wrong, sent: wrong, uncertainty: 0), baseline: 0)
          ), receivedAt: now), at: now)
    }
    #expect(gathering.members[1].machine.clock == before)
  }

  @Test(
    "A newcomer that gets no time waits without spinning, and is admitted once it gets the time")
  func noTime() {
    var gathering = Gathering("Ana", "Ben")
    gathering.arrive(0)
    gathering.run(for: .seconds(1))
    let creator = gathering.members[0].machine.clock
    gathering.members[0].machine.clock = PartyClock()
    gathering.arrive(1)
    gathering.run(for: .seconds(5))
    #expect(gathering.members[1].machine.joinedAt == nil)
    gathering.members[0].machine.clock = creator
    gathering.run(for: .seconds(4))
    #expect(gathering.members[1].machine.joinedAt != nil)
  }

  // MARK: - The machine by itself

  private static let now = HostTime(nanoseconds: 1_000_000_000_000)

  @Test("A participant is active for a while after it acted, and newcomers ask for what came since")
  func activity() {
    let timing = PartyTiming()
    var presence = Presence(salt: 1)
    let isFirst = presence.acted(after: 7, at: Self.now, timing: timing)
    #expect(isFirst)
    let next = Self.now + .milliseconds(1)
    let isRepeated = presence.acted(after: 8, at: next, timing: timing)
    #expect(!isRepeated)
    #expect(presence.settledEvents(of: 9, at: next, timing: timing) == 7)
    let later = next + timing.activity
    #expect(!presence.isActive(at: later, timing: timing))
    #expect(presence.settledEvents(of: 9, at: later, timing: timing) == 9)
    let isNew = presence.acted(after: 9, at: later, timing: timing)
    #expect(isNew)
  }

  @Test("While messages wait to be processed, silence is measured with that delay")
  func backlog() {
    let timing = PartyTiming()
    var presence = Presence(salt: 1)
    #expect(!presence.searchesForSilent(at: Self.now))
    presence.rosterChanged(toPresent: 2, at: Self.now)
    #expect(presence.searchesForSilent(at: Self.now))
    presence.messageReceived(waitingSince: Self.now - .seconds(3), at: Self.now)
    #expect(presence.backlog == .seconds(3))
    let next = Self.now + .seconds(1)
    presence.silenceSearched(next: next, at: Self.now, timing: timing)
    #expect(presence.nextDeadline == next)
    #expect(presence.backlog == .zero)
  }

  @Test("A roster that differs is asked about once, after a pause, unless it agrees again")
  func doubt() {
    var presence = Presence(salt: 1)
    let (pause, wait) = (Duration.seconds(2), Duration.milliseconds(20))
    presence.rosterDoubt.rosterDiffers(at: Self.now, pause: pause, wait: wait)
    #expect(presence.nextDeadline == nil, "a moment's difference is normal")
    let later = Self.now + .seconds(1)
    presence.rosterDoubt.rosterDiffers(at: later, pause: pause, wait: wait)
    #expect(presence.nextDeadline == later + wait)
    let asksEarly = presence.rosterDoubt.questionDue(at: later)
    #expect(!asksEarly)
    let asks = presence.rosterDoubt.questionDue(at: later + wait)
    #expect(asks)
    #expect(presence.rosterDoubt.awaitsAnswer(at: later + wait))
    presence.rosterDoubt.rosterDiffers(at: later + wait, pause: pause, wait: wait)
    presence.rosterDoubt.rosterAgrees()
    #expect(presence.nextDeadline == nil)
  }
}
