import Foundation
import Testing
import Timekeeping

@testable import GroupActivities

/// Values that programs make of what several participants sent: the result is a legal message, whatever legal messages
/// went into it.
@Suite("The largest merged values")
struct MergedValueTests {
  /// The limit of a broker.
  private static let messageLimit = 64 << 10

  private static func id(_ number: Int) -> Participant.ID {
    Participant.ID(high: 1, low: UInt64(number))
  }

  /// A message fits a broker with its envelope, and is read as what it is.
  private func expectLegal(
    _ message: WireMessage, _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let bytes = message.encoded()
    #expect(
      bytes.count + EnvelopeSealer.overhead + 9 <= Self.messageLimit, what,
      sourceLocation: sourceLocation)
    let read = try? WireMessage(decoding: bytes, as: message.delivery)
    #expect(read == message, what, sourceLocation: sourceLocation)
  }

  /// An encoded text of any length.
  private static func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

  private static func register(_ number: Int, activity: Int = SessionRegister.activityLimit)
    -> SessionRegister
  {
    var register = SessionRegister(
      id: GroupSessionID(rawValue: .max), stamp: Stamp(time: .max, participant: id(number)),
      initiator: id(1),
      activityIdentifier: String(number) + text(SessionRegister.identifierLimit - 1),
      activity: Data(count: activity), endsWithInitiator: true, ended: false, opening: .max)
    register.proof = Authorship.of(ParticipantIdentity(), party: id(0))
      .sign(register.provenBytes)
    return register
  }

  private static func beacon(_ sessions: [SessionRegister]) -> Beacon {
    var store = PartySessions()
    for register in sessions { _ = store.registerReceived(register) }
    for register in sessions { store.join(register.id) }
    var beacon = Beacon(
      name: text(1024), joinedAt: GroupTime(nanoseconds: .max), lastEvent: .max,
      sessions: store.held, coordination: .max,
      coordinationDigest: Data(count: Beacon.digestLimit), policyLog: .max,
      clockUncertainty: .max, clockRoundTrip: .max, sentAt: GroupTime(nanoseconds: .max),
      interval: .max, count: .max, settled: .max, roster: .max)
    beacon.wallClock = WallClockClaim(
      offset: .min, uncertainty: WallClockClaim.greatestUncertainty.inNanoseconds,
      clockUncertainty: WallClockClaim.greatestUncertainty.inNanoseconds)
    return beacon
  }

  private static func introduction(of beacon: Beacon) -> ProbeReply.Introduction {
    .init(
      beacon: beacon, beaconSequence: .max,
      members: (0..<ProbeReply.Introduction.memberLimit).map(id),
      coordination: CoordinationReport(
        session: GroupSessionID(rawValue: .max), data: Data(count: CoordinationReport.limit),
        version: .max, isCommand: true),
      seniors: (0..<ProbeReply.Introduction.seniorLimit).map {
        .init(id: id($0), arrivedAt: GroupTime(nanoseconds: .max))
      }, exchangeKey: [UInt8](repeating: 1, count: KeyExchange.publicKeyByteCount))
  }

  @Test("The largest rules, restated and changed by two hosts as often as possible, and merged")
  func policyLog() throws {
    let creator = ParticipantIdentity()
    let (next, rival) = (ParticipantIdentity(), ParticipantIdentity())
    func amend(
      _ log: inout PolicyLog, _ amendment: PartyAmendment, by author: ParticipantIdentity
    ) -> Bool {
      log.amend(amendment, by: author.id, authorship: .of(author, party: creator.id))
    }
    let crowd = (0..<PolicyLog.memberLimit).map { Self.id(1000 + $0) }
    var log = PolicyLog(creator: creator.id)
    for number in 0..<300 {
      let isMade = amend(&log, .remove(Self.id(number)), by: creator)
      #expect(isMade)
    }
    for coHost in crowd.dropLast(2) + [next.id, rival.id] {
      let isMade = amend(&log, .appointCoHost(coHost), by: creator)
      #expect(isMade)
    }
    let isClosed = amend(&log, .close(admitting: (0..<64).map { Self.id(5000 + $0) }), by: creator)
    #expect(isClosed)
    // The handover begins another log, in which the next host then has all the room.
    let isHandedOver = amend(&log, .handOver(to: next.id), by: creator)
    #expect(isHandedOver)
    let summary = try #require(log.summary)
    #expect(summary.removed.count == PolicySummary.removedLimit)
    log.open(number: .max - 1, authorship: .of(creator, party: creator.id))

    var halves = [log, log]
    for (half, author) in [(0, next), (1, rival)] {
      while amend(&halves[half], .close(admitting: crowd), by: author) {}
      while amend(&halves[half], .open, by: author) {}
      while amend(&halves[half], .open, by: next) {}
    }
    halves[1].open(number: .max, authorship: .of(creator, party: creator.id))
    let merged = halves[0].merged(with: halves[1])
    #expect(merged.digest == halves[1].merged(with: halves[0]).digest)
    let read = PolicyLog(
      creator: creator.id, merged.message, authorship: .of(next, party: creator.id))
    #expect(read == merged)
    #expect(merged.encoded().count > 36 << 10)
    for message in [WireMessage.policyLog(merged.message), .direct(.policyLog(merged.message))] {
      expectLegal(message, "rules of \(merged.links.count) changes")
    }
    // Anybody can pass the event on.
    let original = [UInt8](
      repeating: 0,
      count: WireMessage.policyLog(merged.message).encoded().count + EnvelopeSealer.overhead)
    let passedOn = Originals.messages(of: [original])
    #expect(passedOn.count == 1)
    for message in passedOn { expectLegal(.originals(message), "the rules as an original") }
  }

  @Test("The largest sessions of four authors, in a welcome with all else, in a beacon and alone")
  func sessions() {
    let registers = (1...4).map { Self.register($0) }
    let beacon = Self.beacon(registers)
    for register in registers {
      expectLegal(.session(register), "event")
      expectLegal(.state(register), "state")
    }
    let reply = ProbeReply(
      nonce: .max,
      times: .init(
        received: GroupTime(nanoseconds: .max), sent: GroupTime(nanoseconds: .max),
        uncertainty: .max), baseline: .max, introduction: Self.introduction(of: beacon))
    expectLegal(.probeReply(reply), "introduction")
    for activity in [SessionRegister.activityLimit, 12 << 10, 6 << 10, 1] {
      let sessions = Welcome.fitting((1...4).map { Self.register($0, activity: activity) })
      #expect(!sessions.isEmpty)
      expectLegal(
        .welcome(Welcome(reply: reply, sessions: sessions, count: .max)), "\(activity) bytes each")
    }
  }

  @Test("The largest part in the relays, after a beacon with everything")
  func relays() throws {
    var standby = StandbyState()
    let addresses = (100..<120).map { number in
      Invite.Address(host: "fd00:1111:2222:3333:4444:5555:6666:1\(number)", port: 65_535)!
    }
    standby.offer(addresses)
    let offers = (0..<20).map { number in
      RelayOffer(
        owner: Self.id(number), addresses: addresses, isCreators: false, isPresent: true,
        isKept: false, reached: addresses, reach: .everybody, joinedAt: .max)
    }
    for offer in offers { standby.reached(offer.owner, at: addresses[0]) }
    _ = standby.takeNews(offers, to: Self.id(99))
    for offer in offers { standby.reached(offer.owner, at: addresses[0]) }
    var beacon = Self.beacon((1...4).map { Self.register($0) })
    beacon.standby = standby.report
    beacon.otherCopy = .max
    #expect(standby.report.addresses.count == StandbyReport.addressLimit)
    #expect(standby.report.reached.count == StandbyReport.reachedLimit)
    expectLegal(.beacon(beacon), "\(standby.report)")
  }

  @Test("A secret for more participants than one message holds")
  func keyShares() {
    let me = Self.id(0)
    var rules = PartyRules(creator: me)
    rules.removed = [Self.id(9999)]
    var keys = KeyMachine(
      me: me, exchange: .trusting(me), authorship: .of(ParticipantIdentity(), party: me),
      rules: rules)
    var random = RandomSource.seeded(1)
    let recipients = (1...1300).map {
      KeyMachine.Recipient(id: Self.id($0), publicKey: KeyExchange.trusting(Self.id($0)).publicKey)
    }
    var reached = 0
    for case .share(let shares, to: nil) in keys.propose(
      to: recipients, participants: 1301, at: HostTime(nanoseconds: 0), random: &random)
    {
      reached += shares.shares.count
      expectLegal(.keyShares(shares), "\(shares.shares.count) shares")
    }
    #expect(reached == 1300)
  }

  @Test("More participants than a roster has, in comparisons, questions about events and answers")
  func roster() throws {
    let hashes = (0...UInt32(Roster.limit)).map { $0 }
    let comparison = WireMessage.roster(RosterComparison(known: hashes, purpose: .answer)).encoded()
    #expect(throws: Never.self) { try WireMessage(decoding: comparison, as: .direct) }
    let entries = (0...Roster.limit).map {
      EventVector.Entry(sender: Self.id($0), epoch: .max, next: .max)
    }
    let vector = WireMessage.vector(EventVector(entries: entries, isPublic: true)).encoded()
    #expect(throws: Never.self) { try WireMessage(decoding: vector, as: .direct) }
    for size in [110, 300, 5000, Originals.sizeLimit - 10] {
      let originals = Originals.messages(
        of: [[UInt8]](repeating: [UInt8](repeating: 1, count: size), count: 600))
      #expect(originals.reduce(0) { $0 + $1.signed.count } == 600)
      for message in originals { expectLegal(.originals(message), "\(size) bytes each") }
    }
  }

  @Test("A wall clock is claimed only as far as it may be doubted")
  func wallClock() throws {
    let now = HostTime(nanoseconds: 1_000_000_000)
    for doubt in [Duration.zero, .milliseconds(1), .seconds(1), .seconds(10)] {
      var clock = PartyClock()
      clock.assume(offset: .zero, uncertainty: .zero, at: now)
      clock.noteWallClock(
        WallClockReading(
          offset: .seconds(2_000_000_000), uncertainty: WallClockClaim.greatestUncertainty), at: now
      )
      var beacon = Self.beacon([])
      beacon.wallClock = clock.wallClockClaim(doubt: doubt, at: now)
      #expect((beacon.wallClock == nil) == (doubt > .zero), "\(doubt)")
      expectLegal(.beacon(beacon), "\(doubt)")
    }
  }
}
