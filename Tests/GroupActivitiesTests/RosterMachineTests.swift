import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

/// The roster alone, as a value: no party, no clock, no random numbers.
@Suite("The roster")
struct RosterMachineTests {
  private static let creator = id(0)
  private static let start = HostTime(nanoseconds: 1_000_000_000_000)

  private var roster = Roster(creator: Self.creator)
  private let now = Self.start

  private static func id(_ number: Int) -> Participant.ID {
    Participant.ID(high: 7, low: UInt64(number + 1))
  }

  private static func message(
    _ number: Int, _ sequence: UInt64 = 1, epoch: UInt64 = 1,
    _ message: WireMessage = .chat(ChatText(text: "x")), size: Int = 300
  ) -> InboundMessage {
    InboundMessage(
      sender: id(number), epoch: epoch, sequence: sequence, message: message, receivedAt: start,
      size: size)
  }

  /// Lets a participant send a first message, and challenges it.
  private mutating func meet(_ number: Int) {
    #expect(roster.messageArrived(from: Self.id(number), epoch: 1) == .unknown)
    let isMet = roster.met(Self.id(number), epoch: 1, baseline: 0, at: now)
    #expect(isMet)
    roster.challenged(Self.id(number), attempts: 1, nextAt: now + .seconds(1))
  }

  @discardableResult
  private mutating func answer(_ number: Int, at time: HostTime? = nil) -> [InboundMessage] {
    roster.introduced(Self.id(number), exchangeKey: nil, baseline: 0, at: time ?? now)
  }

  @discardableResult
  private mutating func beacon(
    _ number: Int, _ name: String? = nil, sequence: UInt64 = 1, joinedAt: Int64? = nil,
    lastEvent: UInt64 = 0, isIntroduction: Bool = false, me: Roster.Oneself? = nil,
    at time: HostTime? = nil
  ) -> Bool {
    let beacon = Beacon.of(
      name ?? "Guest \(number)", joinedAt: joinedAt ?? Int64(number), lastEvent: lastEvent)
    var new = Roster.AcceptableBeacon(
      beacon: beacon, sequence: sequence, name: beacon.name, isIntroduction: isIntroduction)
    if roster[Self.id(number)]?.arrivedAt == nil {
      new.arrival = beacon.joinedAt.map { .init(time: $0, isWitnessed: true) }
    }
    return roster.beaconAccepted(
      new, of: Self.id(number), besides: me ?? Roster.Oneself(name: "Me", seniority: nil),
      patience: .zero, at: time ?? now)
  }

  /// Lets participants arrive, one after the other.
  private mutating func arrive(_ numbers: Int..., named name: String? = nil) {
    for number in numbers {
      meet(number)
      answer(number)
      beacon(number, name, isIntroduction: true)
    }
  }

  private var present: [Participant.ID] { roster.present.map(\.id) }

  // MARK: - Admission

  @Test("The messages of a challenged participant are held until it answers")
  mutating func holding() {
    meet(1)
    #expect(roster.messageArrived(from: Self.id(1), epoch: 1) == .current)
    for sequence in 1...3 { #expect(roster.hold(Self.message(1, UInt64(sequence))) == 0) }
    #expect(present.isEmpty)
    #expect(answer(1).map(\.sequence) == [1, 2, 3])
    #expect(roster[Self.id(1)]?.held == [])
    #expect(roster[Self.id(1)]?.standing == .admitted)
    // It is present once its beacon says that it has joined.
    #expect(present.isEmpty)
    beacon(1)
    #expect(present == [Self.id(1)])
  }

  @Test("The oldest held messages are dropped beyond a number and a size")
  mutating func holdingIsBounded() {
    meet(1)
    let limit = PeerRecord.heldLimit
    let lost = (1...limit + 5).map { roster.hold(Self.message(1, UInt64($0))) }
    #expect(lost.reduce(0, +) == 5)
    #expect(answer(1).map(\.sequence) == (6...UInt64(limit) + 5).map { $0 })
    meet(2)
    let size = PeerRecord.heldSizeLimit / 2
    let dropped = (1...4).map { roster.hold(Self.message(2, $0, size: size)) }
    #expect(dropped == [0, 0, 1, 1])
    #expect(roster.hold(Self.message(2, 5, size: size * 2 + 1)) == 1)
    #expect(answer(2).map(\.sequence) == [3, 4])
  }

  @Test("A participant that never answered is forgotten, and one that was here before is absent")
  mutating func unanswered() {
    meet(1)
    arrive(2)
    _ = roster.left(Self.id(2), announced: false, at: now)
    #expect(roster.messageArrived(from: Self.id(2), epoch: 1) == .absent)
    roster.challenged(Self.id(2), attempts: 8, nextAt: now + .seconds(1))
    for number in 1...2 { _ = roster.hold(Self.message(number)) }
    #expect(roster.overdueChallenges(at: now).isEmpty)
    let overdue = roster.overdueChallenges(at: now + .seconds(1))
    #expect(overdue.map(\.id) == [Self.id(1), Self.id(2)])
    #expect(overdue.map(\.attempts) == [1, 8])
    for (id, _) in overdue { #expect(roster.challengesFailed(of: id) == 1) }
    #expect(roster[Self.id(1)] == nil)
    #expect(roster[Self.id(2)]?.standing == .absent)
    #expect(roster[Self.id(2)]?.held == [])
  }

  @Test("A full roster forgets the first participant that isn't admitted, and no other")
  mutating func eviction() {
    arrive(0)
    for number in 1..<Roster.limit { meet(number) }
    #expect(!roster.hasRoom)
    for number in 0..<10 { meet(Roster.limit + number) }
    #expect(roster.count == Roster.limit)
    #expect(roster[Self.id(0)] != nil)
    for number in 1...10 { #expect(roster[Self.id(number)] == nil) }
    #expect(roster[Self.id(11)] != nil)
    for id in roster.ids {
      _ = roster.introduced(id, exchangeKey: nil, baseline: 0, at: now)
    }
    let isMet = roster.met(Self.id(9999), epoch: 1, baseline: 0, at: now)
    #expect(!isMet)
    #expect(roster[Self.id(9999)] == nil && roster.count == Roster.limit)
  }

  @Test("Nothing that is known of an absent participant applies to another process of it")
  mutating func anotherProcess() {
    arrive(1)
    #expect(roster.messageArrived(from: Self.id(1), epoch: 2) == .current)
    _ = roster.left(Self.id(1), announced: false, at: now)
    #expect(roster.messageArrived(from: Self.id(1), epoch: 2) == .unknown)
    #expect(roster[Self.id(1)] == nil)
  }

  @Test("A process that answers takes the place of one that doesn't, without a new allowance")
  mutating func anotherProcessAnswers() {
    meet(1)
    meet(2)
    _ = roster.hold(Self.message(1))
    let isWithin = roster.spend(500, by: Self.id(1), at: now)
    #expect(isWithin)
    roster.otherProcessHeard(of: Self.id(1), epoch: 2)
    #expect(roster[Self.id(1)]?.process.candidate == 2)
    #expect(roster.otherProcessAnswered(of: Self.id(1), epoch: 2, at: now) == 1)
    #expect(roster[Self.id(1)]?.epoch == 2)
    #expect(roster[Self.id(1)]?.held == [])
    let isStillWithin = roster.spend(by: Self.id(1), at: now)
    #expect(!isStillWithin)
    #expect(Array(roster.ids) == [Self.id(1), Self.id(2)])
  }

  // MARK: - Presence

  private static func limits() -> SilenceLimits {
    SilenceLimits(Presence(salt: 1), RosterPolicy(participants: 4), active: 0)
  }

  @Test("A participant that isn't heard for its limit is silent, and the next one's time is known")
  mutating func silence() throws {
    arrive(1, 2, 3)
    let limits = Self.limits()
    let limit = limits.limit(of: .quiet, after: nil)
    roster.heard(Self.id(2), at: now + .seconds(1))
    roster.heard(Self.id(3), at: now + .seconds(2))
    let early = roster.silent(reference: nil, limits: limits, at: now + limit - .milliseconds(1))
    #expect(early.ids.isEmpty && early.next == now + limit)
    let (ids, next) = roster.silent(reference: nil, limits: limits, at: now + limit)
    #expect(ids == [Self.id(1)] && next == now + limit + .seconds(1))
    roster.linkReturned(at: now + limit)
    #expect(roster.silent(reference: nil, limits: limits, at: now + limit).ids.isEmpty)
  }

  @Test("The owner of a lost relay counts as silent soon, unless it is heard")
  mutating func lostRelay() {
    arrive(1, 2)
    let limits = Self.limits()
    for number in 1...2 {
      roster.relayLost(
        of: Self.id(number), grace: .seconds(1), reference: nil, limits: limits, at: now)
    }
    roster.heard(Self.id(2), at: now)
    let silent = roster.silent(reference: nil, limits: limits, at: now + .seconds(1))
    #expect(silent.ids == [Self.id(1)])
  }

  @Test("A participant that left is absent, and older beacons of it are no news")
  mutating func departure() {
    arrive(1, 2)
    #expect(roster.left(Self.id(1), announced: true, at: now)?.isPresent == true)
    #expect(roster.left(Self.id(2), announced: false, at: now)?.isPresent == true)
    #expect(roster.left(Self.id(3), announced: true, at: now) == nil)
    #expect(present.isEmpty)
    #expect(!roster.isNews(Self.message(1, 5)))
    #expect(roster.isNews(Self.message(2, 5)))
    #expect(!roster.isNews(Self.message(2, 1)))
    #expect(roster.isNews(Self.message(3, 1)))
    roster.readmitted(Self.id(1), at: now)
    #expect(present == [Self.id(1)])
  }

  @Test("The absence of a participant ends with its next beacon")
  mutating func absence() {
    arrive(1)
    _ = roster.left(Self.id(1), announced: false, at: now)
    roster.readmitted(Self.id(1), at: now + .seconds(4))
    beacon(1, sequence: 2, at: now + .seconds(5))
    #expect(roster[Self.id(1)]?.absence == .seconds(5))
    #expect(roster[Self.id(1)]?.absentSince == nil)
  }

  @Test("The last quiet participant makes room, never the creator, the reference or an active one")
  mutating func room() {
    arrive(0, 1, 2, 3, 4)
    roster.spoke(Self.id(4), isOwnWord: false, at: now)
    func makeRoom() -> Bool {
      roster.forgetLastQuiet(reference: Self.id(3), timing: PartyTiming(), at: now)
    }
    #expect(makeRoom() && makeRoom() && !makeRoom())
    #expect(present == [0, 3, 4].map(Self.id))
  }

  // MARK: - Beacons

  @Test("A beacon that repeats a number has no effect, except as an introduction")
  mutating func repeatedBeacon() {
    arrive(1)
    let peer = roster[Self.id(1)]!
    let known = peer.beacon!
    #expect(peer.verdict(on: known, sequence: 1, isIntroduction: false) == .repeated)
    #expect(
      peer.verdict(on: known, sequence: 1, isIntroduction: true) == .acceptable(name: "Guest 1"))
    #expect(peer.verdict(on: known, sequence: 0, isIntroduction: true) == .repeated)
  }

  @Test("A beacon can't change the time of joining, and has a visible name and few sessions")
  mutating func impossibleBeacon() {
    arrive(1)
    let peer = roster[Self.id(1)]!
    func verdict(_ beacon: Beacon) -> PeerRecord.BeaconVerdict {
      peer.verdict(on: beacon, sequence: 2, isIntroduction: false)
    }
    #expect(verdict(.of("Ben", joinedAt: 1)) == .acceptable(name: "Ben"))
    #expect(verdict(.of("Ben", joinedAt: 2)) == .impossible)
    #expect(verdict(.of("Ben", joinedAt: nil)) == .impossible)
    #expect(verdict(.of("\u{200D}", joinedAt: 1)) == .impossible)
    #expect(
      verdict(.of("Ben", joinedAt: 1, sessions: PartySessions.limit + 1)) == .impossible)
  }

  // MARK: - Names and seniority

  @Test("The creator comes first, then the participants in the order of their arrival")
  mutating func seniority() {
    arrive(3, 2, 0, 1)
    #expect(roster.presentBySeniority.map(\.id) == (0...3).map(Self.id))
    roster.arrivalDecided(
      .init(time: GroupTime(nanoseconds: 9), isWitnessed: false), of: Self.id(1))
    #expect(roster.presentBySeniority.map(\.id) == [0, 2, 3, 1].map(Self.id))
    #expect(roster.unwitnessed.map(\.id) == [Self.id(1)])
  }

  @Test("The junior of two equal names is shown with a number, until the senior leaves")
  mutating func names() {
    arrive(2, named: "Ana")
    #expect(roster[Self.id(2)]?.name == "Ana")
    arrive(1, named: "ＡＮＡ")
    // It was here before the other, which yields with its next beacon.
    #expect(roster[Self.id(1)]?.name == "ＡＮＡ")
    beacon(2, "Ana", sequence: 2, joinedAt: 2)
    #expect(roster[Self.id(2)]?.name == "Ana 2")
    #expect(roster.uniqueName(for: "ana") == "ana 3")
    _ = roster.left(Self.id(1), announced: true, at: now)
    beacon(2, "Ana", sequence: 3, joinedAt: 2)
    #expect(roster[Self.id(2)]?.name == "Ana")
  }

  @Test("A participant that came after this one doesn't get its name")
  mutating func ownName() {
    let mine = Seniority(GroupTime(nanoseconds: 5), Self.id(9), creator: Self.creator)
    let me = Roster.Oneself(name: "Me", seniority: mine)
    for number in [4, 6] {
      meet(number)
      answer(number)
      beacon(number, "me", isIntroduction: true, me: me)
    }
    #expect(roster[Self.id(4)]?.name == "me")
    #expect(roster[Self.id(6)]?.name == "me 2")
  }

  // MARK: - Time

  @Test("Three answers in a row that can't be true depose a reference for good")
  mutating func deposed() {
    arrive(1)
    let verdicts = [true, true, false, true, true, true].map {
      roster.timeAnswered(by: Self.id(1), isContradiction: $0)
    }
    #expect(verdicts == [false, false, false, false, false, true])
    _ = roster.timeAnswered(by: Self.id(1), isContradiction: false)
    #expect(roster[Self.id(1)]?.clock.isDeposed == true)
    #expect(roster.lastingRanks.isEmpty)
  }

  // MARK: - Messages

  @Test("Events are delivered once and in order, and a gap is asked for when it is due")
  mutating func events() {
    arrive(1)
    let chats = (1...3).map { EventMessage.chat(ChatText(text: "\($0)")) }
    func receive(_ number: UInt64) -> [EventMessage]? {
      roster.eventReceived(
        chats[Int(number) - 1], sequence: number, from: Self.id(1), patience: .seconds(1), at: now)
    }
    #expect(receive(1) == [chats[0]] && receive(1) == nil && receive(3) == [])
    #expect(roster.vectorEntry(of: Self.id(1))?.next == 2)
    #expect(roster.nextDeadline == now + .seconds(1))
    #expect(roster.requestMissing(from: Self.id(1), at: now) == nil)
    let request = ResendRequest(from: 2, through: 2)
    #expect(roster.lacks(request, of: Self.id(1)))
    #expect(roster.requestMissing(from: Self.id(1), at: now + .seconds(1)) == .ask(request))
    #expect(receive(2) == [chats[1], chats[2]])
    #expect(!roster.lacks(request, of: Self.id(1)) && roster.nextDeadline == nil)
  }

  @Test("Lanes have an allowance of their own")
  mutating func allowances() {
    arrive(1)
    let packet = LanePacket(session: GroupSessionID(rawValue: 1), data: Data())
    let isWithin = roster.spend(500, by: Self.id(1), at: now)
    #expect(isWithin)
    let isHeard = roster.spend(for: Self.message(1), at: now)
    #expect(!isHeard)
    let isLaneHeard = roster.spend(for: Self.message(1, 1, .lane(packet)), at: now)
    #expect(isLaneHeard)
    let isHeardLater = roster.spend(for: Self.message(1), at: now + .seconds(1))
    #expect(isHeardLater)
  }

  @Test("An older report of a coordinator doesn't replace a newer one")
  mutating func reports() {
    arrive(1)
    func report(_ version: UInt64) -> CoordinationReport {
      CoordinationReport(
        session: GroupSessionID(rawValue: 1), data: Data(), version: version)
    }
    let isNews = roster.coordinationReported(report(2), by: Self.id(1))
    #expect(isNews)
    let isNewsAgain = roster.coordinationReported(report(2), by: Self.id(1))
    #expect(!isNewsAgain)
    let isOlderNews = roster.coordinationReported(report(1), by: Self.id(1))
    #expect(!isOlderNews)
    let isNewerNews = roster.coordinationReported(report(3), by: Self.id(1))
    #expect(isNewerNews)
    #expect(roster[Self.id(1)]?.coordination?.version == 3)
  }

  @Test("Strangers share a bound, the one that holds most loses first, and members lose nothing")
  mutating func memory() {
    arrive(0)
    let part = AppMessage(
      session: GroupSessionID(rawValue: 1), type: "x", version: 1, data: Data(count: 60 << 10),
      recipients: nil, part: .init(message: 1, index: 0, count: 2))
    #expect(roster.partReceived(part, from: Self.id(0), isLoose: false) == nil)
    let member = roster.heldBytes(of: Self.id(0))
    #expect(member >= 60 << 10)
    let count = Roster.strangersHeldLimit / (60 << 10) + 1
    for number in 1...count {
      meet(number)
      _ = roster.hold(Self.message(number, size: (number == 7 ? 64 : 60) << 10))
    }
    #expect(roster.boundMemory(of: Self.id(count), at: now) == 1)
    #expect(roster.heldBytes(of: Self.id(7)) == 0)
    for number in 1...count where number != 7 {
      #expect(roster.heldBytes(of: Self.id(number)) == 60 << 10)
    }
    #expect(roster.heldBytes(of: Self.id(0)) == member)
  }

  // MARK: - Comparison

  @Test("Two rosters of the same participants have the same digest, in any order")
  mutating func digest() {
    arrive(1, 2, 3)
    let before = roster
    let digest = roster.digest(with: Self.id(9))
    roster = Roster(creator: Self.creator)
    arrive(3, 1, 9)
    #expect(roster.digest(with: Self.id(2)) == digest)
    #expect(roster.present(notAmong: Set(before.presentHashes)).map(\.id) == [Self.id(9)])
    _ = roster.left(Self.id(9), announced: true, at: now)
    #expect(roster.digest(with: Self.id(2)) != digest)
  }
}
