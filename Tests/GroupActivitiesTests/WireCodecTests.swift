import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import GroupJournal
@testable import PlaybackCoordination

@Suite("The canonical form of everything that travels")
struct WireCodecTests {
  /// Checks that the bytes are the only form of their value, that their beginnings are no value, and that nothing may
  /// follow them.
  private func check<Value: Equatable>(
    _ value: Value, _ bytes: [UInt8], seed: UInt64, isOpen: Bool = false,
    read: ([UInt8]) throws -> Value, write: (Value) -> [UInt8]
  ) {
    #expect((try? read(bytes)) == value, "seed \(seed): \(value)")
    for length in bytes.indices {
      // A beginning may be another value where the last field has no length.
      guard let other = try? read(Array(bytes.prefix(length))) else { continue }
      #expect(isOpen && other != value, "seed \(seed): \(length) bytes of \(value)")
    }
    if !isOpen {
      #expect(throws: WireError.malformed, "seed \(seed): \(value)") { try read(bytes + [0]) }
    }
    // A changed byte makes another value in its own canonical form, or none.
    var dice = RandomSource.seeded(seed)
    for _ in 0..<20 {
      guard let place = bytes.indices.randomElement(using: &dice) else { return }
      var changed = bytes
      changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
      guard let other = try? read(changed) else { continue }
      #expect(other != value && write(other) == changed, "seed \(seed): \(value)")
    }
  }

  private func check<Value: BinaryCodable & Equatable>(_ value: Value, seed: UInt64) {
    check(value, value.binary, seed: seed) {
      try Value(binary: $0)
    } write: {
      $0.binary
    }
  }

  @Test(
    "A message that is written and read is the same, and has no other form",
    arguments: UInt64(0)..<60)
  func messages(seed: UInt64) {
    var samples = WireSamples(seed: seed)
    for message in samples.messages() {
      let isOpen = if case .lane = message { true } else { false }
      check(message, message.encoded(), seed: seed, isOpen: isOpen) {
        try WireMessage(decoding: $0, as: message.delivery)
      } write: {
        $0.encoded()
      }
    }
  }

  @Test("A playback report that is written and read is the same", arguments: UInt64(0)..<200)
  func reports(seed: UInt64) throws {
    var samples = WireSamples(seed: seed)
    let signed = samples.report()
    check(signed, seed: seed)
    let digest = ReportDigest(signed.report)
    check(digest, seed: seed)
    #expect(digest.binary.count <= Beacon.digestLimit)
  }

  @Test("A journal's message that is written and read is the same", arguments: UInt64(0)..<60)
  func journal(seed: UInt64) {
    var samples = WireSamples(seed: seed)
    check(samples.journalBody(), seed: seed)
    for message in samples.journalMessages() {
      let isOpen =
        switch message {
        case .piece, .shared: true
        case .query, .records, .summary, .request, .holding: false
        }
      check(message, Array(message.encoded()), seed: seed, isOpen: isOpen) { bytes in
        guard let message = JournalMessage(decoding: Data(bytes)) else { throw WireError.malformed }
        return message
      } write: {
        Array($0.encoded())
      }
    }
  }

  @Test("A notice that is written and read is the same")
  func notices() {
    let ana = Participant(id: Participant.ID(high: 1, low: 1), name: "Ana")
    let actions: [GroupSessionEvent.Action] = [
      .play, .pause, .seek, .skip(item: nil), .skip(item: "Metropolis"), .updatedQueue(nil),
      .updatedQueue(.added("M")), .updatedQueue(.added(nil)), .updatedQueue(.setUpNext("M")),
    ]
    for action in actions {
      for url in [nil, "https://example.org"] {
        let event = GroupSessionEvent(originator: ana, action: action, url: url)
        let data = event.encoded()
        #expect(GroupSessionEvent(decoding: data, from: ana) == event)
        for length in 0..<data.count {
          #expect(GroupSessionEvent(decoding: data.prefix(length), from: ana) == nil)
        }
        #expect(GroupSessionEvent(decoding: data + [0], from: ana) == nil)
      }
    }
  }

  @Test("Numbers have one form: the shortest")
  func numbers() throws {
    var samples = WireSamples(seed: 1)
    for _ in 0..<2000 {
      let (number, signed) = (samples.number(), samples.signed())
      var writer = BinaryWriter()
      writer.number(number)
      writer.signed(signed)
      var reader = BinaryReader(writer.bytes[...])
      #expect(try reader.number() == number)
      #expect(try reader.signed() == signed)
      #expect(reader.isAtEnd)
    }
    let refused: [[UInt8]] = [
      [], [0x80], [0x80, 0], [0xFF, 0], [0x80, 0x80, 0], Array(repeating: 0xFF, count: 10),
      Array(repeating: 0x80, count: 9) + [2], Array(repeating: 0x80, count: 10) + [1],
    ]
    for bytes in refused {
      #expect(throws: WireError.malformed, "\(bytes)") {
        var reader = BinaryReader(bytes[...])
        return try reader.number()
      }
    }
  }

  @Test("Doubles that aren't numbers, and the second zero, are refused")
  func doubles() throws {
    for value in [0, 1, -1.5, .leastNonzeroMagnitude, .greatestFiniteMagnitude] as [Double] {
      var reader = BinaryReader(value.bitPattern.bigEndianBytes[...])
      #expect(try reader.double().bitPattern == value.bitPattern)
    }
    for value in [.nan, -.nan, .signalingNaN, .infinity, -.infinity, -0.0] as [Double] {
      #expect(throws: WireError.malformed, "\(value)") {
        var reader = BinaryReader(value.bitPattern.bigEndianBytes[...])
        return try reader.double()
      }
    }
  }

  @Test("A beacon's extensions are skipped in their order, and have a bound")
  func extensions() throws {
    var samples = WireSamples(seed: 3)
    for _ in 0..<20 {
      var relays = samples.beacon()
      relays.standby = samples.maybe { $0.standby() }
      relays.otherCopy = samples.maybe { UInt32(truncatingIfNeeded: $0.number()) }
      relays.door = samples.maybe {
        Participant.Door(.allCases[Int($0.number() % 3)], keeper: $0.id())
      }
      let known = WireMessage.beacon(relays)
      #expect(try WireMessage(decoding: known.encoded(), as: .beacon) == known)
      let beacon = WireMessage.beacon(samples.beacon())
      let newerDoor = [4, 17, 99] + [UInt8](repeating: 1, count: 16)
      for extras in [[5, 0], [5, 2, 9, 9, 200, 1, 0], [6, 1, 7, 7, 0], newerDoor] as [[UInt8]] {
        #expect(try WireMessage(decoding: beacon.encoded() + extras, as: .beacon) == beacon)
      }
      let tooLong: [UInt8] = [5, 0x81, 8] + Array(repeating: 0, count: 1025)
      let badFields: [[UInt8]] = [
        [3, 0], [3, 3, 1, 2, 3], [3, 5, 1, 2, 3, 4, 5], [4, 0], [4, 2, 1, 1],
        [4, 18] + [UInt8](repeating: 1, count: 18),
      ]
      for extras in badFields + [
        [0, 0], [5], [5, 1], [6, 0, 5, 0], [5, 0, 5, 0], [2, 0], tooLong,
      ] {
        #expect(throws: WireError.malformed, "\(extras)") {
          try WireMessage(decoding: beacon.encoded() + extras, as: .beacon)
        }
      }
    }
  }

  @Test("Types, choices and rules of newer programs are unknown, not malformed")
  func newer() {
    func reason(_ bytes: [UInt8], _ delivery: Envelope.Delivery) -> WireError? {
      do {
        _ = try WireMessage(decoding: bytes, as: delivery)
        return nil
      } catch {
        return error
      }
    }
    #expect(reason([99, 1], .event) == .unknown("event 99"))
    #expect(reason([99, 1], .direct) == .unknown("direct message 99"))
    // A number of earlier programs, which has no meaning any more.
    #expect(reason([19, 2, 1, 3], .direct) == .unknown("direct message 19"))
    #expect(reason([2], .beacon) == .unknown("beacon 2"))
    #expect(reason([2], .loose) == .unknown("loose message 2"))
    #expect(reason([2], .lane) == .unknown("lane message 2"))
    let id = [UInt8](repeating: 0, count: 16)
    #expect(reason([5, 0, 1] + id + [10], .event) == .unknown("rule 10"))
    #expect(reason([5, 0, 1] + id + [1, 2], .event) == .unknown("control rule 2"))
    #expect(reason([16, 3, 0], .direct) == .unknown("roster comparison 3"))
  }

  /// The median of the sealed commands of a party of two with version 1: seeks, plays, pauses and changes of rate of a
  /// film in a playlist, from `matinee host` 0.1.
  private static let versionOne = 1133

  @Test("A sealed command takes at most 40 % of the bytes that it took in version 1")
  func size() throws {
    let founding = Party.Founding()
    let sealer = EnvelopeSealer(
      party: founding.party, identity: founding.identity, keys: founding.keys)
    let item = "e89abcdef:sha256:" + String(repeating: "0123456789abcdef", count: 4)
    // An hour and a half into the film, on a machine that has run for a month.
    let now = GroupTime(nanoseconds: 2_592_000_123_456_789)
    let stamp = Stamp(time: now.nanoseconds, participant: founding.party)
    let place = MediaTime(nanoseconds: 5_400_123_456_789)
    let phases: [ItemState.Phase] = [
      .paused(at: place, isExact: true), .starting(from: place, due: now),
      .playing(Timeline(itemTime: place, groupTime: now, previousRate: 1)),
    ]
    for phase in phases {
      let state = ItemState(
        item: item, stamp: stamp, originator: founding.party, change: .play, rate: 1.25,
        phase: phase)
      let report = ParticipantReport(
        revision: 1000, item: item, readyFor: stamp, suspensions: [], startLatency: 20,
        rateChangeLatency: 200, syncError: -5000, syncUncertainty: 300,
        waitedOut: [
          .init(reason: .playingInterstitial), .init(reason: .stallRecovery),
          .init(reason: .userActionRequired),
        ], itemEnd: 7_200_000_000, state: state)
      let command = WireMessage.coordination(
        CoordinationReport(
          session: GroupSessionID(rawValue: .max),
          data: Data(SignedReport(report: report, proof: .empty).binary), version: 1000,
          isCommand: true))
      let sealed = sealer.seal(
        Envelope(
          sender: founding.party, epoch: .max, delivery: .event, sequence: 1000,
          payload: command.encoded()), for: founding.keys.subjects.everyone, under: .invite)
      #expect(sealed.count * 100 <= 40 * Self.versionOne, "\(sealed.count) bytes of \(phase)")
    }
  }
}
