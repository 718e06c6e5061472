import Crypto
import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal
@testable import PlaybackCoordination

/// `Wire.md` contains what these tests compute. After a change of the protocol the failure names the new values.
@Suite("The test vectors of Wire.md")
struct WireVectorTests {
  private static let article = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/GroupActivities/GroupActivities.docc/Wire.md")

  /// The vectors of the article: a name, and text or hexadecimal digits that may continue on further, indented lines.
  private static func documented() throws -> [String: String] {
    let text = try String(contentsOf: article, encoding: .utf8)
    let block = try #require(text.components(separatedBy: "```vectors\n").dropFirst().first)
    var vectors: [String: String] = [:]
    var name = ""
    for line in block.prefix(upTo: try #require(block.range(of: "```")).lowerBound)
      .split(separator: "\n")
    {
      var words = line.split(separator: " ")
      if line.first != " " { name = String(words.removeFirst()) }
      vectors[name, default: ""] += words.joined()
    }
    return vectors
  }

  private let ana = ParticipantIdentity(seed: [UInt8](repeating: 1, count: 32))!
  private let ben = ParticipantIdentity(seed: [UInt8](repeating: 2, count: 32))!
  private let cai = ParticipantIdentity(seed: [UInt8](repeating: 3, count: 32))!
  private let dov = ParticipantIdentity(seed: [UInt8](repeating: 4, count: 32))!
  private let secret = PartySecret(text: "AAECAwQFBgcICQoLDA0ODw")!
  private let session = GroupSessionID(rawValue: 9)
  private var stamp: Stamp { Stamp(time: 5, participant: ana.id) }
  private var authorship: Authorship { .of(ana, party: ana.id) }

  private var register: SessionRegister {
    var register = SessionRegister(
      id: session, stamp: stamp, initiator: ana.id,
      activityIdentifier: "matinee.watch-together", activity: Data("{}".utf8), ended: false)
    register.proof = authorship.sign(register.provenBytes)
    return register
  }

  /// A session of an earlier opening that its author vouches for in the present one.
  private var reopenedRegister: SessionRegister {
    var register = register
    (register.opening, register.isRestated) = (1_700_000_000_000, true)
    register.proof = authorship.sign(register.provenBytes)
    return register
  }

  /// The beacon that goes with a repeated arrival.
  private var newcomersBeacon: Beacon { Beacon(name: "Ben", joinedAt: nil, lastEvent: 0) }

  private var state: ItemState {
    ItemState(
      item: "film", stamp: stamp, originator: ben.id, change: .play, rate: 1.25,
      phase: .playing(
        Timeline(
          itemTime: MediaTime(seconds: 12), groupTime: GroupTime(nanoseconds: 1_000_000_000),
          previousRate: 0)))
  }

  private var report: SignedReport {
    let report = ParticipantReport(
      revision: 3, item: "film", suspensions: [.stallRecovery], startLatency: 20, syncError: -5,
      state: state)
    let proof = authorship.sign(Party.signedBytes(ofState: state.provenBytes, in: session))
    return SignedReport(report: report, proof: proof)
  }

  private var beacon: Beacon {
    var beacon = Beacon(
      name: "Ana", joinedAt: GroupTime(nanoseconds: 1_000), lastEvent: 300,
      sessions: [.init(kind: register.kind, stamp: stamp, joined: session)], coordination: 3)
    beacon.sentAt = GroupTime(nanoseconds: 2_000)
    (beacon.interval, beacon.count) = (1_000, 2)
    return beacon
  }

  private var relayBeacon: Beacon {
    get throws {
      var beacon = beacon
      beacon.standby = StandbyReport(
        addresses: [try #require(Invite.Address(host: "192.0.2.1", port: 62846))],
        reach: .everybody, reached: [RosterComparison.hash(ben.id)])
      return beacon
    }
  }

  private var copyBeacon: Beacon {
    var beacon = beacon
    beacon.otherCopy = "film".fnv1a
    return beacon
  }

  private var policyLog: PolicyLogLinks {
    get throws {
      var log = PolicyLog(creator: ana.id)
      log.open(number: 1, authorship: authorship)
      return try amended(log, [.control(.hosts), .appointCoHost(ben.id)])
    }
  }

  private func amended(
    _ log: PolicyLog, _ changes: [PartyAmendment]
  ) throws -> PolicyLogLinks {
    var log = log
    for change in changes {
      let isMade = log.amend(change, by: ana.id, authorship: authorship)
      try #require(isMade)
    }
    return log.message
  }

  /// A log that begins with a summary and contains each change that the other log lacks.
  private var restatedPolicyLog: PolicyLogLinks {
    get throws {
      var rules = PartyRules(creator: ana.id)
      rules.coHosts = [ben.id]
      let summary = PolicySummary(
        number: 2, of: rules, removed: [dov.id], authorship: authorship)
      let message = PolicyLogLinks(links: [], summary: summary, opening: nil)
      let log = try #require(PolicyLog(creator: ana.id, message, authorship: authorship))
      let changes: [PartyAmendment] = [
        .lifetime(.endsWhenHostLeaves), .waiting(.nobody), .dismissCoHost(ben.id),
        .close(admitting: [ben.id]), .open, .remove(cai.id), .handOver(to: ben.id),
      ]
      return try amended(log, changes)
    }
  }

  private var wallClockBeacon: Beacon {
    var beacon = beacon
    beacon.wallClock = WallClockClaim(
      offset: -1_000_000, uncertainty: 3_000_000, clockUncertainty: 500)
    (beacon.coordinationDigest, beacon.policyLog) = (Data([0]), 5)
    (beacon.clockUncertainty, beacon.clockRoundTrip) = (500, 1_200)
    return beacon
  }

  private var record: JournalRecord {
    let body = Data(
      JournalBody(addedAt: 5, size: 3, root: Data(count: 32), type: "data").binary)
    let hash = Data(SHA256.hash(data: body))
    let statement = JournalRecord.statement(author: ana.id, slot: 0, bodyHash: hash)
    return JournalRecord(
      author: ana.id, slot: 0, bodyHash: hash,
      proof: authorship.sign(
        LanePacket.provenBytes(of: statement, lane: "journal", session: session)),
      body: body)
  }

  /// A message of each type of the journal's.
  private var journal: [(name: String, message: JournalMessage)] {
    let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x87, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))
    let piece = Piece(level: 1, index: 300)
    return [
      ("lane", .records(.init(records: [record]))),
      ("lane-query", .query(.init(nonce: 1, inventory: Data([1, 2, 3, 4, 5, 6, 0x87, 8])))),
      ("lane-answer", .records(.init(records: [record], nonce: 1, hasMore: true))),
      (
        "lane-summary",
        .summary(
          .init(
            digest: 1, weight: 300, complete: Data(repeating: 1, count: 16),
            partial: [.init(id: id, chunks: [0..<300])]))
      ),
      ("lane-request", .request(.init(id: id, level: 1, indices: [0, 300]))),
      ("lane-holding", .holding(.init(id: id, chunks: [1..<3, 300..<301]))),
      ("lane-shared", .shared(id, piece, Data([1, 2, 3]), askers: [ana.id])),
      ("lane-piece", .piece(id, piece, Data([1, 2, 3]))),
    ]
  }

  /// Ben's exchange of a process.
  private var exchange: KeyExchange {
    get throws {
      .of(try .init(rawRepresentation: [UInt8](repeating: 3, count: 32)), party: ana.id)
    }
  }

  /// The key epoch of the log after its only opening, from which Dov was removed.
  private var keyEpoch: KeyEpoch {
    var rules = PartyRules(creator: ana.id)
    rules.removed = [dov.id]
    return KeyEpoch(of: rules, round: [1, 0, 0])
  }

  private var epochSecret: EpochSecret {
    EpochSecret(epoch: keyEpoch, bytes: [UInt8](repeating: 5, count: 32))!
  }

  private func keyShares(sealed: [UInt8]) -> KeyShares {
    KeyShares(
      epoch: keyEpoch, author: ana.id, proof: authorship.sign(epochSecret.provenBytes),
      shares: [.init(recipient: ben.id, sealed: sealed)])
  }

  /// Returns the secret as the article has it sealed for Ben: sealing draws a key, so it can't be computed again.
  private func documentedSealing(_ vectors: [String: String]) throws -> [UInt8] {
    let digits = Array(vectors["sealed-secret", default: ""].utf8)
    let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
    let context = keyEpoch.binary + ben.id.binary
    if try exchange.open(bytes, context) == epochSecret.bytes { return bytes }
    let fresh = KeyExchange.fresh(party: ana.id)
    return try #require(fresh.seal(epochSecret.bytes, exchange.publicKey, context))
  }

  private func computed(
    sealedSecret: [UInt8]
  ) throws -> [(name: String, value: String)] {
    let exchange = try exchange
    let keys = PartyKeys(secret: secret, party: ana.id)
    let address = try #require(Invite.Address("192.0.2.1:4222"))
    let sealer = EnvelopeSealer(party: ana.id, identity: ana, keys: keys)
    let chat = WireMessage.chat(ChatText(text: "hello"))
    let sealed = sealer.seal(
      Envelope(
        sender: ana.id, epoch: 7, delivery: .event, sequence: 1, payload: chat.encoded()),
      for: keys.subjects.everyone, under: .invite,
      nonce: try ChaChaPoly.Nonce(data: Array(UInt8(0)..<12)))
    let reply = ProbeReply(
      nonce: 1,
      times: .init(
        received: GroupTime(nanoseconds: 1_000), sent: GroupTime(nanoseconds: 2_000),
        uncertainty: 500), baseline: 2)
    var welcome = reply
    welcome.introduction = .init(
      beacon: beacon, beaconSequence: 4, members: [ben.id],
      coordination: CoordinationReport(session: session, data: Data(report.binary), version: 3),
      seniors: [.init(id: ana.id, arrivedAt: GroupTime(nanoseconds: 1_000))],
      exchangeKey: exchange.publicKey)
    let coordination = CoordinationReport(
      session: session, data: Data(report.binary), version: 3, isCommand: true)
    let notice = GroupSessionEvent(
      originator: Participant(id: ana.id, name: "Ana"), action: .skip(item: "Metropolis"))
    let app = AppMessage(
      session: session, type: "notice", version: 1, data: notice.encoded(), recipients: [ben.id])
    let messages: [(String, WireMessage)] =
      [
        ("event-chat", chat), ("event-session", .session(register)),
        ("event-session-reopened", .session(reopenedRegister)),
        ("event-report", .coordination(coordination)), ("event-message", .app(app)),
        ("event-policy-log", .policyLog(try policyLog)), ("event-leave", .leave(Leave())),
        ("event-leave-keeping-relay", .leave(Leave(keepsRelay: true))),
        ("event-policy-log-restated", .policyLog(try restatedPolicyLog)),
        ("beacon-newcomer", .beacon(newcomersBeacon)),
        ("beacon", .beacon(beacon)), ("beacon-relays", .beacon(try relayBeacon)),
        ("beacon-other-copy", .beacon(copyBeacon)),
        ("beacon-wall-clock", .beacon(wallClockBeacon)),
        ("probe", .probe(Probe(nonce: 1, introduction: true))),
        ("probe-reply", .probeReply(reply)),
        ("arrival", .arrival(Arrival(nonce: 1, exchangeKey: exchange.publicKey))),
        ("welcome", .welcome(Welcome(reply: welcome, sessions: [register], count: 2))),
        ("resend-request", .resendRequest(ResendRequest(from: 1, through: 300, of: ben.id))),
        ("resend-refusal", .resendRefusal(ResendRefusal(through: 300))),
        ("state-request", .stateRequest), ("state", .state(register)),
        ("leave-reply", .leaveReply), ("policy-request", .policyLogRequest),
        ("policy-log", .direct(.policyLog(try policyLog))),
        ("report-request", .coordinationRequest),
        ("report", .direct(.coordination(coordination))),
        ("vector", .vector(EventVector(entries: [.init(sender: ben.id, epoch: 7, next: 2)]))),
        ("roster", .roster(RosterComparison(known: [RosterComparison.hash(ben.id)]))),
        ("originals", .originals(Originals(signed: [[1, 2, 3]]))),
        (
          "key-request",
          .keyRequest(
            KeyRequest(
              publicKey: exchange.publicKey, epoch: keyEpoch, wanted: epochSecret.id, answers: 2))
        ), ("key-shares", .keyShares(keyShares(sealed: sealedSecret))),
      ]
      + journal.map { name, message in
        (name, .lane(LanePacket(session: session, data: message.encoded())))
      }
    // Each type of an event and of a direct message has a vector.
    var types: [Envelope.Delivery: Set<UInt8>] = [:]
    for (_, message) in messages {
      types[message.delivery, default: []].insert(message.encoded()[0])
    }
    #expect(types[.event] == Set(1...6))
    #expect(types[.direct] == Set(1...18))
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { String(UInt8($0) >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    return [
      ("public-key", hex(ana.publicKey)), ("id", "\(ana.id)"), ("id-ben", "\(ben.id)"),
      ("invite", Invite(addresses: [address], party: ana.id, secret: secret).text),
      ("content-key", hex(keys.content.withUnsafeBytes { Array($0) })),
      ("admission-public-key", hex(keys.admission.publicKey)), ("prefix", keys.subjects.prefix),
      ("number-300", hex(BinaryWriter.bytes { $0.number(300) })),
      ("signed-number-minus-3", hex(BinaryWriter.bytes { $0.signed(-3) })),
      ("double-1.25", hex(BinaryWriter.bytes { $0.double(1.25) })),
      ("text-film", hex(BinaryWriter.bytes { $0.text("film") })),
      ("sealed-chat", hex(sealed)),
      ("original-chat", hex(try sealer.unseal(sealed, from: keys.subjects.everyone))),
      ("proven-state", hex(state.provenBytes)), ("key-epoch", hex(keyEpoch.binary)),
      ("exchange-key", hex(exchange.publicKey)), ("sealed-secret", hex(sealedSecret)),
      ("key-id", hex(epochSecret.id.binary)),
      (
        "epoch-content-key",
        hex(epochSecret.contentKey(party: ana.id).withUnsafeBytes { Array($0) })
      ),
    ] + messages.map { ($0, hex($1.encoded())) }
  }

  @Test("The article has each vector, and no other")
  func vectors() throws {
    let documented = try Self.documented()
    let computed = try computed(sealedSecret: documentedSealing(documented))
    #expect(Set(documented.keys) == Set(computed.map(\.name)))
    for (name, value) in computed {
      #expect(documented[name] == value, "\(name) \(value)")
    }
  }
}

extension BinaryWriter {
  fileprivate static func bytes(_ write: (inout BinaryWriter) -> Void) -> [UInt8] {
    var writer = BinaryWriter()
    write(&writer)
    return writer.bytes
  }
}
