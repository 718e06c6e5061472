import Foundation
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal
@testable import PlaybackCoordination

/// Random values of everything that travels, within its limits.
struct WireSamples {
  var dice: RandomSource

  init(seed: UInt64) { dice = .seeded(seed) }

  // MARK: - Basic values

  private static let edges: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, .max >> 1, 1 << 63, .max]

  mutating func number() -> UInt64 {
    Bool.random(using: &dice) ? Self.edges.randomElement(using: &dice)! : dice.next()
  }

  mutating func signed() -> Int64 { Int64(bitPattern: number()) }
  mutating func flag() -> Bool { Bool.random(using: &dice) }
  mutating func bytes(_ limit: Int) -> [UInt8] {
    (0..<Int.random(in: 0...limit, using: &dice)).map { _ in
      UInt8.random(in: .min ... .max, using: &dice)
    }
  }
  mutating func bytes(exactly count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &dice) }
  }
  mutating func data(_ limit: Int) -> Data { Data(bytes(limit)) }
  mutating func text(_ limit: Int = 20) -> String {
    let letters = Array("aé電🎬\u{0} \n\"")
    let count = Int.random(in: 0...max(0, limit / 4), using: &dice)
    return String((0..<count).map { _ in letters.randomElement(using: &dice)! })
  }
  mutating func time() -> GroupTime { GroupTime(nanoseconds: signed()) }
  mutating func media() -> MediaTime { MediaTime(nanoseconds: signed()) }
  mutating func rate() -> Double { [0, 0.01, 1, 1.25, -3, 1e300].randomElement(using: &dice)! }
  mutating func id() -> Participant.ID { Participant.ID(high: number(), low: number()) }
  mutating func session() -> GroupSessionID { GroupSessionID(rawValue: number()) }
  mutating func stamp() -> Stamp { Stamp(time: signed(), participant: id()) }
  mutating func proof() -> Proof {
    Proof(publicKey: Data(bytes(exactly: 32)), signature: Data(bytes(exactly: 64)))
  }

  mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
    flag() ? make(&self) : nil
  }

  mutating func list<Value>(_ limit: Int, _ make: (inout Self) -> Value) -> [Value] {
    (0..<Int.random(in: 0...limit, using: &dice)).map { _ in make(&self) }
  }

  // MARK: - Parts of messages

  mutating func register() -> SessionRegister {
    SessionRegister(
      id: session(), stamp: stamp(), initiator: id(), activityIdentifier: text(256),
      activity: data(100), endsWithInitiator: flag(), ended: flag(),
      opening: maybe { $0.number() }, proof: maybe { $0.proof() })
  }

  mutating func beacon() -> Beacon {
    var beacon = Beacon(name: text(), joinedAt: maybe { $0.time() }, lastEvent: number())
    beacon.sessions = list(Beacon.sessionLimit) {
      .init(
        kind: UInt32(truncatingIfNeeded: $0.number()), stamp: $0.stamp(),
        joined: $0.maybe { $0.session() })
    }
    beacon.coordination = number()
    beacon.coordinationDigest = maybe { $0.data(Beacon.digestLimit) }
    beacon.policyLog = maybe { $0.number() }
    beacon.clockUncertainty = maybe { Int64($0.number() >> 1) }
    beacon.clockRoundTrip = maybe { Int64($0.number() >> 1) }
    beacon.sentAt = maybe { $0.time() }
    (beacon.interval, beacon.count) = (number(), number())
    (beacon.settled, beacon.roster) = (number(), number())
    beacon.wallClock = maybe {
      WallClockClaim(offset: $0.signed(), uncertainty: 1_000_000, clockUncertainty: 1)
    }
    return beacon
  }

  mutating func standby() -> StandbyReport {
    StandbyReport(
      addresses: list(StandbyReport.addressLimit) {
        Invite.Address(host: "10.0.0.\($0.number() % 100)", port: 1 + Int($0.number() % 65535))!
      }, reach: flag() ? .some : .everybody,
      reached: list(StandbyReport.reachedLimit) { UInt32(truncatingIfNeeded: $0.number()) })
  }

  mutating func coordination() -> CoordinationReport {
    CoordinationReport(
      session: session(), data: data(300), version: number(), isCommand: flag())
  }

  mutating func reply() -> ProbeReply {
    ProbeReply(
      nonce: number(),
      times: maybe { .init(received: $0.time(), sent: $0.time(), uncertainty: $0.signed()) },
      baseline: number(),
      introduction: maybe {
        .init(
          beacon: $0.beacon(), beaconSequence: $0.number(), members: $0.list(5) { $0.id() },
          coordination: $0.maybe { $0.coordination() },
          seniors: $0.maybe { $0.list(5) { .init(id: $0.id(), arrivedAt: $0.time()) } },
          exchangeKey: $0.maybe { $0.bytes(exactly: 32) })
      })
  }

  mutating func app() -> AppMessage {
    AppMessage(
      session: session(), type: "t" + text(), version: Int(signed()), data: data(200),
      recipients: maybe { $0.list(4) { $0.id() } },
      part: maybe {
        let count = Int.random(in: 2...AppMessage.partLimit, using: &$0.dice)
        return .init(
          message: $0.number(), index: Int.random(in: 0..<count, using: &$0.dice), count: count)
      })
  }

  mutating func amendment() -> PartyAmendment {
    switch Int.random(in: 1...9, using: &dice) {
    case 1: .control(flag() ? .everyone : .hosts)
    case 2: .lifetime(flag() ? .automatic : .endsWhenHostLeaves)
    case 3: .waiting(flag() ? .everyone : .nobody)
    case 4: .appointCoHost(id())
    case 5: .dismissCoHost(id())
    case 6: .handOver(to: id())
    case 7: .remove(id())
    case 8: .close(admitting: list(PartyAmendment.memberLimit) { $0.id() })
    default: .open
    }
  }

  mutating func policyLog() -> PolicyLogLinks {
    var links = PolicyLogLinks(
      links: list(6) { .init(amendment: $0.amendment(), author: $0.id(), proof: $0.proof()) })
    let fixed = proof()
    let authorship = Authorship { _ in
      fixed
    } isValid: { _, _, _ in
      true
    }
    if flag() {
      var rules = PartyRules(creator: id())
      rules.control = flag() ? .everyone : .hosts
      rules.coHosts = Set(list(5) { $0.id() })
      rules.admitted = maybe { Set($0.list(5) { $0.id() }) }
      links.summary = PolicySummary(
        number: number(), of: rules, removed: list(5) { $0.id() }, authorship: authorship)
    }
    if flag() { links.opening = PartyOpening(number: number(), authorship: authorship) }
    return links
  }

  // MARK: - Messages

  /// One message of each type.
  mutating func messages() -> [WireMessage] {
    [
      .chat(ChatText(text: text(200))), .session(register()), .coordination(coordination()),
      .app(app()), .policyLog(policyLog()), .leave(Leave(closesParty: flag(), keepsRelay: flag())),
      .beacon(beacon()),
      .loose(app()), .lane(LanePacket(session: session(), lane: "a-1.b", data: data(100))),
      .probe(Probe(nonce: number(), introduction: flag())), .probeReply(reply()),
      .resendRequest(ResendRequest(from: number(), through: number(), of: maybe { $0.id() })),
      .resendRefusal(ResendRefusal(through: number())), .stateRequest, .state(register()),
      .leaveReply, .policyLogRequest, .direct(.policyLog(policyLog())), .coordinationRequest,
      .direct(.coordination(coordination())),
      .arrival(Arrival(nonce: number(), exchangeKey: maybe { $0.bytes(exactly: 32) })),
      .welcome(Welcome(reply: reply(), sessions: list(4) { $0.register() }, count: number())),
      .vector(
        EventVector(
          entries: list(9) { .init(sender: $0.id(), epoch: $0.number(), next: $0.number()) },
          isPublic: flag())),
      .originals(Originals(signed: list(4) { $0.bytes(50) })),
      .roster(
        RosterComparison(
          known: list(9) { UInt32(truncatingIfNeeded: $0.number()) },
          purpose: [.question, .answer, .showYourself].randomElement(using: &dice)!)),
      .keyRequest(
        KeyRequest(
          publicKey: bytes(exactly: 32), epoch: KeyEpoch(rawValue: number()),
          wanted: maybe { ContentKeyID(rawValue: max(1, UInt32(truncatingIfNeeded: $0.number()))) },
          answers: number())),
      .keyShares(
        KeyShares(
          epoch: KeyEpoch(rawValue: number()), author: id(), proof: proof(),
          shares: list(4) {
            .init(recipient: $0.id(), sealed: $0.bytes(exactly: KeyShares.Share.byteCount))
          })),
    ]
  }

  mutating func state(of item: String) -> ItemState {
    let stamp = stamp()
    let phase: ItemState.Phase =
      switch Int.random(in: 0..<3, using: &dice) {
      case 0: .paused(at: media(), isExact: flag())
      case 1: .starting(from: media(), due: time())
      default:
        .playing(Timeline(itemTime: media(), groupTime: time(), previousRate: rate()))
      }
    return ItemState(
      item: item, stamp: stamp, originator: flag() ? stamp.participant : id(),
      change: [.play, .pause, .seek, .rate, .ended, .proposed].randomElement(using: &dice)!,
      rate: rate(), phase: phase)
  }

  mutating func report() -> SignedReport {
    var report = ParticipantReport(revision: number(), suspensions: [])
    report.item = maybe { $0.text(100) }
    if let item = report.item { report.state = maybe { $0.state(of: item) } }
    report.readyFor = maybe { $0.stamp() }
    if flag() { report.readyFor = report.state?.stamp }
    report.suspensions = list(ParticipantReport.suspensionLimit) {
      $0.flag() ? .stallRecovery : .init(rawValue: $0.text(40))
    }
    report.startLatency = maybe { $0.signed() }
    report.rateChangeLatency = maybe { $0.signed() }
    report.syncError = maybe { $0.signed() }
    report.syncUncertainty = maybe { $0.signed() }
    report.loadedPercent = maybe { $0.signed() }
    report.waitedOut = maybe {
      $0.list(WaitedOutReason.countLimit) {
        WaitedOutReason(reason: .init(rawValue: $0.text(40)), limit: $0.maybe { Int($0.signed()) })
      }
    }
    report.itemEnd = maybe { $0.signed() }
    return SignedReport(report: report, proof: maybe { $0.proof() })
  }

  mutating func record() -> JournalRecord {
    JournalRecord(
      author: id(), slot: Int.random(in: 0..<JournalRecord.slotLimit, using: &dice),
      bodyHash: Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &dice) }),
      proof: proof(), body: maybe { $0.data(100) })
  }

  mutating func journalBody() -> JournalBody {
    JournalBody(
      addedAt: signed(), size: Int64(number() >> 1), root: Data(count: 32), type: text(),
      fileName: maybe { $0.text() }, metadata: maybe { $0.data(100) },
      isOnDemand: flag())
  }

  mutating func journalMessages() -> [JournalMessage] {
    func index() -> Int { Int.random(in: 0..<1 << 20, using: &dice) }
    func holding() -> JournalMessage.Holding {
      let ends = Set((0..<2 * (index() % 5)).map { _ in index() }).sorted()
      return .init(
        id: UUID(), chunks: (0..<ends.count / 2).map { ends[2 * $0]..<ends[2 * $0 + 1] })
    }
    return [
      .query(.init(nonce: number(), inventory: data(80))),
      .records(
        .init(records: list(4) { $0.record() }, nonce: maybe { $0.number() }, hasMore: flag())),
      .summary(
        .init(
          digest: number(), weight: index(), complete: Data(count: 16 * (index() % 5)),
          partial: (0..<index() % 4).map { _ in holding() })),
      .request(
        .init(
          id: UUID(), level: index() % 3, indices: (0...index() % 9).map { _ in index() },
          isUrgent: flag(), isReplacing: flag(), isListening: flag())),
      .holding(holding()),
      .shared(
        UUID(), Piece(level: index() % 3, index: index()), data(100), askers: list(3) { $0.id() }),
      .piece(UUID(), Piece(level: index() % 3, index: index()), data(100)),
    ]
  }
}
