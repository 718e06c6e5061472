import Testing
import Timekeeping

@testable import GroupActivities

/// An attacker that may use the broker but doesn't have the invite, for example the broker itself.
@Suite("A hostile broker", .timeLimit(.minutes(1)))
struct HostileBrokerTests {
  @Test("Random bytes change nothing and are counted", arguments: [UInt64(1), 2, 3])
  func garbage(seed: UInt64) async throws {
    try await Evening.run { evening in
      let before = await evening.view
      var dice = RandomSource.seeded(seed)
      let seen = try await evening.during {
        for round in 0..<3000 {
          var bytes = (0..<Int.random(in: 0...300, using: &dice)).map { _ in
            UInt8.random(in: .min ... .max, using: &dice)
          }
          // Half of them begin like valid messages.
          if round.isMultiple(of: 2), !bytes.isEmpty { bytes[0] = 1 }
          try evening.inject(
            bytes, to: round.isMultiple(of: 3) ? evening.anasSubject : evening.everyone)
        }
        try evening.inject([UInt8](repeating: 1, count: 65536), to: evening.everyone)
      }
      #expect(seen.events.isEmpty, "seed \(seed)")
      #expect(seen.rejections.garbage + seen.rejections.unsealable == 3001, "seed \(seed)")
      #expect(await evening.view == before, "seed \(seed)")
    }
  }

  @Test(
    "Truncated messages and messages with a flipped bit are not opened", arguments: [UInt64(4), 5])
  func damaged(seed: UInt64) async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let captured = evening.broker.traffic
      var dice = RandomSource.seeded(seed)
      let seen = try await evening.during {
        for round in 0..<3000 {
          var bytes = captured.randomElement(using: &dice)!.payload
          if round.isMultiple(of: 2) {
            bytes.removeLast(Int.random(in: 1...bytes.count, using: &dice))
          } else {
            let place = Int.random(in: bytes.indices, using: &dice)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
          }
          for subject in [evening.everyone, evening.anasSubject] {
            try evening.inject(bytes, to: subject)
          }
        }
      }
      #expect(seen.events.isEmpty, "seed \(seed)")
      #expect(seen.rejections.garbage + seen.rejections.unsealable == 6000, "seed \(seed)")
      #expect(await evening.view == before, "seed \(seed)")
    }
  }

  @Test("Messages that are replayed while their senders are present have no second effect")
  func replay() async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let captured = evening.broker.traffic
      let seen = try await evening.during {
        for message in captured { try evening.inject(message.payload, to: message.subject) }
        for message in captured.reversed() {
          try evening.inject(message.payload, to: message.subject)
        }
      }
      #expect(seen.events.isEmpty)
      #expect(seen.rejections.stale > 0)
      #expect(await evening.view == before)
    }
  }

  @Test("Messages that are moved to another subject are not opened")
  func moved() async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let captured = evening.broker.traffic
      let toAll = captured.filter { $0.subject == evening.everyone }
      let toSome = captured.filter { $0.subject != evening.everyone }
      let seen = try await evening.during {
        for message in toAll { try evening.inject(message.payload, to: evening.anasSubject) }
        for message in toSome { try evening.inject(message.payload, to: evening.everyone) }
      }
      #expect(toAll.count > 2 && toSome.count > 2)
      #expect(seen.events.isEmpty)
      #expect(seen.rejections.unsealable == captured.count)
      #expect(await evening.view == before)
    }
  }

  @Test("Messages that are replayed after their sender left don't bring it back")
  func replayAfterLeaving() async throws {
    try await Evening.run { evening in
      let chi = try await Party.join(
        evening.ana.invite, name: "Chi", transport: evening.broker.transport())
      try await chi.sendChat("I'm off")
      await chi.leave()
      _ = try await evening.until("Chi leaves", evening.ana) { event in
        if case .participantLeft(let who, announced: true) = event {
          who.name == "Chi"
        } else {
          false
        }
      }
      let before = await evening.view
      let captured = evening.broker.traffic
      let seen = try await evening.during {
        for message in captured { try evening.inject(message.payload, to: message.subject) }
      }
      #expect(seen.events.isEmpty)
      #expect(await evening.view == before)
      #expect(await evening.ana.participants.map(\.name) == ["Ana", "Ben"])
    }
  }

  @Test("A flood of nonsense only delays chat")
  func flood() async throws {
    try await Evening.run { evening in
      let before = await evening.view
      let seen = try await evening.during {
        for number in 0..<20_000 {
          try evening.inject([1, UInt8(number & 255)], to: evening.everyone)
        }
      }
      #expect(seen.rejections.garbage == 20_000)
      #expect(await evening.view == before)
    }
  }
}
