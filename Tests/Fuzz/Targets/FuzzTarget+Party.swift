import Foundation
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal
@testable import PlaybackCoordination

extension FuzzTarget {
  static let party = [message, appMessage, journal, coordination, conversation, commands]

  // MARK: - What members say

  static let samples: [WireMessage] = {
    let id = Participant.ID(high: 7, low: 2)
    let session = GroupSessionID(rawValue: 9)
    let beacon = Beacon(
      name: "Mallory", joinedAt: GroupTime(nanoseconds: 5), lastEvent: 3,
      sessions: [.init(kind: 7, stamp: Stamp(time: 5, participant: id), joined: session)],
      coordination: 1, coordinationDigest: Data(repeating: 1, count: 16), policyLog: 1,
      clockUncertainty: 10,
      clockRoundTrip: 20, sentAt: GroupTime(nanoseconds: 5), interval: 1000, count: 2)
    let reply = ProbeReply(
      nonce: 1,
      times: .init(
        received: GroupTime(nanoseconds: 1), sent: GroupTime(nanoseconds: 2), uncertainty: 3),
      baseline: 1)
    var introduced = reply
    introduced.introduction = .init(beacon: beacon, beaconSequence: 2, members: [id])
    let register = SessionRegister(
      id: session, stamp: Stamp(time: 5, participant: id), initiator: id,
      activityIdentifier: "film", activity: Data("{}".utf8), endsWithInitiator: false, ended: false)
    let app = AppMessage(session: session, type: "t", version: 1, data: Data([1, 2, 3]))
    return [
      .chat(ChatText(text: "hello \u{1B}[2J")), .session(register), .state(register),
      .coordination(CoordinationReport(session: session, data: Data([1, 2]))), .app(app),
      .leave(Leave()), .loose(app), .beacon(beacon), .probe(Probe(nonce: 1, introduction: true)),
      .probeReply(reply), .probeReply(introduced), .arrival(Arrival(nonce: 1)),
      .arrival(Arrival(nonce: 2, exchangeKey: [UInt8](repeating: 7, count: 32))),
      .welcome(Welcome(reply: introduced, sessions: [register], count: 300)),
      .vector(
        EventVector(
          entries: [
            .init(sender: id, epoch: 1, next: 2), .init(sender: id, epoch: .max, next: .max),
          ],
          isPublic: true)),
      .roster(RosterComparison(known: [1, .max], purpose: .answer)),
      .roster(RosterComparison(known: [])),
      .vector(EventVector(entries: [])), .originals(Originals(signed: [[1, 2, 3], []])),
      .keyRequest(
        KeyRequest(
          publicKey: [UInt8](repeating: 7, count: 32), epoch: KeyEpoch(rawValue: 5),
          wanted: ContentKeyID(rawValue: 9), answers: 4)),
      .keyShares(
        KeyShares(
          epoch: KeyEpoch(rawValue: .max), author: id, proof: .empty,
          shares: [.init(recipient: id, sealed: [UInt8](repeating: 3, count: 80))])),
      .coordinationRequest,
      .resendRequest(ResendRequest(from: 1, through: .max, of: id)),
      .resendRequest(ResendRequest(from: 1, through: 2)),
      .resendRefusal(ResendRefusal(through: 1)), .stateRequest,
      .leaveReply, .policyLogRequest, .policyLog(PolicyLogLinks(links: [])),
      .lane(
        LanePacket(session: session, data: Data([0x71] + [UInt8](repeating: 7, count: 8) + [0]))),
      .lane(LanePacket(session: session, lane: "org.example", data: Data([1, 2, 3]))),
    ]
  }()

  /// A message of one member to another, after its delivery.
  private static let message = FuzzTarget(
    "message", seeds: samples.map(FuzzEvening.tagged)
  ) { bytes in
    guard let message = FuzzEvening.message(bytes) else { return }
    let again = FuzzEvening.tagged(message)
    try hold(FuzzEvening.message(again) == message, "encoded again it is another")
    // A beacon may have fields of newer programs after it, which aren't kept.
    let isWhole = if case .beacon = message { bytes.starts(with: again) } else { bytes == again }
    try hold(isWhole, "two forms of one message")
    var table = FuzzTable.settled
    let before = table.ana.others.map(\.name)
    try hold(before == ["Mallory"], "\(before)")
    for sequence in [table.nextEvent, 0, .max] { table.say(message, sequence: sequence) }
    try table.check()
  }

  private static let appMessage = FuzzTarget(
    "app-message",
    seeds: [[0, 2, 1, 1, 2, 1], [0, 255, 255, 1, 2, 2], [9, 9, 8, 8, 7, 7, 0, 8, 1]]
  ) { bytes in
    // Three bytes choose the message, the number of its parts, and the index of this part.
    var assembler = AppMessageAssembler(limit: 4)
    var rest = bytes[...]
    while rest.count >= 3 {
      let numbers = rest.prefix(3).map { Int($0) - 1 }
      rest = rest.dropFirst(3)
      var piece = AppMessage(
        session: GroupSessionID(rawValue: 1), type: "t", version: 1, data: Data([1, 2, 3]))
      piece.part = .init(message: UInt64(numbers[0] + 1), index: numbers[2], count: numbers[1])
      guard piece.isWithinLimits, let whole = assembler.partReceived(piece) else { continue }
      try hold(whole.data.count == 3 * numbers[1], "\(whole.data.count) of \(numbers[1]) parts")
    }
  }

  // MARK: - What layers above say

  private static let journal = FuzzTarget(
    "journal",
    seeds: {
      let id = UUID(uuidString: "00112233-4455-8677-8899-AABBCCDDEEFF")!
      let record = JournalRecord(
        author: FuzzTable.id(1), slot: 0, bodyHash: Data(repeating: 1, count: 32),
        proof: .empty,
        body: Data(
          JournalBody(
            addedAt: 1, size: 100_000, root: Data(repeating: 2, count: 32), type: "data"
          ).binary))
      let messages: [JournalMessage] = [
        .query(.init(nonce: 1, inventory: Data([1, 2, 3]))),
        .records(.init(records: [record], nonce: 1)),
        .summary(
          .init(
            digest: 1, weight: 1, complete: Data(id.bytes),
            partial: [.init(id: id, chunks: [0..<2, 3..<4])])),
        .request(.init(id: id, level: 0, indices: [0, 1])), .holding(.init(id: id, chunks: [])),
        .piece(id, Piece(level: 1, index: 0), Data([1, 2, 3])),
      ]
      return messages.map { Array($0.encoded()) }
    }()
  ) { bytes in
    let data = Data(bytes)
    if let message = JournalMessage(decoding: data) {
      try hold(JournalMessage(decoding: message.encoded()) == message, "encoded it is another")
    }
    var now = HostTime(nanoseconds: 1_000_000_000)
    var machine = JournalMachine(.init(id: FuzzTable.id(0), random: .seeded(1)), at: now)
    _ = machine.membersChanged([FuzzTable.id(0), FuzzTable.id(1)], at: now)
    for _ in 0..<3 {
      _ = machine.received(data, from: FuzzTable.id(1), at: now)
      now = now + .seconds(1)
      _ = machine.timerFired(at: now)
    }
    try hold(machine.downloads.count <= 64, "\(machine.downloads.count) downloads of one message")
    for deadline in [machine.nextDeadline].compactMap({ $0 }) {
      try hold(deadline > now - .seconds(60), "a deadline long ago")
    }
  }

  private static let coordination = FuzzTarget(
    "coordination", seeds: coordinationReports,
    isAccepted: { (try? SignedReport(binary: $0)) != nil }
  ) { bytes in
    guard let signed = try? SignedReport(binary: bytes) else { return }
    try hold(signed.binary == bytes, "two forms of one report")
    let now = coordinationTime
    var machine = CoordinatorMachine(me: FuzzTable.id(0))
    _ = machine.transition(to: "film", proposing: nil, isPlayerReady: true, at: now)
    for step in 0..<3 {
      _ = machine.received(signed.report, from: FuzzTable.id(1), at: now + .seconds(step))
      _ = machine.timerFired(at: now + .seconds(step))
      if let state = machine.states["film"] {
        try hold(state.isSensible(at: now + .seconds(step)), "\(state)")
        _ = state.itemTime(at: now + .seconds(1_000_000))
      }
    }
  }

  static let coordinationTime = GroupTime(nanoseconds: 100_000_000_000)

  /// A report without a state, and one with each phase of a state, as they are sent.
  static var coordinationReports: [[UInt8]] {
    let now = coordinationTime
    let phases: [ItemState.Phase] = [
      .paused(at: MediaTime(seconds: 12), isExact: true),
      .starting(from: MediaTime(seconds: 12), due: now + .seconds(3)),
      .playing(
        Timeline(
          itemTime: MediaTime(seconds: 12), groupTime: now + .milliseconds(200), previousRate: 1)),
    ]
    let states = phases.map {
      ItemState(
        item: "film", stamp: Stamp(time: now.nanoseconds, participant: FuzzTable.id(1)),
        originator: FuzzTable.id(1), change: .play, rate: 1.25, phase: $0)
    }
    return ([nil] + states).map { state in
      let report = ParticipantReport(
        revision: 2, item: "film", readyFor: state?.stamp, suspensions: [.stallRecovery],
        startLatency: 20, rateChangeLatency: 30, syncError: -5, syncUncertainty: 7,
        loadedPercent: 64,
        state: state)
      return SignedReport(report: report, proof: state == nil ? nil : .empty).binary
    }
  }
}
